"""Lesson books that go from trial to trial."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replanctl.errors import InputError
from replanctl.files import load_lessons, save_lessons
from replanctl.replan.lessons import Lesson

BOOK = (
    Lesson("v2 step 3 assumption: sells by quote; avoid: look: shape", 3, "v2", "3", "assumption"),
    Lesson("v1 step none goal-changed: the goal is now 'x: #E1'; avoid: none", 1, "v1", None, "goal-changed"),
)


def test_a_book_comes_back_as_it_went(tmp_path: Path) -> None:
    path = tmp_path / "lessons.yaml"
    save_lessons(path, BOOK)
    assert load_lessons(path) == BOOK
    save_lessons(path, ())
    assert (path.read_text(), load_lessons(path)) == ("lessons: []\n", ())


def test_there_may_be_no_book_yet(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("\n")
    assert load_lessons(tmp_path / "none.yaml") == load_lessons(tmp_path / "empty.yaml") == ()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip))
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    book = (Lesson(text, 1, "v1", None, "unknown"),)
    save_lessons(tmp_path / "lessons.yaml", book)
    assert load_lessons(tmp_path / "lessons.yaml") == book


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    save_lessons(tmp_path / "lessons.yaml", [Lesson("a\ud800b", 1, "v1", None, "unknown")])
    assert load_lessons(tmp_path / "lessons.yaml")[0].text == "a\ufffdb"


WRONG = [
    ("lesson: []\n", [("unknown-key", 1, 1), ("missing-key", 1, 1)]),
    ("- text: x\n", [("wrong-type", 1, 1)]),
    ("lessons: [{text: x, version: v1}]\n", [("missing-key", 1, 11)]),
    ("lessons: [{text: x, version: v1, error_type: y, count: 0}]\n", [("bad-number", 1, 56)]),
    ("lessons: {\n", [("yaml-syntax", 2, 1)]),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_a_damaged_book_is_refused(tmp_path: Path, text: str, expected: list[tuple[str, int, int]]) -> None:
    path = tmp_path / "lessons.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        load_lessons(path)
    assert [(p.rule, p.line, p.column) for p in refused.value.problems] == expected
