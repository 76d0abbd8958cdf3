"""What tokens cost: kinds and their prices, rounding, and what a command line makes of prices."""

from __future__ import annotations

import sys
from decimal import Decimal
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl.cli.prices import prices_of
from replanctl.cost import Coefficients, cost_at
from replanctl.errors import UsageError
from replanctl.kinds import LedgerKind
from replanctl.money import SIDES, Prices, Rate, Side, bill, ways

FLAT = Prices("USD", dict.fromkeys(LedgerKind, Decimal("3.00")))
TWO = Prices("USD", {kind: Decimal(12 if side is Side.OUTPUT else 3) for kind, side in SIDES.items()})


class Asked(msgspec.Struct):
    """The options of a verb that say of prices."""

    price: tuple[tuple[str, str, str], ...] = ()
    prices: Path | None = None
    model: tuple[tuple[str, str], ...] = ()


# Tokens by kind, and what they cost at 3 for a million and at 3 in, 12 out.
SUMS: list[tuple[dict[LedgerKind, int], str, str]] = [
    ({}, "0.000000", "0.000000"),
    ({LedgerKind.EXECUTION: 1_000_000}, "3.000000", "3.000000"),
    ({LedgerKind.PLANNING: 1_000_000}, "3.000000", "12.000000"),
    ({LedgerKind.PLANNING: 460, LedgerKind.EXECUTION: 900}, "0.004080", "0.008220"),
    ({LedgerKind.SOLVER: 1}, "0.000003", "0.000003"),
    ({LedgerKind.REPLAN: 10**15}, "3000000000.000000", "3000000000.000000"),
]


@pytest.mark.parametrize(("spent", "flat", "two"), SUMS)
def test_tokens_of_a_kind_have_its_price(spent: dict[LedgerKind, int], flat: str, two: str) -> None:
    assert (str(FLAT.of(spent)), str(TWO.of(spent))) == (flat, two)


# A half of a millionth goes up, and what is written comes to what the decimals say, not the doubles.
@pytest.mark.parametrize(
    ("rate", "tokens", "cost"),
    [
        ("0.5", 1, "0.000001"),
        ("0.5", 3, "0.000002"),
        ("0.4", 1, "0.000000"),
        ("0.1", 10, "0.000001"),
        ("1.005", 100, "0.000101"),
    ],
)
def test_amounts_are_rounded_half_up_to_a_millionth(rate: str, tokens: int, cost: str) -> None:
    prices = Prices("USD", dict.fromkeys(LedgerKind, Decimal(rate)))
    assert str(prices.of({LedgerKind.REPLAN: tokens})) == cost


@pytest.mark.parametrize("kinds", list(combinations_with_replacement(LedgerKind, 2)))
def test_a_bill_adds_up_whatever_was_rounded(kinds: tuple[LedgerKind, LedgerKind]) -> None:
    paid = bill(Prices("EUR", dict.fromkeys(LedgerKind, Decimal("0.5"))), [(kind, 1) for kind in kinds])
    assert paid.all == paid.main + paid.remedy
    assert (paid.main > 0, paid.remedy > 0) == (any(k.is_main for k in kinds), not all(k.is_main for k in kinds))


def test_the_ways_of_a_failure_are_booked_as_a_run_books_them() -> None:
    rows = cost_at(Coefficients(), steps=8, fail=4).rows
    assert [ways(row) for row in rows] == [
        {LedgerKind.RETRY: 200},
        {LedgerKind.REPLAN: 495, LedgerKind.RE_EXECUTION: 0},
        {LedgerKind.REPLAN: 675, LedgerKind.RE_EXECUTION: 0},
        {LedgerKind.REPLAN: 675, LedgerKind.RE_EXECUTION: 540},
    ]


TABLE = """\
currency: EUR
models: {big: {input: 3.00, output: 15.00}, small: 0.1}
model: big
kinds: {execution: small, retry: {model: small, price: output}, replan: {price: output}}
"""
KINDS = [str(kind) for kind in LedgerKind]

# What is asked for, and the price of each kind in the order of the kinds.
ASKED: dict[str, tuple[Asked, str, list[str]]] = {
    "flat": (Asked(price=(("", "3.00", "3.00"),)), "USD", ["3.00"] * 6),
    "in and out": (Asked(price=(("", "3", "12"),)), "USD", ["12", "3", "3", "3", "3", "3"]),
    "one model": (Asked(price=(("gpt-x", "3", "12"),)), "USD", ["12", "3", "3", "3", "3", "3"]),
    "a model of its own": (
        Asked(price=(("a", "1", "1"), ("b", "2", "2")), model=(("", "a"), ("replan", "b"))),
        "USD",
        ["1", "1", "1", "1", "2", "1"],
    ),
    "a table": (Asked(prices=Path("prices.yaml")), "EUR", ["15.0", "0.1", "3.0", "0.1", "15.0", "3.0"]),
    "over a table": (
        Asked(price=(("small", "9", "9"),), prices=Path("prices.yaml"), model=(("", "small"), ("solver", "big"))),
        "EUR",
        ["9", "9", "9", "9", "9", "3.0"],
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.yaml").write_text(TABLE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ASKED)
def test_each_kind_gets_a_price(name: str) -> None:
    asked, currency, rates = ASKED[name]
    found = prices_of(asked)
    assert found is not None
    assert (found.currency, [str(rate) for rate in found.rates.values()]) == (currency, rates)
    assert [str(kind) for kind in found.rates] == KINDS


def test_nothing_said_is_no_price() -> None:
    assert prices_of(Asked()) is None


REFUSED: dict[str, tuple[Asked, str, str]] = {
    "two plain prices": (
        Asked(price=(("", "1", "1"), ("", "2", "2"))),
        "a price without a model is the price of everything",
        "say it once and alone, or name models: --price gpt-x=3.00/12.00",
    ),
    "a plain price and a model": (
        Asked(price=(("", "1", "1"),), model=(("", "a"),)),
        "a price without a model is the price of everything",
        "say it once and alone, or name models: --price gpt-x=3.00/12.00",
    ),
    "which of two": (
        Asked(price=(("a", "1", "1"), ("b", "2", "2"))),
        "no model is named for planning",
        "say --model NAME: a, b",
    ),
    "another currency": (
        Asked(prices=Path("prices.yaml"), model=(("", "elsewhere"),)),
        "no price of elsewhere in EUR is given",
        "genai-prices knows prices in USD only",
    ),
    "a slip": (
        Asked(prices=Path("prices.yaml"), model=(("", "smal"),)),
        "no price of smal in EUR is given",
        "did you mean small?",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, message, hint = REFUSED[name]
    monkeypatch.setitem(sys.modules, "genai_prices", _Package())
    with pytest.raises(UsageError, match=message) as refused:
        prices_of(asked)
    assert refused.value.hint == hint


def test_without_the_package_a_model_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(UsageError, match="no price of gpt-x is given") as refused:
        prices_of(Asked(model=(("", "gpt-x"),)))
    assert refused.value.hint == (
        "say --price gpt-x=INPUT/OUTPUT, or pip install 'replanctl[genai-prices]', which knows many"
    )


class _Package:
    """As much of genai-prices as is used of it: it knows `known`, and `shop/other` of a shop."""

    def Usage(self, **tokens: int) -> dict[str, int]:  # noqa: N802 its name there
        return tokens

    def calc_price(
        self, usage: dict[str, int], model: str, *, provider_id: str | None, genai_request_timestamp: Any
    ) -> Any:
        if (model, provider_id) not in (("known", None), ("other", "shop")):
            raise LookupError(model)
        assert genai_request_timestamp.year == 9999
        cents = Decimal("0.0025") if "input_tokens" in usage else Decimal("0.01")

        class Found:
            total_price = cents * next(iter(usage.values())) / 1000

        return Found()


@pytest.mark.parametrize("model", ["known", "shop/other"])
def test_the_package_is_asked_for_a_million_tokens(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", _Package())
    found = prices_of(Asked(model=(("", model),)))
    assert found is not None
    assert Rate(found.rates[LedgerKind.REPLAN], found.rates[LedgerKind.PLANNING]) == Rate(Decimal("2.5"), Decimal(10))
    assert set(found.models.values()) == {model}


def test_the_package_itself_knows_models() -> None:
    pytest.importorskip("genai_prices")
    found = prices_of(Asked(model=(("", "gpt-4o"), ("execution", "openai/gpt-4o-mini"))))
    assert found is not None
    assert found.rates[LedgerKind.PLANNING] > found.rates[LedgerKind.REPLAN] > found.rates[LedgerKind.EXECUTION] > 0
    with pytest.raises(UsageError, match="genai-prices knows no price of gpt-0"):
        prices_of(Asked(model=(("", "gpt-0"),)))
