"""JSON Schemas as such: whether one is sound, before anything is held against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from replanctl.schema.json_schema import Schema, complaint, dialect
from replanctl.schema.patterns import PatternError, pattern

Path = tuple[str | int, ...]
Fault = tuple[Path, str]

MOST = 1000  # mappings in a schema: jsonschema takes half a second to look at so many
_SHOWN = 60  # characters of a pattern that a message shows
_DATA = frozenset({"const", "enum", "default", "examples"})  # what stands behind these is no schema


def schema_fault(schema: Schema) -> Fault | None:
    """What is wrong with a JSON Schema itself, and where in it; None when it is sound."""
    parts = list(islice(_parts(schema), MOST + 1))
    if len(parts) > MOST:
        return (), f"it is larger than {MOST:,} mappings"
    return (
        _dialect(parts)
        or _together(parts)
        or _pattern(parts)
        or _unsound(schema)
        or _bad_reference(schema, parts)
        or _endless(schema)
    )


def _dialect(parts: Iterable[tuple[Path, Schema]]) -> Fault | None:
    for path, part in parts:
        said = part.get("$schema", "")
        if not path and not isinstance(said, str):
            return ("$schema",), "$schema: it is not text"
        if path and said and isinstance(said, str):
            return (*path, "$schema"), "a $schema inside a schema is not followed"
    return None


def _together(parts: Iterable[tuple[Path, Schema]]) -> Fault | None:
    paths = {key: (*path, key) for path, part in parts for key in part}
    if "patternProperties" in paths and "unevaluatedProperties" in paths:
        return paths["unevaluatedProperties"], "unevaluatedProperties is not followed beside patternProperties"
    return None


def _pattern(parts: Iterable[tuple[Path, Schema]]) -> Fault | None:
    """A pattern that can't be followed."""
    for path, part in parts:
        named = part.get("patternProperties")
        texts: list[tuple[Path, Any]] = [((*path, "pattern"), part.get("pattern"))]
        texts += [((*path, "patternProperties", text), text) for text in (named if isinstance(named, dict) else ())]
        for place, text in texts:
            try:
                pattern(text) if isinstance(text, str) else None
            except PatternError as error:
                return place, f"the pattern {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}: {error}"
    return None


def _unsound(schema: Schema) -> Fault | None:
    from jsonschema.exceptions import SchemaError

    try:
        dialect(schema).check_schema(schema)
    except SchemaError as error:
        path = tuple(error.absolute_path)
        return path, ": ".join(filter(None, ("/".join(map(str, path)), str(error.message))))
    except RecursionError:
        return (), "the schema is nested too deep"
    return None


def _bad_reference(schema: Schema, parts: Iterable[tuple[Path, Schema]]) -> Fault | None:
    """A reference that leads nowhere. A schema with ids of its own inside is left to the validator."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    if any("$id" in part for _, part in parts):
        return None
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for path, part in parts:
        reference = part.get("$ref")
        try:
            resolver.lookup(reference if isinstance(reference, str) else "")
        except Unresolvable:
            return (*path, "$ref"), f"{reference} is nowhere in the schema"
    return None


def _endless(schema: Schema) -> Fault | None:
    found = complaint(schema, {})
    return ((), found) if found and found.startswith("the schema ") else None


def _parts(schema: Schema) -> Iterator[tuple[Path, Schema]]:
    """Every mapping in a schema that may itself be one, and where it stands."""
    stack: list[tuple[Path, Any]] = [((), schema)]
    while stack:
        path, part = stack.pop()
        if isinstance(part, dict):
            yield path, part
            stack.extend(((*path, key), value) for key, value in part.items() if key not in _DATA)
        elif isinstance(part, list):
            stack.extend(((*path, index), value) for index, value in enumerate(part))
