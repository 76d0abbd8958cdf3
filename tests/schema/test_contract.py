"""What a result must look like, and what a tool takes."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.schema.contract import check, check_args, sample
from replanctl.schema.schemas import schema_fault

RESULTS: list[tuple[dict[str, Any] | None, Any, str | None]] = [
    (None, None, None),
    ({}, "ok", None),
    ({"rows": "list"}, {"rows": [1]}, None),
    ({"rows": "list"}, {"rows": [1], "more": None}, None),
    ({"rows": "list"}, {"rows": (1,)}, None),
    ({"rows": "list"}, {"rows": None}, "rows: expected list, got null"),
    ({"rows": "list"}, {"rows": []}, "rows: expected list, got empty list"),
    ({"rows": "list"}, {"rows": "x"}, "rows: expected list, got str"),
    ({"rows": "list"}, {}, "no field named rows"),
    ({"rows": "list"}, "ok", "no field named rows"),
    ({"rows": "list"}, None, "no field named rows"),
    ({"rows": "list?"}, {"rows": None}, None),
    ({"rows": "list?"}, {"rows": []}, None),
    ({"rows": "list?"}, {"rows": ""}, "rows: expected list?, got empty str"),
    ({"rows": "list?"}, {}, "no field named rows"),
    ({"a": "any"}, {"a": 0}, None),
    ({"a": "any"}, {"a": False}, None),
    ({"a": "any"}, {"a": None}, "a: expected any, got null"),
    ({"a": "any"}, {"a": ""}, "a: expected any, got empty str"),
    ({"a": "any?"}, {"a": None}, None),
    ({"a": "any?"}, {"a": {}}, None),
    ({"a": "str"}, {"a": "x"}, None),
    ({"a": "str"}, {"a": ""}, "a: expected str, got empty str"),
    ({"a": "dict"}, {"a": {"b": 1}}, None),
    ({"a": "dict"}, {"a": {}}, "a: expected dict, got empty dict"),
    ({"a": "int"}, {"a": 0}, None),
    ({"a": "int"}, {"a": True}, "a: expected int, got bool"),
    ({"a": "int"}, {"a": 1.0}, "a: expected int, got float"),
    ({"a": "float"}, {"a": 1}, None),
    ({"a": "float"}, {"a": 0.0}, None),
    ({"a": "float"}, {"a": True}, "a: expected float, got bool"),
    ({"a": "bool"}, {"a": False}, None),
    ({"a": "bool"}, {"a": 0}, "a: expected bool, got int"),
    ({"a": "int", "b": "int"}, {"b": "x"}, "no field named a"),
    ({"schema": "str"}, {"schema": "x"}, None),
    ({"schema": {"type": "object", "required": ["a"]}}, {"a": 1}, None),
    ({"schema": {"type": "object", "required": ["a"]}}, {}, "'a' is a required property"),
    ({"schema": {"type": "string"}}, 5, "5 is not of type 'string'"),
    ({"schema": {"pattern": "^a+$"}}, "aaa", None),
    ({"schema": {"pattern": "^a+$"}}, 5, None),
    ({"schema": {"pattern": "^a+$"}}, "ab", "'ab' does not match '^a+$'"),
    ({"schema": {"patternProperties": {"^x": {"type": "null"}}}}, {"x1": None, "y": 1}, None),
    ({"schema": {"patternProperties": {"^x": {"type": "null"}}}}, {"x1": 1}, "1 is not of type 'null'"),
    ({"schema": {"patternProperties": {"^x": {}}, "additionalProperties": False}}, {"x1": 1}, None),
    (
        {"schema": {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False}},
        {"a": 0, "x1": 1, "y": 2},
        "Additional properties are not allowed ('y' was unexpected)",
    ),
    (
        {"schema": {"patternProperties": {"^x": {}}, "additionalProperties": {"type": "null"}}},
        {"x": 1, "y": None},
        None,
    ),
    ({"schema": {"uniqueItems": True}}, [1, "1", True, [1], {"a": 1}, {"a": 2}], None),
    ({"schema": {"uniqueItems": True}}, [1, 1.0], "[1, 1.0] has non-unique elements"),
    (
        {"schema": {"uniqueItems": True}},
        [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
        "[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}] has non-unique elements",
    ),
    ({"schema": {"uniqueItems": False}}, [1, 1], None),
    ({"schema": {"enum": [1, "a", [2]]}}, 1.0, None),
    ({"schema": {"enum": [1, "a", [2]]}}, [2], None),
    ({"schema": {"enum": [1, "a", [2]]}}, True, "True is not one of [1, 'a', [2]]"),
    ({"schema": {"items": {"enum": list(range(22))}}}, [3, 22], f"22 is not one of {list(range(20))} and 2 more"),
    ({"schema": {"format": "email"}}, "nobody", None),
]


@pytest.mark.parametrize(("produces", "value", "complaint"), RESULTS)
def test_a_result_is_held_against_its_contract(
    produces: dict[str, Any] | None, value: Any, complaint: str | None
) -> None:
    assert check(produces, value) == complaint


def test_args_are_held_against_the_tools_schema() -> None:
    schema = {"type": "object", "required": ["vendor"], "properties": {"vendor": {"type": "string"}}}
    assert check_args(None, {}) is None
    assert check_args(schema, {"vendor": "A"}) is None
    assert check_args(schema, {}) == "'vendor' is a required property"
    assert check_args(schema, {"vendor": 5}) == "5 is not of type 'string'"


SAMPLES: list[tuple[dict[str, Any] | None, Any]] = [
    (None, "ok"),
    ({}, "ok"),
    ({"rows": "list", "n": "int?", "any": "any"}, {"rows": ["ok"], "n": 1, "any": "ok"}),
    ({"f": "float", "b": "bool", "d": "dict", "s": "str"}, {"f": 1.0, "b": True, "d": {"ok": True}, "s": "ok"}),
    ({"schema": {}}, "ok"),
    ({"schema": {"type": "object", "required": ["a"], "properties": {"b": {"type": "null"}}}}, {"b": None, "a": "ok"}),
    ({"schema": {"type": "array", "items": {"type": "integer", "minimum": 7}, "minItems": 2}}, [7, 7]),
    ({"schema": {"type": "array", "prefixItems": [{"const": 1}, {"enum": ["a"]}]}}, [1, "a"]),
    ({"schema": {"type": "string", "minLength": 4}}, "okkk"),
    ({"schema": {"type": "string", "maxLength": 1}}, "o"),
    ({"schema": {"type": ["null", "boolean"]}}, True),
    ({"schema": {"type": "integer", "multipleOf": 5, "minimum": 7}}, 10),
    ({"schema": {"type": "integer", "exclusiveMinimum": 3}}, 4),
    ({"schema": {"type": "number", "maximum": -2}}, -2),
    ({"schema": {"anyOf": [{"type": "boolean"}, {"type": "string"}]}}, True),
    ({"schema": {"allOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"}}, {"a": "ok", "b": "ok"}),
    ({"schema": {"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}}, 1),
    ({"schema": {"default": [], "type": "array"}}, []),
    ({"schema": {"type": "array", "minItems": 2.0}}, ["ok", "ok"]),
    ({"schema": {"type": "string", "minLength": 3.0}}, "okk"),
    ({"schema": {"examples": [{"x": 1}], "type": "object"}}, {"x": 1}),
]


@pytest.mark.parametrize(("produces", "value"), SAMPLES)
def test_a_sample_satisfies_its_contract(produces: dict[str, Any] | None, value: Any) -> None:
    assert sample(produces) == value
    assert check(produces, value) is None


def test_a_sample_of_an_endless_schema_ends() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    assert isinstance(sample({"schema": schema}), dict)


SCHEMAS: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"type": "object", "properties": {"pattern": {"type": "string"}}}, None),
    ({"const": {"pattern": "(", "$ref": "#/none"}}, None),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}, None),
    ({"properties": {"next": {"$ref": "#"}}}, None),
    ({"type": "objct"}, "type: 'objct' is not valid under any of the given schemas"),
    ({"pattern": "("}, "the pattern (: missing ), unterminated subpattern at position 0"),
    ({"patternProperties": {"[": {}}}, "the pattern [: unterminated character set at position 0"),
    ({"$ref": "#/$defs/b"}, "#/$defs/b is nowhere in the schema"),
    ({"items": {"$ref": "https://example.com/s.json"}}, "https://example.com/s.json is nowhere in the schema"),
    ({"$ref": "#"}, "the schema refers to itself without end"),
    ({"$schema": 5}, "$schema: it is not text"),
    ({"not": {"$schema": "http://json-schema.org/draft-07/schema#"}}, "a $schema inside a schema is not followed"),
    ({"properties": {"$schema": {"type": "string"}}}, None),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#"}}}, None),
    ({"allOf": [{"patternProperties": {}}], "unevaluatedProperties": False},
     "unevaluatedProperties is not followed beside patternProperties"),
    ({"anyOf": [{"const": 1}] * 1000}, "it is larger than 1,000 mappings"),
    ({"$id": "http://["}, None),
    ({"$id": "http://[", "$ref": "x"}, "the schema can't be used: Invalid IPv6 URL"),
    ({"$defs": {**{f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}, "a40": {}},
      "$ref": "#/$defs/a0"}, "the schema takes too long to check"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "problem"), SCHEMAS)
def test_a_schema_is_sound_or_says_why_not(schema: dict[str, Any], problem: str | None) -> None:
    fault = schema_fault(schema)
    assert (fault and fault[1]) == problem


def test_a_fault_in_a_schema_has_its_place() -> None:
    assert schema_fault({"properties": {"a": {"items": {"type": "objct"}}}}) == (
        ("properties", "a", "items", "type"),
        "properties/a/items/type: 'objct' is not valid under any of the given schemas",
    )
    assert schema_fault({"allOf": [{}, {"pattern": "("}]}) == (
        ("allOf", 1, "pattern"),
        "the pattern (: missing ), unterminated subpattern at position 0",
    )


@pytest.mark.parametrize("dialect", ["draft-07/schema#", "draft-04/schema#"])
def test_a_dialect_is_kept_to_and_bounded_too(dialect: str) -> None:
    schema = {
        "$schema": f"http://json-schema.org/{dialect}",
        "definitions": {"word": {"type": "string", "pattern": "^(a+)+$"}},
        "type": "array",
        "items": {"anyOf": [{"$ref": "#/definitions/word"}, {"$ref": "#"}]},
    }
    assert schema_fault(schema) is None
    text = "a" * 40 + "!"
    assert check({"schema": schema}, [["a"]]) is None
    assert check({"schema": schema}, [text]) == f"'{text}' does not match '^(a+)+$'"


def test_a_sample_of_a_large_schema_ends_too() -> None:
    schema: dict[str, Any] = {}
    for _ in range(8):
        schema = {"type": "array", "minItems": 100, "items": schema}
    assert len(str(sample({"schema": schema}))) < 100_000


def test_nothing_is_fetched_and_nothing_breaks_when_a_value_is_checked() -> None:
    away = {"$id": "https://example.com/", "$ref": "other.json"}
    assert check({"schema": away}, 1) == "the schema refers to other.json, which is nowhere in it"
    assert check({"schema": {"pattern": "("}}, "x") == (
        "the schema holds a pattern that can't be followed: missing ), unterminated subpattern at position 0"
    )
