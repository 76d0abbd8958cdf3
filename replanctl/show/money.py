"""What a session cost in money, and at whose prices. Loaded only where a price was given."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from replanctl.money import Bill, Prices, bill
from replanctl.run import SessionResult
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry


def bill_of(result: SessionResult, prices: Prices) -> Bill:
    """What the session cost."""
    return bill(prices, ((line.kind, line.booked) for line in result.ledger.lines))


def section(paper: Paper, result: SessionResult, prices: Prices) -> None:
    """What it cost: main flow and remedy, and at whose prices."""
    paid = bill_of(result, prices)
    entry(paper, "money", f"main {prices.said(paid.main)}, remedy {prices.said(paid.remedy)}")
    for line in prices_in_words(prices):
        entry(paper, "", Span(line, "dim"))


def prices_in_words(prices: Prices) -> Iterator[str]:
    """`planning at 12, the rest at 3 a million tokens`: the prices that count, the commonest last."""
    at: dict[tuple[str, Decimal], list[str]] = {}
    for kind, rate in prices.rates.items():
        at.setdefault((prices.models.get(kind, ""), rate), []).append(str(kind))
    groups = sorted(at.items(), key=lambda group: len(group[1]))
    for number_, ((model, rate), kinds) in enumerate(groups, 1):
        last = number_ == len(groups)
        who = "all" if len(groups) == 1 else "the rest" if last else ", ".join(kinds)
        yield f"{who} at {rate.normalize():f} {prices.currency} a million tokens{f' ({model})' if model else ''}"
