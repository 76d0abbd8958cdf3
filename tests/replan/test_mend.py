"""How far two names are apart, which one was probably meant, and what a mend leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.live.graph import Graph
from replanctl.nearest import closest, edit_distance
from replanctl.plan.model import Step
from replanctl.plan.references import Reference
from replanctl.replan.mend import mend


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("rows", "rows", 0),
        ("row", "rows", 1),
        ("rwos", "rows", 2),  # two neighbours swapped are two edits
        ("Rows", "rows", 1),
        ("", "rows", 4),
        ("kitten", "sitting", 3),
        ("ab", "ba", 2),
        ("zwölf", "zwolf", 1),
    ],
)
def test_edit_distance(one: str, other: str, distance: int) -> None:
    assert (edit_distance(one, other), edit_distance(other, one)) == (distance, distance)


@pytest.mark.parametrize(
    ("name", "candidates", "found"),
    [
        ("row", [], None),
        ("row", ["rows"], "rows"),
        ("row", ["rowing", "rows"], "rows"),
        ("row", ["rowed", "rows"], "rows"),  # the nearer
        ("row", ["rowed", "crows"], "rowed"),  # the first of two as near
        ("row", ["table", "rower"], "rower"),
        ("row", ["column"], None),
        ("row", ["row", "rows"], "row"),
        ("", ["ab", "a"], "a"),
        ("1", ["12", "3"], "12"),
        ("12345", ["123"], "123"),
        ("12345", ["12"], None),
    ],
)
def test_the_closest_name(name: str, candidates: list[str], found: str | None) -> None:
    assert closest(name, candidates) == found
    assert closest(name, iter(candidates)) == found


class Standing:
    """One variable; every other step has not run yet."""

    def __init__(self, value: Any, state: str) -> None:
        self._value, self._state = value, state

    def state(self, reference: Reference) -> str:
        return self._state if reference.step_id == "1" else "pending"

    def value(self, step_id: str) -> Any:
        return self._value


def plan() -> Graph:
    graph = Graph()
    graph.commit([Step("1", "a", depends_on=()), Step("2", "b", depends_on=()), Step("3", "c", depends_on=("2",))])
    return graph


@pytest.mark.parametrize(
    ("value", "path", "mended"),
    [
        ({"rows": 1}, ".row", "#E1.rows"),
        ({"a": {"rows": 1}}, ".a.row", "#E1.a.rows"),
        ({"aa": {"rows": 1}}, ".a.row", "#E1.aa.rows"),
        ([{"rows": 1}], "[0].row", "#E1[0].rows"),
        ({1: "one", "2": "two"}, ".one", None),  # keys of a Python tool's value need not be text
        ({1: "one"}, '["1"]', None),
        ({}, ".row", None),
        (None, ".row", None),
        ("text", ".row", None),
        ({"rows": [1]}, ".row[3]", None),
    ],
)
def test_the_closest_key(value: Any, path: str, mended: str | None) -> None:
    step = Step("2", "b", {"x": f"#E1{path}"}, depends_on=())
    found = mend(step, plan(), Standing(value, "no such field"))
    assert found.step.args == {"x": mended}
    assert found.step.depends_on == ()
    assert found.warnings == (f"step 2: #E1{path} → {'null' if mended is None else mended}",)
    assert found.step.gaps == (("1",) if mended is None else ())


def test_what_can_be_read_stays_as_it_is_written() -> None:
    step = Step("2", "b", {"x": ["##E1", "<#E1> ##E1", {"y": 5, "#E1": "z"}]}, depends_on=("1",))
    found = mend(step, plan(), Standing("fine", ""))
    assert (found.step, found.warnings) == (step, ())


def test_the_same_mend_is_told_once() -> None:
    step = Step("2", "b", {"x": ["#E1", "#E1", "<#E1> and <#E1>"]}, depends_on=())
    found = mend(step, plan(), Standing(None, "failed"))
    assert found.step.args == {"x": [None, None, "<[gap: E1]> and <[gap: E1]>"]}
    assert found.warnings == ("step 2: #E1 → null", "step 2: #E1 → [gap: E1]")


def test_an_edge_is_not_added_twice() -> None:
    step = Step("3", "c", {"x": "#E2 and #E1 and #E2"}, depends_on=("2",))
    found = mend(step, plan(), Standing(None, ""))
    assert found.step.depends_on == ("2",)
    assert found.warnings == ("step 3: #E2 → #E2 after step 2",)
