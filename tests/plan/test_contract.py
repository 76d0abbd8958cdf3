"""What a result must look like, and what a tool takes."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.contract import check, check_args, sample
from replanctl.plan.schemas import schema_problem

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
    ({"pattern": "("}, "pattern: '(' is not a 'regex'"),
    ({"patternProperties": {"[": {}}}, "patternProperties: '[' is not a 'regex'"),
    ({"$ref": "#/$defs/b"}, "#/$defs/b is nowhere in the schema"),
    ({"items": {"$ref": "https://example.com/s.json"}}, "https://example.com/s.json is nowhere in the schema"),
    ({"$ref": "#"}, "the schema refers to itself without end"),
]


@pytest.mark.parametrize(("schema", "problem"), SCHEMAS)
def test_a_schema_is_sound_or_says_why_not(schema: dict[str, Any], problem: str | None) -> None:
    assert schema_problem(schema) == problem


def test_nothing_is_fetched_and_nothing_breaks_when_a_value_is_checked() -> None:
    away = {"$id": "https://example.com/", "$ref": "other.json"}
    assert check({"schema": away}, 1) == "the schema refers to other.json, which is nowhere in it"
    assert check({"schema": {"pattern": "("}}, "x") == (
        "the schema holds a pattern that is no regular expression: missing ), unterminated subpattern at position 0"
    )
