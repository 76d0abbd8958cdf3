"""What tokens cost in money: a price for each kind of booking, in decimals, so that sums come out the same everywhere.

Prices are a way to read a ledger and no part of a session: nothing that decides anything knows of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Any

import msgspec

from replanctl.cost import CostRow
from replanctl.kinds import LedgerKind

MILLION = 1_000_000
SMALLEST = Decimal("0.000001")  # of a currency: what is shown and written is rounded to it
DOLLARS = "USD"


class Side(StrEnum):
    """Which of a model's two prices counts."""

    INPUT = "input"
    OUTPUT = "output"


# A booking is one number, and a model has two prices, so that one of them has to count for all of it. Planning is the
# steps of a plan, which the model writes; all the rest is estimated by what is carried to the model: a replan's lines,
# the Solver's evidence, the step that is to be executed. Where executions write much, a table of prices says so.
SIDES: dict[LedgerKind, Side] = {
    LedgerKind.PLANNING: Side.OUTPUT,
    LedgerKind.EXECUTION: Side.INPUT,
    LedgerKind.RE_EXECUTION: Side.INPUT,
    LedgerKind.RETRY: Side.INPUT,
    LedgerKind.REPLAN: Side.INPUT,
    LedgerKind.SOLVER: Side.INPUT,
}

if SIDES.keys() != set(LedgerKind):
    raise TypeError("each kind of booking has a price that counts for it")


class Rate(msgspec.Struct, frozen=True):
    """What a million tokens of a model cost, read and written."""

    input: Decimal
    output: Decimal

    def of(self, side: Side) -> Decimal:
        """One of the two."""
        return self.output if side is Side.OUTPUT else self.input


class Use(msgspec.Struct, frozen=True):
    """Which model does what is booked under a kind, and which of its prices counts; None: as ever."""

    model: str | None = None
    price: Side | None = None


class PriceTable(msgspec.Struct, frozen=True):
    """Prices as a person states them. `model` is the one that does what `kinds` names no other for."""

    models: dict[str, Rate] = {}
    currency: str = DOLLARS
    model: str | None = None
    kinds: dict[LedgerKind, Use] = {}


class Prices(msgspec.Struct, frozen=True):
    """What a million tokens of each kind cost. `models` says by kind whose price that is, where a model was named."""

    currency: str
    rates: dict[LedgerKind, Decimal]
    models: dict[LedgerKind, str] = {}

    def of(self, spent: Mapping[LedgerKind, int]) -> Decimal:
        """What so many tokens of each kind cost, rounded once."""
        exact = sum((self.rates[kind] * tokens for kind, tokens in spent.items()), Decimal(0))
        return (exact / MILLION).quantize(SMALLEST, ROUND_HALF_UP)

    def said(self, amount: Decimal) -> str:
        """An amount with its currency."""
        return f"{amount:,f} {self.currency}"

    def document(self, **amounts: Any) -> dict[str, Any]:
        """The block of a JSON document: the amounts, and what they were made of."""
        return {
            "currency": self.currency,
            "per_million": {str(kind): float(rate) for kind, rate in self.rates.items()},
            "models": {str(kind): name for kind, name in self.models.items()},
            **_as_numbers(amounts),
        }


def _as_numbers(value: Any) -> Any:
    """Decimals as JSON's numbers: rounded to a millionth, they come back as they were."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {str(key): _as_numbers(item) for key, item in value.items()}
    return [_as_numbers(item) for item in value] if isinstance(value, list | tuple) else value


class Bill(msgspec.Struct, frozen=True):
    """What a session cost: main flow and remedy, each rounded, and their sum."""

    main: Decimal
    remedy: Decimal

    @property
    def all(self) -> Decimal:
        """Both together."""
        return self.main + self.remedy


def bill(prices: Prices, booked: Iterable[tuple[LedgerKind, int]]) -> Bill:
    """The bill of a ledger's lines: kind and tokens."""
    spent = dict.fromkeys(LedgerKind, 0)
    for kind, tokens in booked:
        spent[kind] += tokens
    main = {kind: tokens for kind, tokens in spent.items() if kind.is_main}
    remedy = {kind: tokens for kind, tokens in spent.items() if not kind.is_main}
    return Bill(prices.of(main), prices.of(remedy))


def ways(table_row: CostRow) -> dict[LedgerKind, int]:
    """The tokens of one way to answer a failure, by kind: a global replan also executes again."""
    if table_row.way == LedgerKind.RETRY:
        return {LedgerKind.RETRY: table_row.total}
    return {LedgerKind.REPLAN: table_row.carried, LedgerKind.RE_EXECUTION: table_row.re_executed}


MONEY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What the tokens cost. Only there where a price was given.",
    "properties": {
        "currency": {"type": "string", "description": "What the amounts are in."},
        "per_million": {
            "type": "object",
            "description": "What a million tokens of each kind of booking cost.",
            "additionalProperties": {"type": "number", "minimum": 0},
        },
        "models": {
            "type": "object",
            "description": "Whose price that is, by kind; empty where no model was named.",
            "additionalProperties": {"type": "string"},
        },
    },
    "required": ["currency", "per_million", "models"],
}


def money_schema(**amounts: Any) -> dict[str, Any]:
    """The JSON Schema of a block of money with these amounts in it."""
    properties = {**MONEY_SCHEMA["properties"], **amounts}
    return {**MONEY_SCHEMA, "properties": properties, "required": [*properties], "additionalProperties": False}
