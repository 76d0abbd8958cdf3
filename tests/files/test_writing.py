"""What is written loads to the same values again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replanctl.files import document_text
from replanctl.files.reader import read

_ODD = ("", "null", "true", "1", "1.5", "- a", "a: b", "#E1", "a #E1", "\u2028", "\x85", "\x7f", "\ufeff", "no", "~")
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(_ODD)
_NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.none() | st.booleans() | _NUMBERS | _TEXTS
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4), max_leaves=12
)


def back(document: dict[str, Any]) -> Any:
    read_again = read("it.yaml", document_text(document))
    assert read_again.problems() == []
    return read_again.value


@given(_VALUES, _TEXTS, st.lists(st.dictionaries(_TEXTS, _VALUES, max_size=3), max_size=3))
def test_any_value_comes_back(value: Any, text: str, entries: list[dict[str, Any]]) -> None:
    document = {
        "goal": text,
        "tools": {text: {}},
        "steps": [{"id": 1, "action": text, "tool": text, "args": {"it": value, text: [value]}, "depends_on": []}],
        "outcomes": [{"match": {"step": 1}, "returns": [{"status": "ok", "value": value}, *entries]}],
        "planner": [{"when": {"step": 1}, "steps": []}, {"when": {"step": 2}, "steps": [{"id": 2, "tool": text}]}],
    }
    assert back(document) == document


@pytest.mark.parametrize("length", [99, 101, 1000, 1100, 5000])
def test_a_long_key_comes_back(length: int) -> None:
    document = {"steps": [{"id": 1, "args": {"k" * length: {"x" * length: [1]}, "n": {}}}]}
    assert back(document) == document
