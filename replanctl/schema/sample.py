"""A small value for a JSON Schema, as near as it gets: what a tool that was given no value is taken to return."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
_DEPTH = 8  # a schema that refers to itself is followed this far
_PARTS = 2000  # and so many values are made, and schemas looked at, in all
_LONGEST = 1000  # characters of a text
_MOST = 100  # entries of a list


def instance(schema: Any) -> Any:
    """A small value that satisfies the schema where it is simple enough; its own example where it has one."""
    return _Maker(schema).value(schema, 0)


class _Maker:
    """Makes one value, and stops following the schema when there is no end to it."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = _PARTS

    def value(self, schema: Any, depth: int) -> Any:
        """A value for this part of the schema."""
        self._left -= 1
        if not isinstance(schema, dict) or depth > _DEPTH or self._left < 0:
            return "ok"
        if "const" in schema:
            return schema["const"]
        for key in ("examples", "enum"):
            if isinstance(schema.get(key), list) and schema[key]:
                return schema[key][0]
        if "default" in schema:
            return schema["default"]
        schema = self._merged(schema, depth)
        make = _MAKERS.get(_type(schema))
        return make(self, schema, depth) if make else "ok"

    def object(self, schema: Schema, depth: int) -> Any:
        """A mapping with everything the schema names or requires."""
        properties = _dict(schema.get("properties"))
        required = [name for name in _list(schema.get("required")) if isinstance(name, str)]
        return {
            name: self.value(properties.get(name, {}), depth + 1) for name in dict.fromkeys([*properties, *required])
        }

    def array(self, schema: Schema, depth: int) -> Any:
        """A list that is just long enough."""
        heads = [self.value(item, depth + 1) for item in _list(schema.get("prefixItems"))]
        missing = min(_whole(schema.get("minItems"), 1), _MOST) - len(heads)
        return heads + [self.value(schema.get("items", {}), depth + 1) for _ in range(missing)]

    def _merged(self, schema: Schema, depth: int) -> Schema:
        """The schema with what it refers to, all of `allOf` and the first of `anyOf` and `oneOf` laid over it."""
        parts = [*_list(schema.get("allOf")), *_list(schema.get("anyOf"))[:1], *_list(schema.get("oneOf"))[:1]]
        if isinstance(reference := schema.get("$ref"), str):
            parts.append(_followed(reference, self._root))
        merged = {**schema}
        for part in parts:
            self._left -= 1
            if isinstance(part, dict) and depth < _DEPTH and self._left > 0:
                below = self._merged(part, depth + 1)
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


def _number(maker: _Maker, schema: Schema, depth: int) -> Any:
    step = schema.get("multipleOf", 1)
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + step)
    most = schema.get("maximum", schema.get("exclusiveMaximum", least + 2 * step) - step)
    value = min(max(least, step), most)
    if "multipleOf" in schema:
        value = -(-value // step) * step
    return value if math.isfinite(value) else 0


def _text(maker: _Maker, schema: Schema, depth: int) -> Any:
    least = _whole(schema.get("minLength"), 0)
    return "ok".ljust(min(least, _LONGEST), "k")[: max(_whole(schema.get("maxLength"), 2), least)]


def _whole(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) else default


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> Schema:
    return value if isinstance(value, dict) else {}


_MAKERS: dict[str, Callable[[_Maker, Schema, int], Any]] = {
    "object": _Maker.object,
    "array": _Maker.array,
    "integer": _number,
    "number": _number,
    "string": _text,
    "boolean": lambda maker, schema, depth: True,
    "null": lambda maker, schema, depth: None,
}
