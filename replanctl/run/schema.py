"""JSON Schemas of what a session writes: the result as one document, and each event.

They hold exactly what this version writes: every field is there, and no other, but for what prices a command line gave.
"""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.money import money_schema
from replanctl.run.events import AnyEvent
from replanctl.run.result import SessionResult
from replanctl.run.said import SAID, described

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def result_schema() -> Schema:
    """The document of `run --format json`."""
    schema = _schema(SessionResult, "A session of replanctl", "What a whole rehearsed session came to.")
    schema["$defs"]["SessionResult"]["properties"]["money"] = money_schema(
        main={"type": "number", "description": "What the main flow cost."},
        remedy={"type": "number", "description": "What all else cost."},
        all={"type": "number", "description": "Both together."},
    )
    return schema


def event_schema() -> Schema:
    """One event: a line of `run --format jsonl`."""
    return _schema(AnyEvent, "An event of replanctl", "One fact of a session, as it happens.")


def in_json_words(doc: str) -> str:
    """The first paragraph of a docstring, in the words of who reads JSON."""
    return " ".join(doc.partition("\n\n")[0].split()).replace("None", "null").replace("UNSET", "left out")


def _schema(kind: Any, title: str, description: str) -> Schema:
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    head: Schema = {"$schema": DIALECT, "title": title, "description": description}
    return head | schema | {"$defs": described({name: _whole(part) for name, part in parts.items()}, SAID)}


def _whole(part: Schema) -> Schema:
    """A struct's schema with every field required and no other allowed."""
    if "description" in part:
        part["description"] = in_json_words(part["description"])
    if "properties" in part:
        for schema in part["properties"].values():
            schema.pop("default", None)
        part |= {"required": list(part["properties"]), "additionalProperties": False}
    return part
