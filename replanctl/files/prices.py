"""Prices in a file: what a million tokens of each model cost, and which model does what."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from msgspec import UNSET

from replanctl.files.disk import read_text
from replanctl.files.faults import At
from replanctl.files.reader import read, refuse
from replanctl.files.shapes import MOST, Fields, choice, kind, made_of, map_of, number, record, words
from replanctl.kinds import LedgerKind
from replanctl.money import PriceTable, Rate, Side, Use

LONGEST = 6  # characters of a currency's name


def _amount(value: Any, at: At) -> Any:
    """A price as it is written: 0.1 is a tenth, and not the double next to it."""
    found = number(value, at)
    if found is UNSET or found <= MOST:
        return found if found is UNSET else Decimal(str(value))
    return at.error("bad-number", f"expected a price of at most {MOST:,}, got {kind(value)}")


_RATE: Fields = {"input": _amount, "output": _amount}
_both = record(Rate, _RATE, required=("input", "output"))


@made_of("same", _both)
def _rate(value: Any, at: At) -> Any:
    """A model's two prices, or one for both."""
    if isinstance(value, dict):
        return _both(value, at)
    found = _amount(value, at)
    return found if found is UNSET else Rate(found, found)


_use = record(Use, {"model": words, "price": choice(Side)})


@made_of("same", _use)
def _used(value: Any, at: At) -> Any:
    """What does the work of a kind: a model by name, or with the price that counts."""
    return Use(value) if isinstance(value, str) and value.strip() else _use(value, at)


def _currency(value: Any, at: At) -> Any:
    found = words(value, at)
    if found is UNSET or len(found) <= LONGEST:
        return found
    return at.error("bad-name", f"expected a currency's name of at most {LONGEST} characters", "USD, EUR, CNY")


_table = record(
    PriceTable,
    {"currency": _currency, "models": map_of(_rate), "model": words, "kinds": map_of(_used, key=choice(LedgerKind))},
)


def load_prices(path: str | Path) -> PriceTable:
    """The prices in a YAML or JSON file. Raises InputError."""
    document = read(str(path), read_text(path))
    table: PriceTable = document.made(_table)
    refuse(document.problems())
    return table
