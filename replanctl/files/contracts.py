"""Contracts and JSON Schemas: what a plan file says that a step produces and a tool takes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from replanctl.files.faults import At
from replanctl.files.shapes import kind, made_of, map_of, mapping, record, wrong
from replanctl.schema import TYPES


@lru_cache(1024)
def _schema_fault(schema: bytes) -> Any:
    """What is wrong with a schema: looked at once, however many steps have the same one."""
    from replanctl.schema import schema_fault

    return schema_fault(msgspec.json.decode(schema))


@made_of("same", mapping)
def schema(value: Any, at: At) -> Any:
    """A JSON Schema, sound in itself."""
    if not isinstance(value, dict):
        return wrong(value, at, "a JSON Schema")
    fault = _schema_fault(msgspec.json.encode(value))
    if fault is None:
        return value
    path, why = fault
    for key in path:
        at = at[key]
    return at.error("bad-schema", f"not a sound JSON Schema: {why}")


@made_of("pattern", rf"(?:{'|'.join(TYPES)})\??")
def _field_type(value: Any, at: At) -> Any:
    """The type of a field; with `?` it may be null or empty."""
    if isinstance(value, str) and value.removesuffix("?") in TYPES:
        return value
    hint = at.nearest(value, TYPES) if isinstance(value, str) else ""
    return at.error("bad-type", f"expected one of {', '.join(TYPES)}, with or without ?, got {kind(value)}", hint)


_under_schema = record(dict, {"schema": schema}, required=("schema",))
_field_types = map_of(_field_type)


@made_of("either", _field_types, _under_schema)
def produces(value: Any, at: At) -> Any:
    """A contract: field types, or a JSON Schema under `schema` alone."""
    if not isinstance(value, dict):
        return wrong(value, at, "field types or {schema: …}", "write {name: type}")
    # `schema` alone with a mapping is a JSON Schema; with a type it is a field of that name.
    return (_under_schema if isinstance(value.get("schema"), dict) else _field_types)(value, at)
