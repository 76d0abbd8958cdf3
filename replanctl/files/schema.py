"""JSON Schemas of the files, drawn from the very tables that read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replanctl.files import shapes, words
from replanctl.files.said import describe
from replanctl.files.sections import REQUIRED, Role, fields_of
from replanctl.files.shapes import Fields, Later, Reader
from replanctl.plan import ID_PATTERN
from replanctl.run import DIALECT, Schema, in_json_words

_TITLES = {
    Role.PLAN: ("A replanctl plan", "A goal and the steps that lead to it, and how to rehearse them."),
    Role.OUTCOMES: ("Outcomes for replanctl", "What each tool call returns, and when the goal changes."),
    Role.POLICY: ("A replanctl policy", "Retries, routing, gates, lessons and the rest of how a session is run."),
}


def file_schema(role: Role) -> Schema:
    """The schema of a file with this role, as its YAML reads in JSON."""
    title, description = _TITLES.get(role, _TITLES[Role.OUTCOMES])
    head: Schema = {"$schema": DIALECT, "title": title, "description": description}
    return (
        head
        | describe(_mapping(fields_of(role), REQUIRED.get(role, ())))
        | ({"minProperties": 1} if role is Role.OUTCOMES else {})
    )


# Every reader carries a note of what it was made of (`made_of`, and the makers in `shapes`). The schema is drawn from
# these notes, so that what an editor accepts and what is loaded can't drift apart; prose is the reader's own docstring.
def schema_of(read: Reader) -> Schema:
    """What a reader takes, as a schema."""
    # Sections that most plans lack are loaded when they are drawn, as they are when they are read.
    if isinstance(read, Later):
        return schema_of(read.loaded())
    if read in _LEAVES:
        return _described(_LEAVES[read], read)
    form, parts = read.form  # type: ignore[attr-defined]
    return _described(_FORMS[form](*parts), read)


def _described(schema: Schema, what: Any) -> Schema:
    """The schema with the first paragraph of a docstring, where it does not say itself what it is."""
    doc = getattr(what, "__doc__", None)
    if not doc or "description" in schema:
        return schema
    return {"description": in_json_words(doc), **schema}


# -- forms: by the name of what made the reader ------------------------------------------------------------------------


def _pattern(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def _whole(least: int, most: int | None = None) -> Schema:
    return {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})


def _either(*reads: Reader) -> Schema:
    return {"anyOf": [schema_of(read) for read in reads]}


def _or(schema: Schema, other: Schema) -> Schema:
    """One or the other; what the first one says of itself is said of both."""
    rest = {key: value for key, value in schema.items() if key != "description"}
    said = {"description": schema["description"]} if "description" in schema else {}
    return {**said, "anyOf": [*(rest["anyOf"] if rest.keys() == {"anyOf"} else [rest]), other]}


def _list_of(read: Reader, least: int = 0) -> Schema:
    return {"type": "array", "items": schema_of(read), **({"minItems": least} if least else {})}


def _names(read: Reader, one: bool) -> Schema:
    return _or(schema_of(read), _list_of(read)) if one else _list_of(read)


def _map_of(read: Reader, key: Reader | None) -> Schema:
    keys = {"propertyNames": schema_of(key)} if key else {}
    return {"type": "object", **keys, "additionalProperties": schema_of(read)}


def _record(make: Callable[..., Any], fields: Fields, required: tuple[str, ...]) -> Schema:
    return _described(_mapping(fields, required), None if make is dict else make)


def _mapping(fields: Fields, required: tuple[str, ...]) -> Schema:
    return {
        "type": "object",
        "properties": {name: schema_of(read) for name, read in fields.items()},
        **({"required": list(required)} if required else {}),
        "additionalProperties": False,
    }


def _one_key_of(read: Reader, keys: tuple[str, ...]) -> Schema:
    return {**schema_of(read), "oneOf": [{"required": [key]} for key in keys]}


_NULL: Schema = {"type": "null"}
# By the note that each maker of readers leaves on what it makes. A form that is missing here is a KeyError in the test
# that draws every schema.
_FORMS: dict[str, Callable[..., Schema]] = {
    "choice": lambda names: {"enum": names},
    "either": _either,
    "limit": lambda least: _or(_whole(least), _NULL),
    "list_of": _list_of,
    "map_of": _map_of,
    "names": _names,
    "numbered": lambda pattern, least: {"anyOf": [_pattern(pattern), _whole(least)]},
    "one_key_of": _one_key_of,
    "optional": lambda read: _or(schema_of(read), _NULL),
    "pattern": _pattern,
    "record": _record,
    "same": schema_of,
    "whole": _whole,
}

_WORDS: Schema = {"type": "string", "pattern": r"\S"}
_ID: Schema = _FORMS["numbered"](ID_PATTERN, 0)
_VARIABLE = _pattern(f"E{ID_PATTERN}")
# Readers that are made of nothing else.
_LEAVES: dict[Reader, Schema] = {
    shapes.anything: {},
    shapes.boolean: {"type": "boolean"},
    words.duration: {"anyOf": [{"type": "number", "minimum": 0, "maximum": words.LONGEST}, _pattern(words.DURATION)]},
    words.known_assumption: _WORDS,
    words.known_step: _ID,
    words.known_tool: _WORDS,
    words.known_variable: _VARIABLE,
    shapes.mapping: {"type": "object"},
    shapes.number: {"type": "number", "minimum": 0},
    words.step_ref: _ID,
    shapes.text: {"type": "string"},
    words.variable: _VARIABLE,
    shapes.words: _WORDS,
}
