"""Exact statistics of counts: Clopper–Pearson and Wilson intervals, and the sign test of paired sessions.

Clopper and Pearson, Biometrika 26 (1934); Wilson, JASA 22 (1927). A test compares them with scipy.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, lgamma, log, sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
_TINY = 1e-300
_STEPS = 200


# Clopper–Pearson never covers less than it says; Wilson is right on average and narrower. Both are quantiles of known
# functions, so that these few lines do instead of a dependency of 35 MB.
def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact interval of a share of which `hits` of `trials` were seen; without a trial it is 0 to 1."""
    if not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials} is no share")
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _beta_quantile(tail, hits, trials - hits + 1)
    high = 1.0 if hits == trials else _beta_quantile(1 - tail, hits + 1, trials - hits)
    return low, high


def wilson(hits: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The score interval of the same share: narrower, and right on average."""
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(1 - (1 - confidence) / 2)
    share, spread = hits / trials, z * z / trials
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def sign_test(better: int, worse: int) -> float:
    """How likely so lopsided a split of the pairs that differ is, if either side were as likely: two-sided, exact."""
    pairs, most = better + worse, max(better, worse)
    if pairs == 0:
        return 1.0
    # Whole numbers up to the last division: a sum of floats would lose the tail where it matters.
    above = sum(comb(pairs, k) for k in range(most, pairs + 1))
    return min(1.0, float(Fraction(2 * above, 2**pairs)))


def _beta_quantile(share: float, a: float, b: float) -> float:
    """Where the beta distribution has so much below it, by bisection: its function only rises."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        # Floats have run out between the two: the next halving would change nothing.
        if middle in (low, high):
            break
        if _beta_below(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction on the side where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's method, for the fraction of Numerical Recipes' shape: d and c are its two running quotients."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / _away_from_zero(1 + part * d)
            c = _away_from_zero(1 + part / c)
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
