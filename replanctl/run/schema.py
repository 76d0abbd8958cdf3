"""JSON Schemas of what a session writes: the result as one document, and each event.

They hold exactly what this version writes: every field is there, and no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from replanctl.live import Health, Verdict
from replanctl.plan import Granularity, StepState
from replanctl.replan import REASONS, ErrorType, Status
from replanctl.run.events import AnyEvent
from replanctl.run.final import COMPLETED
from replanctl.run.fold import SCHEMA_VERSION
from replanctl.run.result import SessionResult

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def result_schema() -> Schema:
    """The document of `run --format json`."""
    return _schema(SessionResult, "A session of replanctl", "What a whole rehearsed session came to.")


def event_schema() -> Schema:
    """One event: a line of `run --format jsonl`."""
    return _schema(AnyEvent, "An event of replanctl", "One fact of a session, as it happens.")


def in_json_words(doc: str) -> str:
    """The first paragraph of a docstring, in the words of who reads JSON."""
    return " ".join(doc.partition("\n\n")[0].split()).replace("None", "null").replace("UNSET", "left out")


def _schema(kind: Any, title: str, description: str) -> Schema:
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    head: Schema = {"$schema": DIALECT, "title": title, "description": description}
    return head | schema | {"$defs": {name: _whole(name, part) for name, part in parts.items()}}


def _whole(name: str, part: Schema) -> Schema:
    """A struct's schema with every field required, no other allowed, and the values of closed lists named."""
    if "description" in part:
        part["description"] = in_json_words(part["description"])
    if "properties" in part:
        for field, schema in part["properties"].items():
            schema.pop("default", None)
            schema.update(_FIELDS.get(f"{name}.{field}", _FIELDS.get(field, {})))
        part |= {"required": list(part["properties"]), "additionalProperties": False}
    return part


def _one_of(values: Iterable[str], *, or_none: bool = False) -> Schema:
    names: list[str | None] = [str(value) for value in values]
    return {"enum": [*names, None] if or_none else names}


_KINDS = ("planning", "execution", "re-execution", "retry", "replan", "solver")
_ENDINGS = (*COMPLETED, *REASONS.values(), "no_plan", "aborted", "escalated", "insufficient_evidence", "interrupted")
_VERSION: Schema = {"pattern": "^v[1-9][0-9]*$"}

# What the types of the fields don't say, by struct and field, or by field alone where it is one word for one thing.
_FIELDS: dict[str, Schema] = {
    "schema_version": {"const": SCHEMA_VERSION},
    "version": _VERSION,
    "from": _VERSION,
    "to": _VERSION,
    "seq": {"minimum": 0},
    "at": {"minimum": 0},
    "state": _one_of(StepState),
    "health": _one_of(Health),
    "Lesson.version": {},  # a lesson may come from a book that somebody wrote
    "LessonView.version": {},
    "SessionResult.status": _one_of(("completed", "failed")),
    "SessionResult.reason": _one_of(_ENDINGS),
    "SessionComplete.status": _one_of(("completed", "failed")),
    "SessionComplete.reason": _one_of(_ENDINGS),
    "HandOver.reason": _one_of(_ENDINGS),
    "AttemptView.status": _one_of(Status),
    "Execution.status": _one_of((StepState.DONE, StepState.FAILED, StepState.SKIPPED)),
    "SignalView.error_type": _one_of(ErrorType),
    "VersionView.granularity": _one_of(Granularity, or_none=True),
    "Revision.granularity": _one_of(Granularity),
    "RouteView.granularity": _one_of(Granularity),
    "RouteView.escalated_from": _one_of(Granularity, or_none=True),
    "VariableView.verdict": _one_of(Verdict, or_none=True),
    "GateView.gate": _one_of(REASONS),
    "Gate.gate": _one_of(REASONS),
    "LedgerLine.kind": _one_of(_KINDS),
    "Ledger.kind": _one_of(("planning", "replan", "solver")),
}
