"""JSON Schemas as such: whether one is sound, before anything is held against it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replanctl.plan.contract import complaint, validator

_DATA = frozenset({"const", "enum", "default", "examples"})  # what stands behind these is no schema


def schema_problem(schema: dict[str, Any]) -> str | None:
    """What is wrong with a JSON Schema itself, or None."""
    from jsonschema.exceptions import SchemaError

    try:
        type(validator(schema)).check_schema(schema)
    except SchemaError as error:
        where = "/".join(map(str, error.absolute_path))
        return f"{where}: {error.message}" if where else str(error.message)
    except RecursionError:
        return "the schema is nested too deep"
    return _bad_reference(schema) or _endless(schema)


def _bad_reference(schema: dict[str, Any]) -> str | None:
    """A reference that leads nowhere. A schema with ids of its own inside is left to the validator."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    parts = list(_parts(schema))
    if any("$id" in part for part in parts):
        return None
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for part in parts:
        reference = part.get("$ref")
        try:
            resolver.lookup(reference if isinstance(reference, str) else "")
        except Unresolvable:
            return f"{reference} is nowhere in the schema"
    return None


def _endless(schema: dict[str, Any]) -> str | None:
    found = complaint(schema, {})
    return found if found and found.startswith("the schema ") else None


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a schema that may itself be one."""
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            yield part
            stack.extend(value for key, value in part.items() if key not in _DATA)
        elif isinstance(part, list):
            stack.extend(part)
