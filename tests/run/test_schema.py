"""The schemas of result and events: they hold all that is written, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from replanctl.files import load_rehearsal
from replanctl.host.rehearse import session_of
from replanctl.kinds import Settle
from replanctl.run.amendments import Settlement
from replanctl.run.fold import fold
from replanctl.run.schema import event_schema, in_json_words, result_schema
from tests.rehearse import rehearse, settle

FOLDER = Path(__file__).parents[2] / "plans"
EXAMPLES = sorted(path for path in FOLDER.rglob("*.yaml") if not path.stem.endswith(".outcomes"))
RESULT, EVENT = (Draft202012Validator(schema()) for schema in (result_schema, event_schema))

Document = dict[str, Any]


@cache
def written(path: Path) -> tuple[str, tuple[str, ...]]:
    """The result and the events of an example, as they are written."""
    rehearsal = load_rehearsal(path)
    events = tuple(session_of(rehearsal, rehearsal.policy).events())
    return msgspec.json.encode(fold(events)).decode(), tuple(msgspec.json.encode(event).decode() for event in events)


def faults(validator: Draft202012Validator, text: str) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(json.loads(text))]


@pytest.mark.parametrize("schema", [result_schema, event_schema])
def test_a_schema_is_a_schema_and_says_what_it_is_of(schema: Callable[[], Document]) -> None:
    Draft202012Validator.check_schema(schema())
    assert list(schema())[:3] == ["$schema", "title", "description"]
    assert all("description" in part for part in schema()["$defs"].values() if "properties" in part)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_written_is_valid(path: Path) -> None:
    result, events = written(path)
    assert faults(RESULT, result) == []
    assert [fault for event in events for fault in faults(EVENT, event)] == []


def test_every_kind_of_event_was_looked_at() -> None:
    fallback = "goal: g\ntools: {t: {fallback: u}, u: {}}\nsteps: [{id: 1, tool: t}]\n"
    events, _ = rehearse(fallback, "outcomes: [{match: {tool: t}, returns: [unavailable]}]\n")
    settled = "goal: g\ntools: {t: {idempotent: false}}\nsteps: [{id: 1, tool: t}]\n"
    events += settle(settled, "outcomes: [{returns: [error]}]\n", [Settlement("1", Settle.DONE, 7)])[0]
    more = [msgspec.json.encode(event).decode() for event in events]
    assert [fault for event in more for fault in faults(EVENT, event)] == []
    kinds = {json.loads(event)["type"] for event in (*more, *(e for path in EXAMPLES for e in written(path)[1]))}
    assert kinds == set(event_schema()["discriminator"]["mapping"])


# What may be done to a right result to make it wrong.
SPOILT: dict[str, Callable[[Document], object]] = {
    "a key is missing": lambda result: result.pop("detail"),
    "a key is new": lambda result: result.update(more=1),
    "another schema": lambda result: result.update(schema_version=2),
    "an unknown reason": lambda result: result.update(reason="bored"),
    "a number as text": lambda result: result.update(seconds="3"),
    "a version as a number": lambda result: result["versions"][0].update(version=1),
    "a version of none": lambda result: result["versions"][0].update(version="1"),
    "an unknown state": lambda result: result["versions"][0]["steps"][0].update(state="lost"),
    "a step without args": lambda result: result["versions"][0]["steps"][0].pop("args"),
    "an unknown attempt": lambda result: result["history"][0]["attempts"][0].update(status="fine"),
    "a revision without a list": lambda result: result["revisions"][0].pop("added"),
    "an unknown depth": lambda result: result["routes"][0].update(granularity="deep"),
    "an unknown gate": lambda result: result["gates"][0].update(gate="door"),
    "an unknown health": lambda result: result["variables"]["E1"].update(health="ill"),
    "a booking of an unknown kind": lambda result: result["ledger"]["lines"][0].update(kind="fun"),
    "warnings that are none": lambda result: result.update(warnings=None),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_wrong_result_is_not_valid(spoil: Callable[[Document], object]) -> None:
    result = json.loads(written(FOLDER / "vendors.yaml")[0])
    spoil(result)
    assert not RESULT.is_valid(result)


@pytest.mark.parametrize("spoil", [
    lambda event: event.pop("seq"), lambda event: event.update(seq=-1), lambda event: event.update(at=None),
    lambda event: event.update(version="2"), lambda event: event.update(type="step.middle"),
    lambda event: event.update(type="ledger"), lambda event: event.update(more=1), lambda event: event.pop("type"),
])  # fmt: skip
def test_a_wrong_event_is_not_valid(spoil: Callable[[Document], object]) -> None:
    for text in written(FOLDER / "vendors.yaml")[1]:
        event = json.loads(text)
        if event["type"] != "ledger":
            spoil(event)
            assert not EVENT.is_valid(event)


def test_a_docstring_in_the_words_of_json() -> None:
    assert in_json_words("`run` is None\n    here.\n\n    More.") == "`run` is null here."
