"""JSON Schemas, read by jsonschema but within bounds: nothing is fetched, and nothing takes for ever.

What a value may take to check grows with its size alone. Patterns are matched by `patterns`, not by `re`. Validators
are made once for each schema object, and jsonschema is imported only where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from replanctl.schema.patterns import PatternError, pattern

Schema = dict[str, Any]
_Keyword = Callable[[Any, Any, Any, Schema], Any]

_LEAST, _MORE = 10_000, 100  # keywords looked at for any value, and more for each value in it
_LISTED = 100  # entries of a list or mapping, such as of `required`, that take as long as a keyword
_SHOWN = 20  # values of an `enum` that a message lists
_KEPT = 256  # validators held; a process that makes more schemas than this starts over
_validators: dict[int, tuple[Schema, Any]] = {}


class _TooMuchError(Exception):
    """More work than a value of this size may take."""


class _Work:
    """What checking one value may still take. It goes where the validator goes, in the place of a format checker."""

    def __init__(self, value: Any) -> None:
        self._left = _LEAST + _MORE * _size(value)
        self._enums: dict[int, frozenset[Any]] = {}

    def check(self, value: Any, format_: str) -> None:
        """Formats are annotations."""

    def spend(self, given: Any) -> None:
        """Take one look at a keyword that was given this."""
        self._left -= 1 + (len(given) // _LISTED if isinstance(given, list | dict) else 0)
        if self._left < 0:
            raise _TooMuchError

    def among(self, values: list[Any], value: Any) -> bool:
        """Whether a value is one of these; what they are is worked out once."""
        if id(values) not in self._enums:
            self._enums[id(values)] = frozenset(map(_identity, values))
        return _identity(value) in self._enums[id(values)]


def complaint(schema: Schema, value: Any) -> str | None:
    """What a JSON Schema says against a value, or None."""
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    try:
        error = best_match(validator(schema).evolve(format_checker=_Work(value)).iter_errors(value))
    except RecursionError:
        return "the schema refers to itself without end"
    except _TooMuchError:
        return "the schema takes too long to check"
    except Unresolvable as unknown:
        return f"the schema refers to {unknown.ref}, which is nowhere in it"
    except PatternError as broken:
        return f"the schema holds a pattern that can't be followed: {broken}"
    except Exception as error:  # what jsonschema rests on raises whatever it likes, over odd URIs for one
        return f"the schema can't be used: {error}"
    return None if error is None else str(error.message)


def validator(schema: Schema) -> Any:
    """The validator of a schema; the same one each time for the same object."""
    held = _validators.get(id(schema))
    if held is None or held[0] is not schema:
        if len(_validators) >= _KEPT:
            _validators.clear()
        held = _validators[id(schema)] = (schema, _new_validator(schema))
    return held[1]


def dialect(schema: Schema) -> Any:
    """jsonschema's validator class for the dialect that a schema says it is written in."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(schema, default=Draft202012Validator)


def _new_validator(schema: Schema) -> Any:
    from referencing import Registry

    # Without its dialect, which would bring back jsonschema's own class at the next reference.
    undated = {key: value for key, value in schema.items() if key != "$schema"}
    return _bounded(dialect(schema))(undated, registry=Registry())  # an empty registry: nothing is fetched


@cache
def _bounded(kind: Any) -> Any:
    """The same validator class with every keyword counted, and those that may take for ever replaced."""
    from jsonschema.validators import extend

    keywords = {name: _REPLACED.get(name, keyword) for name, keyword in kind.VALIDATORS.items()}
    if "additionalProperties" in keywords:
        keywords["additionalProperties"] = _additional(keywords["additionalProperties"])
    counted = {name: _counted(keyword) for name, keyword in keywords.items()}
    return extend(kind, counted)  # type: ignore[no-untyped-call]


def _counted(keyword: _Keyword) -> _Keyword:
    def look(validator: Any, given: Any, value: Any, schema: Schema) -> Any:
        validator.format_checker.spend(given)
        return keyword(validator, given, value, schema)

    return look


# -- keywords ---------------------------------------------------------------------------------------------------------


def _pattern(validator: Any, given: Any, value: Any, schema: Schema) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(value, str) and not pattern(given).found_in(value):
        yield ValidationError(f"{value!r} does not match {given!r}")


def _pattern_properties(validator: Any, given: Any, value: Any, schema: Schema) -> Iterator[Any]:
    for text, below in given.items():
        for name in _matching(value, [text]):
            yield from validator.descend(value[name], below, path=name, schema_path=text)


def _additional(original: _Keyword) -> _Keyword:
    """`additionalProperties`, for what no pattern of the same schema is for."""

    def additional(validator: Any, given: Any, value: Any, schema: Schema) -> Any:
        matched = set(_matching(value, schema.get("patternProperties", ())))
        if matched:
            value = {name: item for name, item in value.items() if name not in matched}
        return original(validator, given, value, {"properties": schema.get("properties", {})})

    return additional


def _matching(value: Any, patterns: Iterable[str]) -> list[str]:
    """The names of a mapping that one of the patterns matches."""
    if not isinstance(value, dict):
        return []
    searches = [pattern(text) for text in patterns]
    return [name for name in value if any(search.found_in(name) for search in searches)]


def _enum(validator: Any, given: Any, value: Any, schema: Schema) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if not validator.format_checker.among(given, value):
        more = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
        yield ValidationError(f"{value!r} is not one of {given[:_SHOWN]!r}{more}")


def _unique_items(validator: Any, given: Any, value: Any, schema: Schema) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if given and isinstance(value, list) and len(set(map(_identity, value))) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


def _identity(value: Any) -> Any:
    """What equal values share, and no others: 1 is 1.0, and neither is true."""
    if isinstance(value, dict):
        return frozenset((name, _identity(item)) for name, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_identity, value))
    return (bool, value) if isinstance(value, bool) else value


_REPLACED: dict[str, _Keyword] = {
    "enum": _enum,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}


def _size(value: Any) -> int:
    """How many values there are in a value, itself included."""
    count, stack = 0, [value]
    while stack:
        item = stack.pop()
        count += 1
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return count
