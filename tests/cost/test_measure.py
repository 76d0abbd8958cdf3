"""Coefficients as a run measured them."""

from __future__ import annotations

import pytest

from replanctl.cost import Coefficients, measured


@pytest.mark.parametrize(
    ("booked", "expected"),
    [
        ([], Coefficients()),
        ([("planning", 999), ("replan", 999), ("solver", 999)], Coefficients()),
        ([("execution", 100), ("execution", 201), ("re-execution", 300)], Coefficients(execution=200)),
        ([("retry", 1), ("retry", 2)], Coefficients(retry=2)),
        ([("execution", 0)], Coefficients(execution=0)),
    ],
)
def test_the_mean_of_what_was_booked(booked: list[tuple[str, int]], expected: Coefficients) -> None:
    assert measured(Coefficients(), booked) == expected
