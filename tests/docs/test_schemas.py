"""Every key of every schema has a sentence of help that a person would write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from replanctl.cli.verbs.schema import Name, schema_of
from replanctl.host.question import _SAID as QUESTION
from replanctl.lab import said as lab
from replanctl.run import said as run
from replanctl.run.said import described

Property = tuple[str, str, dict[str, Any]]


def properties(schema: Any, above: str = "") -> Iterator[Property]:
    """Every property of a schema, wherever it stands: its path, its name, what the schema says of it."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties(each, above)
    if not isinstance(schema, dict):
        return
    for key, part in schema.items():
        if key in ("properties", "$defs"):
            for name, inner in part.items():
                if key == "properties":
                    yield f"{above}/{name}", name, inner
                yield from properties(inner, f"{above}/{name}")
        elif key not in ("enum", "const", "default", "examples"):
            yield from properties(part, above)


@pytest.mark.parametrize("name", Name)
def test_every_property_says_what_it_is_for(name: Name) -> None:
    found = list(properties(schema_of(name)))
    assert found
    assert [path for path, _, part in found if not part.get("description", "").strip()] == []


@pytest.mark.parametrize("name", Name)
def test_a_description_is_a_sentence_and_more_than_the_name(name: Name) -> None:
    for path, key, part in properties(schema_of(name)):
        said = part["description"]
        words = set(re.findall(r"[a-z]+", said.lower())) - set(re.findall(r"[a-z]+", key)) - _LITTLE
        assert said[0].isupper() or said[0] == "`", path
        assert said.endswith("."), path
        assert len(said) <= 220, path
        assert words, f"{path} only repeats its name: {said}"


_LITTLE = {"the", "a", "an", "of", "its", "this", "that", "is", "are", "s", "it"}


@pytest.mark.parametrize("name", Name)
def test_a_schema_with_help_is_still_a_schema(name: Name) -> None:
    Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize(("said", "alike", "names"), [
    (run.SAID, run.ALIKE, (Name.RESULT, Name.EVENT)), (QUESTION, {}, (Name.QUESTION,)),
    (lab.SAID, lab.ALIKE, (Name.MATRIX, Name.TUNE, Name.COMPARE, Name.STATS)),
])  # fmt: skip
def test_nothing_is_said_of_what_is_not_there(said: Any, alike: Any, names: tuple[Name, ...]) -> None:
    parts = [part for name in names for part in schema_of(name)["$defs"].items()]
    there = {(struct, field) for struct, part in parts for field in part.get("properties", ())}
    assert {(struct, field) for struct, fields in said.items() for field in fields} - there == set()
    assert set(alike) - {field for _, field in there} == set()


def test_a_field_that_nothing_is_said_of_is_refused() -> None:
    with pytest.raises(KeyError, match="brand_new"):
        described({"SessionResult": {"properties": {"brand_new": {}}}}, run.SAID)
