"""Cycles and covered dependencies, by position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replanctl.plan.order import cycles, in_order, uncovered

CYCLES: list[tuple[list[list[int]], list[list[int]]]] = [
    ([], []),
    ([[], [0], [0, 1]], []),
    ([[0]], [[0]]),
    ([[1], [0]], [[0, 1]]),
    ([[1], [2], [1]], [[1, 2]]),
    ([[1], [0], [3], [2]], [[0, 1], [2, 3]]),
    ([[2], [2], []], []),
]


@pytest.mark.parametrize(("needs", "expected"), CYCLES)
def test_cycles_are_paths(needs: list[list[int]], expected: list[list[int]]) -> None:
    assert cycles(needs) == expected


def test_a_long_sequence_needs_no_recursion() -> None:
    size = 100_000
    forward = [[i + 1] if i + 1 < size else [] for i in range(size)]
    assert cycles(forward) == []
    assert in_order(forward) == list(range(size - 1, -1, -1))
    assert uncovered(forward, [(0, size - 1), (size - 1, 0)]) == {(size - 1, 0)}


@st.composite
def plans(draw: st.DrawFn) -> list[list[int]]:
    """Needs without a cycle, shuffled so that list order is not the order of dependencies."""
    size = draw(st.integers(1, 9))
    place = draw(st.permutations(range(size)))
    needs: list[list[int]] = [[] for _ in range(size)]
    for later in range(1, size):
        for earlier in draw(st.sets(st.integers(0, later - 1), max_size=3)):
            needs[place[later]].append(place[earlier])
    return needs


def rests_on(needs: list[list[int]], step: int, other: int) -> bool:
    """The plain definition."""
    return any(need == other or rests_on(needs, need, other) for need in needs[step])


@given(needs=plans())
def test_every_plan(needs: list[list[int]]) -> None:
    order = in_order(needs)
    assert sorted(order) == list(range(len(needs)))
    assert all(order.index(need) < order.index(step) for step, own in enumerate(needs) for need in own)
    assert cycles(needs) == []
    pairs = [(step, other) for step in range(len(needs)) for other in range(len(needs))]
    assert uncovered(needs, pairs) == {pair for pair in pairs if not rests_on(needs, *pair)}
