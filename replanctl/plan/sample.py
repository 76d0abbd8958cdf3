"""A small value for a JSON Schema, as near as it gets: what a tool that was given no value is taken to return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
_DEPTH = 8  # a schema that refers to itself is followed this far


def instance(schema: Any) -> Any:
    """A small value that satisfies the schema where it is simple enough; its own example where it has one."""
    return _value(schema, schema, 0)


def _value(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEPTH:
        return "ok"
    if "const" in schema:
        return schema["const"]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    schema = _merged(schema, root, depth)
    make = _MAKERS.get(_type(schema))
    return make(schema, root, depth) if make else "ok"


def _merged(schema: Schema, root: Any, depth: int) -> Schema:
    """The schema with what it refers to, all of `allOf` and the first of `anyOf` and `oneOf` laid over it."""
    parts = [*_list(schema.get("allOf")), *_list(schema.get("anyOf"))[:1], *_list(schema.get("oneOf"))[:1]]
    if isinstance(reference := schema.get("$ref"), str):
        parts.append(_followed(reference, root))
    merged = {**schema}
    for part in parts:
        if isinstance(part, dict) and depth < _DEPTH:
            below = _merged(part, root, depth + 1)
            properties = {**_dict(merged.get("properties")), **_dict(below.get("properties"))}
            required = [*_list(merged.get("required")), *_list(below.get("required"))]
            merged = {**merged, **below, "properties": properties, "required": required}
    return merged


def _followed(reference: str, root: Any) -> Any:
    part = root
    for name in reference.removeprefix("#").split("/")[1:]:
        part = _dict(part).get(name.replace("~1", "/").replace("~0", "~"))
    return part


def _type(schema: Schema) -> str:
    type_ = schema.get("type")
    if isinstance(type_, list):
        type_ = next((name for name in type_ if name != "null"), "null")
    if isinstance(type_, str):
        return type_
    return "object" if schema.get("properties") or schema.get("required") else "array" if "items" in schema else ""


def _object(schema: Schema, root: Any, depth: int) -> Any:
    properties = _dict(schema.get("properties"))
    wanted = dict.fromkeys([*properties, *filter(lambda name: isinstance(name, str), _list(schema.get("required")))])
    return {name: _value(properties.get(name, {}), root, depth + 1) for name in wanted}


def _array(schema: Schema, root: Any, depth: int) -> Any:
    least = schema.get("minItems", 1)
    heads = [_value(item, root, depth + 1) for item in _list(schema.get("prefixItems"))]
    missing = min(least, 100) - len(heads) if isinstance(least, int) else 0
    return heads + [_value(schema.get("items", {}), root, depth + 1) for _ in range(missing)]


def _number(schema: Schema, root: Any, depth: int) -> Any:
    step = schema.get("multipleOf", 1)
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + step)
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 2 * step) - step)
    value = min(max(least, step), most)
    return value if "multipleOf" not in schema else -(-value // step) * step


def _text(schema: Schema, root: Any, depth: int) -> Any:
    return "ok".ljust(min(schema.get("minLength", 0), 1000), "k")[
        : max(schema.get("maxLength", 2), schema.get("minLength", 0))
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> Schema:
    return value if isinstance(value, dict) else {}


_MAKERS: dict[str, Callable[[Schema, Any, int], Any]] = {
    "object": _object,
    "array": _array,
    "integer": _number,
    "number": _number,
    "string": _text,
    "boolean": lambda schema, root, depth: True,
    "null": lambda schema, root, depth: None,
}
