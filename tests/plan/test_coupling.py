"""The coupling test: whose failure takes everything with it, and whose leaves most of the plan alive."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replanctl.plan.model import Step, sequenced
from replanctl.plan.order import ON_FAILURE, Coupling, CouplingRow, coupling
from tests.pace import seconds_of


def plan(text: str) -> tuple[Step, ...]:
    """Steps given as `3:1,2` (after 1 and 2), `3:` (independent) or `3` (after the step before it)."""
    return sequenced(_step(*word.partition(":")) for word in text.split())


def _step(id_: str, given: str, after: str) -> Step:
    return Step(id_, "t", depends_on=tuple(filter(None, after.split(","))) if given else None)


# plan -> step: dependents, paralysed, coupling, on_failure
PLANS: dict[str, dict[str, tuple[int, int, str, str]]] = {
    "1": {"1": (0, 0, "strong", "replan")},  # nobody rests on it
    "1 2 3": {
        "1": (2, 2, "strong", "replan"),
        "2": (1, 1, "strong", "replan"),
        "3": (0, 0, "strong", "replan"),
    },
    # two sources and a summary: it goes on with what is left
    "1: 2: 3:1,2": {"1": (1, 0, "weak", "defer"), "2": (1, 0, "weak", "defer"), "3": (0, 0, "strong", "replan")},
    # 3 has nothing but 1 to go by
    "1: 2: 3:1 4:1,2": {
        "1": (2, 1, "strong", "replan"),
        "2": (1, 0, "weak", "defer"),
        "3": (0, 0, "strong", "replan"),
        "4": (0, 0, "strong", "replan"),
    },
    # paralysis goes on through what it paralysed: 3, then 5, which has nothing else; 4 and 6 live
    "1: 2: 3:1 4:1,2 5:3 6:4": {
        "1": (4, 2, "strong", "replan"),
        "2": (2, 0, "weak", "defer"),
        "3": (1, 1, "strong", "replan"),
        "4": (1, 1, "strong", "replan"),
        "5": (0, 0, "strong", "replan"),
        "6": (0, 0, "strong", "replan"),
    },
    # a diamond: both branches die, so does what joins them
    "1: 2:1 3:1 4:2,3": {
        "1": (3, 3, "strong", "replan"),
        "2": (1, 0, "weak", "defer"),
        "3": (1, 0, "weak", "defer"),
        "4": (0, 0, "strong", "replan"),
    },
    # two of three alive, and yet
    "1: 2: 3:1 4:1,2 5:4": {
        "1": (3, 1, "strong", "replan"),
        "2": (2, 0, "weak", "defer"),
        "3": (0, 0, "strong", "replan"),
        "4": (1, 1, "strong", "replan"),
        "5": (0, 0, "strong", "replan"),
    },
    # the list order is not the order of the graph
    "3:1,2 1: 2:": {"3": (0, 0, "strong", "replan"), "1": (1, 0, "weak", "defer"), "2": (1, 0, "weak", "defer")},
    # a dependency named twice is one
    "1: 2:1,1": {"1": (1, 1, "strong", "replan"), "2": (0, 0, "strong", "replan")},
}


@pytest.mark.parametrize(("text", "rows"), PLANS.items(), ids=PLANS)
def test_the_test(text: str, rows: dict[str, tuple[int, int, str, str]]) -> None:
    assert coupling(plan(text)) == tuple(CouplingRow(id_, *row) for id_, row in rows.items())  # type: ignore[arg-type]


def after(id_: str, needs: list[int]) -> Step:
    return Step(id_, "t", depends_on=tuple(map(str, needs)))


def by_definition(steps: list[Step], required: Collection[str]) -> tuple[CouplingRow, ...]:
    """Blank one step after the other and see what is paralysed, over and over until nothing more is."""
    return tuple(row_by_definition(step.id, steps, required) for step in steps)


def row_by_definition(blank: str, steps: list[Step], required: Collection[str]) -> CouplingRow:
    resting: set[str] = set()
    paralysed: set[str] = set()
    for _ in steps:
        resting |= {s.id for s in steps if set(s.depends_on or ()) & {blank, *resting}}
        paralysed |= {s.id for s in steps if s.depends_on and set(s.depends_on) <= {blank, *paralysed}}
    alive = len(resting) - len(paralysed)
    alone = any(blank in (s.depends_on or ()) and s.id in paralysed for s in steps)
    strong = not alive or alone or blank in required
    verdict = Coupling.STRONG if strong else Coupling.WEAK if alive > len(resting) / 2 else Coupling.MIXED
    return CouplingRow(blank, len(resting), len(paralysed), verdict, ON_FAILURE[verdict])


@st.composite
def plans(draw: st.DrawFn) -> list[Step]:
    """Steps in any list order whose dependencies hold no cycle."""
    count = draw(st.integers(1, 14))
    needs = {str(i): draw(st.lists(st.sampled_from(range(i)), max_size=3)) if i else [] for i in range(count)}
    order = draw(st.permutations(list(needs)))
    return [after(id_, needs[id_]) for id_ in order]


@given(plans(), st.sets(st.sampled_from("0123456789"), max_size=2))
def test_it_is_what_the_definition_says(steps: list[Step], required: set[str]) -> None:
    assert coupling(steps, required) == by_definition(steps, required)


def test_what_the_goal_needs_is_strong_whatever_goes_on_without_it() -> None:
    verdicts = {row.step_id: row.coupling for row in coupling(plan("1: 2: 3:1,2"), ["2", "nobody"])}
    assert verdicts == {"1": "weak", "2": "strong", "3": "strong"}


# Shapes of 10,000 steps on which walking up, or from every step down, takes the square of that.
LONG: dict[str, Callable[[int], list[int]]] = {
    "a sequence": lambda i: [i - 1] if i else [],
    "the end of a sequence and its beginning": lambda i: [i - 1] if 0 < i < 5_000 else [0, 4_999] if i else [],
    "the two before": lambda i: [j for j in (i - 1, i - 2) if j >= 0],
    "a sequence beside many sources": lambda i: [i - 1, 0] if i > 5_000 else [],
}


@pytest.mark.parametrize("shape", LONG.values(), ids=LONG)
def test_long_plans_take_no_square(shape: Callable[[int], list[int]]) -> None:
    steps = [after(str(i), shape(i)) for i in range(10_000)]
    assert seconds_of(lambda: coupling(steps), 2) < 2  # a tenth of it on an idle machine; the square takes minutes
    assert len(coupling(steps)) == 10_000


def test_dependents_are_counted_over_many_batches() -> None:
    steps = [after(str(i), LONG["the two before"](i)) for i in range(10_000)]
    assert [row.dependents for row in coupling(steps)] == list(reversed(range(10_000)))
