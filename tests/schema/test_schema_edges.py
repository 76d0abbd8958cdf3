"""Schemas that jsonschema chokes on, and messages that say where and why before they show a value."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from replanctl.schema import contract, schema_fault
from tests.pace import seconds_of

DRAFT_3 = "http://json-schema.org/draft-03/schema#"

FAULTS: list[tuple[dict[str, Any], tuple[Any, ...], str]] = [
    ({"$schema": "http://["}, ("$schema",), "$schema: http://[ is no address: Invalid IPv6 URL"),
    ({"$ref": "http://a]x[y#a"}, ("$ref",), "http://a]x[y#a can't be followed: "),
    ({"items": {"$ref": "http://["}}, ("items", "$ref"), "http://[ is nowhere in the schema"),
    ({"$schema": DRAFT_3, "oneOf": "x", "$ref": "#/nowhere"}, ("$ref",), "#/nowhere is nowhere in the schema"),
    ({"type": 7}, ("type",), "type: 7 is not valid under any of the given schemas"),
    ({"type": {"x" * 500: 1}}, ("type",), "type: is not valid under any of the given schemas: {'xxx"),
]


@pytest.mark.parametrize(("schema", "path", "said"), FAULTS, ids=range(len(FAULTS)))
def test_what_is_wrong_has_a_place_and_a_reason(schema: dict[str, Any], path: tuple[Any, ...], said: str) -> None:
    fault = schema_fault(schema)
    assert fault is not None
    assert fault[0] == path
    assert fault[1].startswith(said)
    assert len(fault[1]) < 300


@pytest.mark.parametrize("value", [1, "x", {"a": [1]}, None])
def test_a_draft_that_does_not_know_a_word_takes_it_for_data(value: Any) -> None:
    schema = {"$schema": DRAFT_3, "oneOf": "x", "properties": {"a": {"type": "array"}}}
    assert schema_fault(schema) is None
    assert contract.check({"schema": schema}, value) is None


ROWS = {"properties": {"rows": {"items": {"properties": {"price": {"type": "number"}}}}}}
LONG = {"k": "x" * 10_000}

SAID: list[tuple[dict[str, Any], Any, str]] = [
    (ROWS, {"rows": [{"price": "7"}]}, "rows[0].price: '7' is not of type 'number'"),
    ({"items": {"required": ["a"]}}, [{}], "[0]: 'a' is a required property"),
    ({"properties": {"odd key": {"type": "null"}}}, {"odd key": 1}, "[\"odd key\"]: 1 is not of type 'null'"),
    ({"type": "string"}, LONG, "is not of type 'string': {'k': '" + "x" * 52 + "…"),
    ({"maxLength": 3}, "x" * 10_000, "is too long: '" + "x" * 58 + "…"),
    ({"additionalProperties": False}, {"n" * 500: 1}, "Additional properties are not allowed ('nnn"),
    ({"not": {}}, LONG, "should not be valid under {}: {'k': 'xxx"),
]


@pytest.mark.parametrize(("schema", "value", "said"), SAID, ids=range(len(SAID)))
def test_the_path_comes_first_and_a_long_value_last(schema: dict[str, Any], value: Any, said: str) -> None:
    found = contract.check({"schema": schema}, value)
    assert found is not None
    assert found.startswith(said)
    assert len(found) <= 250
    assert len(found) < 150 or found.endswith("…")


def test_many_texts_share_what_a_pattern_may_take() -> None:
    schema = {"items": {"pattern": "(a?){1600}b"}}
    spent = []
    for texts in (20, 80):
        checked = partial(contract.check, {"schema": schema}, ["a" * 300] * texts)
        spent.append(seconds_of(checked, 3))
        found = checked()
        assert found == (
            "the schema holds a pattern that can't be followed: "
            "2 texts, the last of 300 characters, are too much for it"
        )
    assert max(spent) < 3
    assert contract.check({"schema": {"items": {"pattern": "^a+$"}}}, ["a" * 50] * 1000) is None
