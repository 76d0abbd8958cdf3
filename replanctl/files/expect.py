"""`expect:` blocks, checked against what a result can be: keys it does not have, values it never takes.

The shape is the result's own JSON Schema (`replanctl schema result`), so that nothing about results is said twice.
Besides it `exit` is the exit code, `replans` the number of replans, and a number in the place of a list its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from replanctl.files.faults import At
from replanctl.files.shapes import kind, shown
from replanctl.run import Schema, result_schema

COMPARISON = re.compile(r"\s*(<=|>=|<|>|!=)\s*(.*?)\s*", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

# What can be asked for beside what the result holds. A session ends with 0 or 1; all other codes are of runs that never
# were one.
_ADDED: dict[str, Schema] = {"exit": {"enum": [0, 1]}, "replans": {"type": "integer", "minimum": 0}}
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
}


def check_expect(value: Any, at: At) -> None:
    """Note what of an `expect:` block no result can ever be."""
    schema = result_schema()
    whole = schema["$defs"]["SessionResult"]
    whole = {**whole, "properties": {**whole["properties"], **_ADDED}}
    _Expected(schema["$defs"]).check(value, whole, at)


# An expectation that no result can meet passes for a test and tests nothing but the author's spelling. So a block is
# held against the result's own schema when it is loaded, before anything is run; what the schema leaves open (a step's
# own result) may be anything.
class _Expected:
    """A walk over an expected value beside the schema of what will be there."""

    def __init__(self, parts: dict[str, Schema]) -> None:
        self.parts = parts

    def check(self, value: Any, schema: Schema, at: At) -> None:
        """Note what of this value the schema rules out."""
        kinds = list(self._kinds(schema))
        # The schema of what may be anything is an empty one, such as that of a step's own result.
        if not all(kinds):
            return  # anything may be there
        if isinstance(value, dict):
            self._check_mapping(value, kinds, at)
        elif isinstance(value, list):
            self._check_list(value, kinds, at)
        elif not any(_possible(value, each) for each in kinds):
            self._never(value, kinds, at)

    def _kinds(self, schema: Schema) -> Iterator[Schema]:
        if "$ref" in schema:
            yield from self._kinds(self.parts[schema["$ref"].rpartition("/")[2]])
        elif "anyOf" in schema:
            for each in schema["anyOf"]:
                yield from self._kinds(each)
        else:
            yield {key: part for key, part in schema.items() if key not in ("title", "description")}

    def _check_mapping(self, value: dict[str, Any], kinds: list[Schema], at: At) -> None:
        schema = next((each for each in kinds if each.get("type") == "object"), None)
        if schema is None:
            return self._never(value, kinds, at)
        fields, others = schema.get("properties"), schema.get("additionalProperties", {})
        for key, item in value.items():
            if fields is None:
                self.check(item, others if isinstance(others, dict) else {}, at[key])
            elif key in fields:
                self.check(item, fields[key], at[key])
            else:
                why = f"the result has no field {shown(key)} here"
                at.key(key).error("unknown-key", why, at.nearest(key, fields, few=20))
        return None

    def _check_list(self, value: list[Any], kinds: list[Schema], at: At) -> None:
        schema = next((each for each in kinds if each.get("type") == "array"), None)
        if schema is None:
            return self._never(value, kinds, at)
        for index, item in enumerate(value):
            self.check(item, schema.get("items", {}), at[index])
        return None

    def _never(self, value: Any, kinds: list[Schema], at: At) -> None:
        words = [word for each in kinds for word in each.get("enum", ())]
        # The words where there is a closed list of them, else the types: whichever tells the author what to write.
        can_be = ", ".join(map(shown, words)) or " or ".join(_described(each) for each in kinds)
        compared = COMPARISON.fullmatch(value) if isinstance(value, str) else None
        said = compared[2] if compared else value
        hint = at.nearest(said, [word for word in words if isinstance(word, str)], few=0)
        at.error("never-met", f"this is never {kind(value)}; it can be {can_be}", hint)


def _possible(value: Any, schema: Schema) -> bool:
    """Whether what the schema describes can be equal to a scalar, or be on the right side of a comparison."""
    compared = COMPARISON.fullmatch(value) if isinstance(value, str) else None
    # Numbers are compared; words only told apart; lists counted. A text may be compared with anything.
    words, type_ = _words(schema), schema.get("type", "")
    counted = type_ in ("array", "integer", "number") or any(isinstance(word, int) for word in words)
    if compared and counted:
        return NUMBER.fullmatch(compared[2]) is not None
    if compared and words:
        return compared[1] == "!=" and compared[2] in words
    if type_ == "array":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if words:
        return any(value == word and isinstance(value, bool) == isinstance(word, bool) for word in words)
    if not _is(value, type_):
        return False
    return compared is not None or "pattern" not in schema or re.search(schema["pattern"], value) is not None


def _words(schema: Schema) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def _is(value: Any, type_: str) -> bool:
    found = _TYPES.get(type_, ())
    return isinstance(value, found) and (bool in found or not isinstance(value, bool))


def _described(schema: Schema) -> str:
    if "const" in schema:
        return shown(schema["const"])
    if "pattern" in schema:
        return f"text such as {schema['pattern']}"
    return {"array": "a list, or how many are in it", "object": "a mapping", "null": "nothing (null)"}.get(
        schema.get("type", ""), str(schema.get("type"))
    )
