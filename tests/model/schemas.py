"""JSON Schemas: random ones for tools' args and for results, and what the model says of a value under one."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import jsonschema

from tests.model.ambiguous import Ambiguous

ARGS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"q": {"enum": ["x", "y", "z"]}}},
    {"properties": {"q": {"type": "string", "minLength": 2}}},
    {"type": "object", "required": ["q"], "properties": {"q": {}}, "additionalProperties": False},
    {"type": "object", "required": ["qq"], "properties": {"qq": {"const": "x"}}},
    {"properties": {"q": {"type": ["string", "null"]}}},
    {"properties": {"q": {"pattern": "^[a-y]$"}}},
    {"maxProperties": 0},
    {"anyOf": [{"required": ["q"]}, {"required": ["r"]}]},
    {"not": {"required": ["q"]}},
    {"properties": {"q": {"type": "object", "required": ["rows"]}}},
    {"properties": {"q": {"type": ["string", "object"]}}, "required": ["q"]},
]
RESULTS: list[dict[str, Any]] = [
    {"type": "object", "required": ["rows"]},
    {"type": "object", "properties": {"rows": {"type": "array", "minItems": 2}}},
    {"type": "object", "properties": {"rows": {"items": {"type": "integer", "maximum": 2}}}},
    {"type": "object", "properties": {"total": {"type": "integer", "multipleOf": 2}}, "required": ["total"]},
    {"type": ["object", "null"], "additionalProperties": {"type": "array"}},
    {"type": ["object", "integer"], "not": {"required": ["total"]}},
    {"oneOf": [{"required": ["rows"]}, {"required": ["total"]}]},
    {"enum": [7, "seven", {"rows": [1]}]},
    {"$defs": {"n": {"type": "number"}}, "properties": {"total": {"$ref": "#/$defs/n"}}, "minProperties": 1},
]
VALUES: list[Any] = [
    {"rows": [1]},
    {"rows": [2, 3]},
    {"rows": []},
    {"total": 1},
    {"rows": [1], "total": 2},
    7,
    None,
    "seven",
]


@functools.cache
def _validator(schema: str) -> Any:
    return jsonschema.Draft202012Validator(json.loads(schema))


def violation(value: Any, schema: dict[str, Any]) -> str | None:
    """The schema's own message on the best match, behind the place in the value; None where it holds."""
    error = jsonschema.exceptions.best_match(_validator(json.dumps(schema)).iter_errors(value))
    if error is None:
        return None
    if len(error.message) > 70:
        raise Ambiguous("a schema's message that is long may be told shorter")
    place = ""
    for part in error.absolute_path:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return f"{place}: {error.message}" if place else str(error.message)


def put_schemas(r: random.Random, found: dict[str, Any]) -> None:
    """Put schemas into a document that does without; a scripted `ok` then has a value."""
    if r.random() > 0.2:
        return
    for tool in (found.get("tools") or {}).values():
        if r.random() < 0.35:
            tool["args"] = r.choice(ARGS)
    drafts = (step for rule in found.get("planner", []) for step in rule.get("steps", []))
    for step in (*found["steps"], *drafts):
        if r.random() < 0.35:
            step["produces"] = {"schema": r.choice(RESULTS)}
    found["outcomes"] = with_values(r, found["outcomes"])


def with_values(r: random.Random, outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same script, in which every `ok` has a value."""
    found = [rule | {"returns": [_with_value(r, entry) for entry in rule["returns"]]} for rule in outcomes]
    return [*found, {"match": {}, "returns": [{"status": "ok", "value": r.choice(VALUES)}]}]


def _with_value(r: random.Random, entry: Any) -> Any:
    entry = {"status": entry} if isinstance(entry, str) else entry
    return entry | {"value": r.choice(VALUES)} if entry["status"] == "ok" else entry
