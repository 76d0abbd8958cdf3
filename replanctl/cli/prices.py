"""What a command line says of prices, as what a million tokens of each kind cost."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import msgspec

from replanctl.errors import UsageError
from replanctl.files import load_prices
from replanctl.kinds import LedgerKind
from replanctl.money import DOLLARS, SIDES, Prices, PriceTable, Rate, Use
from replanctl.nearest import or_nearest

PACKAGE = "genai-prices"
# Whatever day it is, the prices are those that the package knows last: they depend on its version and on nothing else.
LAST = datetime(9999, 12, 31, 12, tzinfo=UTC)
_ASKED = 1000  # tokens: beyond some hundred thousand in one request a few models are dearer


class Priced(Protocol):
    """The options of a verb that knows what tokens cost."""

    @property
    def price(self) -> tuple[tuple[str, str, str], ...]: ...
    @property
    def prices(self) -> Path | None: ...
    @property
    def model(self) -> tuple[tuple[str, str], ...]: ...


def prices_of(options: Priced) -> Prices | None:
    """The prices that these options say; None where they say nothing of any.

    A plain price holds for everything. Else models have prices: those on the command line, then those of the file, then
    those that the package genai-prices knows. Raises UsageError and InputError.
    """
    plain = [Rate(Decimal(read), Decimal(written)) for model, read, written in options.price if not model]
    named = {model: Rate(Decimal(read), Decimal(written)) for model, read, written in options.price if model}
    if not (plain or named or options.prices or options.model):
        return None
    if plain:
        return _plain(plain, alone=not (named or options.prices or options.model))
    table = load_prices(options.prices) if options.prices is not None else PriceTable()
    table = msgspec.structs.replace(table, models={**table.models, **named})
    return _resolved(table, dict(options.model))


def _plain(rates: list[Rate], *, alone: bool) -> Prices:
    if len(rates) > 1 or not alone:
        raise UsageError(
            "a price without a model is the price of everything",
            hint="say it once and alone, or name models: --price gpt-x=3.00/12.00",
        )
    return Prices(DOLLARS, {kind: rates[0].of(side) for kind, side in SIDES.items()})


def _resolved(table: PriceTable, said: dict[str, str]) -> Prices:
    """The price of each kind: what the command line says of it, then the file, then the model of all."""
    all_ = said.get("") or table.model or (next(iter(table.models)) if len(table.models) == 1 else None)
    models: dict[LedgerKind, str] = {}
    rates: dict[LedgerKind, Decimal] = {}
    for kind, side in SIDES.items():
        use = table.kinds.get(kind, Use())
        model = said.get(kind) or use.model or all_
        if model is None:
            known = ", ".join(table.models) or "none has a price"
            raise UsageError(f"no model is named for {kind}", hint=f"say --model NAME: {known}")
        models[kind], rates[kind] = model, _rate(model, table).of(use.price or side)
    return Prices(table.currency, rates, models)


def _rate(model: str, table: PriceTable) -> Rate:
    if model in table.models:
        return table.models[model]
    near = or_nearest(model, table.models)
    try:
        package = import_module("genai_prices")
    except ImportError:
        hint = near or f"say --price {model}=INPUT/OUTPUT, or pip install 'replanctl[{PACKAGE}]', which knows many"
        raise UsageError(f"no price of {model} is given", hint=hint) from None
    if table.currency != DOLLARS:
        raise UsageError(
            f"no price of {model} in {table.currency} is given",
            hint=near or f"{PACKAGE} knows prices in {DOLLARS} only",
        )
    return _known(package, model, near)


def _known(package: Any, model: str, near: str) -> Rate:
    """The price that the package knows of a model, which may have its provider in front: `openai/gpt-4o`."""
    provider, _, name = model.rpartition("/")
    for ref, of in ((model, None), (name, provider or None)):
        try:
            one, other = (_price(package, ref, of, **{side: _ASKED}) for side in ("input_tokens", "output_tokens"))
        except LookupError:
            continue
        return Rate(one, other)
    raise UsageError(
        f"{PACKAGE} knows no price of {model}", hint=near or f"say it yourself: --price {model}=INPUT/OUTPUT"
    )


def _price(package: Any, model: str, provider: str | None, **tokens: int) -> Decimal:
    """What a million such tokens cost."""
    usage = package.Usage(**tokens)
    found = package.calc_price(usage, model, provider_id=provider, genai_request_timestamp=LAST)
    return Decimal(str(found.total_price)) * 1000
