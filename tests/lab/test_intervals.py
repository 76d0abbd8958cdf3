"""Intervals and tests of counts, against figures of scipy's, and against scipy itself where it is installed."""

from __future__ import annotations

import pytest

from replanctl.lab import clopper_pearson, sign_test, wilson

# hits, trials, and the exact 95 % interval as scipy 1.17 gives it.
EXACT = [
    (0, 10, 0.0, 0.30849710781876083),
    (10, 10, 0.6915028921812392, 1.0),
    (5, 14, 0.127598429859, 0.648619889384),
    (14, 282, 0.027403961393, 0.081894375416),
    (0, 0, 0.0, 1.0),
]


@pytest.mark.parametrize(("hits", "trials", "low", "high"), EXACT)
def test_clopper_and_pearson(hits: int, trials: int, low: float, high: float) -> None:
    assert clopper_pearson(hits, trials) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("trials", [1, 7, 40, 1000, 100_000])
def test_every_interval_is_scipy_s(trials: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    for hits in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
        exact = stats.binomtest(hits, trials).proportion_ci(method="exact")
        assert clopper_pearson(hits, trials) == pytest.approx((exact.low, exact.high), abs=1e-9)
        score = stats.binomtest(hits, trials).proportion_ci(method="wilson")
        assert wilson(hits, trials) == pytest.approx((score.low, score.high), abs=1e-9)


def test_no_share_is_larger_than_all() -> None:
    with pytest.raises(ValueError, match="3 of 2 is no share"):
        clopper_pearson(3, 2)


@pytest.mark.parametrize(("better", "worse", "chance"), [(0, 0, 1.0), (1, 6, 0.125), (5, 5, 1.0), (0, 8, 2 / 256)])
def test_the_sign_test(better: int, worse: int, chance: float) -> None:
    assert sign_test(better, worse) == pytest.approx(chance)
