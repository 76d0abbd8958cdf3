"""Coefficients as a run measured them, where it booked what a call really cost."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from replanctl.cost.model import Coefficients

_MEASURED = {"execution": "execution", "re-execution": "execution", "retry": "retry"}  # ledger kind → coefficient


def measured(coefficients: Coefficients, booked: Iterable[tuple[str, int]]) -> Coefficients:
    """The coefficients of a run with the mean of its bookings (kind and tokens), rounded, where there are any."""
    tokens: dict[str, list[int]] = {}
    for kind, amount in booked:
        if name := _MEASURED.get(kind):
            tokens.setdefault(name, []).append(amount)
    means = {name: round(sum(amounts) / len(amounts)) for name, amounts in tokens.items()}
    return msgspec.structs.replace(coefficients, **means)
