"""The coupling test: by hand on small plans, against its definition on random ones, and fast on long ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replanctl.plan.coupling import ON_FAILURE, Coupling, CouplingRow, coupling
from replanctl.plan.model import Step

STRONG, WEAK, MIXED = Coupling

# What each step depends on, and of each step: dependents, paralysed, verdict.
TABLE: dict[str, tuple[dict[str, list[str]], dict[str, tuple[int, int, Coupling]]]] = {
    "one step": ({"1": []}, {"1": (0, 0, STRONG)}),
    "a sequence": (
        {"1": [], "2": ["1"], "3": ["2"]},
        {"1": (2, 2, STRONG), "2": (1, 1, STRONG), "3": (0, 0, STRONG)},
    ),
    "sources of one summary": (
        {"1": [], "2": [], "3": ["1", "2"]},
        {"1": (1, 0, WEAK), "2": (1, 0, WEAK), "3": (0, 0, STRONG)},
    ),
    "half alive is mixed": (
        {"1": [], "2": [], "3": ["1"], "4": ["3", "2"]},
        {"1": (2, 1, MIXED), "2": (1, 0, WEAK), "3": (1, 0, WEAK), "4": (0, 0, STRONG)},
    ),
    "a diamond": (
        {"1": [], "2": ["1"], "3": ["1"], "4": ["2", "3"]},
        {"1": (3, 3, STRONG), "2": (1, 0, WEAK), "3": (1, 0, WEAK), "4": (0, 0, STRONG)},
    ),
    "listed before what it depends on": (
        {"b": ["a"], "a": []},
        {"b": (0, 0, STRONG), "a": (1, 1, STRONG)},
    ),
    "a dependency named twice": ({"1": [], "2": ["1", "1"]}, {"1": (1, 1, STRONG), "2": (0, 0, STRONG)}),
}  # fmt: skip


def plan(needs: dict[str, list[str]]) -> list[Step]:
    return [Step(id_, "tool", depends_on=tuple(depends_on)) for id_, depends_on in needs.items()]


def by_definition(steps: list[Step]) -> tuple[CouplingRow, ...]:
    """Blank one step after the other and see what is paralysed, over and over until nothing more is."""
    return tuple(row_by_definition(step.id, steps) for step in steps)


def row_by_definition(blank: str, steps: list[Step]) -> CouplingRow:
    resting: set[str] = set()
    paralysed: set[str] = set()
    for _ in steps:
        resting |= {s.id for s in steps if set(s.depends_on or ()) & {blank, *resting}}
        paralysed |= {s.id for s in steps if s.depends_on and set(s.depends_on) <= {blank, *paralysed}}
    alive = len(resting) - len(paralysed)
    verdict = STRONG if not alive else WEAK if alive > len(resting) / 2 else MIXED
    return CouplingRow(blank, len(resting), len(paralysed), verdict, ON_FAILURE[verdict])


@st.composite
def plans(draw: st.DrawFn) -> list[Step]:
    """Steps in any list order whose dependencies hold no cycle."""
    count = draw(st.integers(1, 14))
    needs = {str(i): draw(st.lists(st.sampled_from(range(i)), max_size=3)) if i else [] for i in range(count)}
    order = draw(st.permutations(list(needs)))
    return plan({id_: [str(need) for need in needs[id_]] for id_ in order})


@pytest.mark.parametrize(("needs", "expected"), TABLE.values(), ids=TABLE)
def test_the_test_by_hand(needs: dict[str, list[str]], expected: dict[str, tuple[int, int, Coupling]]) -> None:
    assert coupling(plan(needs)) == tuple(
        CouplingRow(id_, dependents, paralysed, verdict, ON_FAILURE[verdict])
        for id_, (dependents, paralysed, verdict) in expected.items()
    )


@given(plans())
def test_it_is_what_the_definition_says(steps: list[Step]) -> None:
    assert coupling(steps) == by_definition(steps)


# Shapes of 10,000 steps on which walking up, or from every step down, takes the square of that.
LONG = {
    "a sequence": lambda i: [i - 1] if i else [],
    "the end of a sequence and its beginning": lambda i: [i - 1] if 0 < i < 5_000 else [0, 4_999] if i else [],
    "the two before": lambda i: [j for j in (i - 1, i - 2) if j >= 0],
    "a sequence beside many sources": lambda i: [i - 1, 0] if i > 5_000 else [],
}


@pytest.mark.parametrize("shape", LONG.values(), ids=LONG)
def test_long_plans_take_no_square(shape: object) -> None:
    assert callable(shape)
    steps = plan({str(i): [str(j) for j in shape(i)] for i in range(10_000)})
    began = time.process_time()
    rows = coupling(steps)
    assert time.process_time() - began < 2.0  # a tenth of it on an idle machine; the square takes minutes
    assert len(rows) == 10_000


def test_dependents_are_counted_over_many_batches() -> None:
    steps = plan({str(i): [str(j) for j in (i - 1, i - 2) if j >= 0] for i in range(10_000)})
    assert [row.dependents for row in coupling(steps)] == list(reversed(range(10_000)))
