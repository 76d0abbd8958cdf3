"""What a step promises to produce, and what a tool takes: checked on every result and every call.

A contract is `{field: type}` (`any str int float bool list dict`, with `?` for "may be null or empty"), or a JSON
Schema under `schema`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]

_CHECKS: dict[str, Check] = {
    "any": lambda value: True,
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list | tuple),
    "dict": lambda value: isinstance(value, dict),
}
_SAMPLES: dict[str, Any] = {
    "any": "ok",
    "str": "ok",
    "int": 1,
    "float": 1.0,
    "bool": True,
    "list": ["ok"],
    "dict": {"ok": True},
}
_KINDS = ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"), (list | tuple, "list"), (dict, "dict"))
TYPES = tuple(_CHECKS)


def schema_of(produces: dict[str, Any] | None) -> dict[str, Any] | None:
    """The JSON Schema of a contract; None where it is a list of fields, or there is none."""
    schema = produces.get("schema") if produces else None
    return schema if isinstance(schema, dict) else None


def check(produces: dict[str, Any] | None, value: Any) -> str | None:
    """What is wrong with a result, or None: `rows: expected list, got null`, `no field named rows`."""
    if not produces:
        return None
    if (schema := schema_of(produces)) is not None:
        return _complaint(schema, value)
    for field, type_ in produces.items():
        if not isinstance(value, dict) or field not in value:
            return f"no field named {field}"
        if not _fits(type_, value[field]):
            return f"{field}: expected {type_}, got {_kind(value[field])}"
    return None


def check_args(schema: dict[str, Any] | None, args: dict[str, Any]) -> str | None:
    """What a tool's schema says against these args, or None."""
    return None if schema is None else _complaint(schema, args)


def _complaint(schema: dict[str, Any], value: Any) -> str | None:
    from replanctl.schema.json_schema import complaint  # most plans have no JSON Schema, and don't pay for it

    return complaint(schema, value)


def sample(produces: dict[str, Any] | None) -> Any:
    """A small value that satisfies the contract; "ok" when there is none. For a JSON Schema: as near as it gets."""
    if not produces:
        return "ok"
    if (schema := schema_of(produces)) is not None:
        from replanctl.schema.sample import instance

        return instance(schema)
    return {field: _SAMPLES[type_.removesuffix("?")] for field, type_ in produces.items()}


def _fits(type_: str, value: Any) -> bool:
    name = type_.removesuffix("?")
    if value is None or (isinstance(value, str | list | tuple | dict) and not value):
        return name != type_ and (value is None or _CHECKS[name](value))
    return _CHECKS[name](value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    name = next((name for kind, name in _KINDS if isinstance(value, kind)), type(value).__name__)
    return f"empty {name}" if isinstance(value, str | list | tuple | dict) and not value else name
