"""`cost`: what a failure would cost, by granularity and by the number of done steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from replanctl.cli.flags import Flag, Format, Model, Price, PriceFile, Shared, Verb, count, positive, step_count
from replanctl.cli.output import answer
from replanctl.cli.prices import prices_of
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.cost import Coefficients, CostAt, CostTable, cost_table, measured
from replanctl.errors import UsageError
from replanctl.files import load_coefficients
from replanctl.host import sound
from replanctl.money import Prices, bill, ways
from replanctl.nearest import nearest
from replanctl.run import LedgerLine
from replanctl.store import Store


def coefficient(text: str) -> tuple[str, int]:
    """`step=85` as a name and its tokens."""
    name, equals, tokens = text.partition("=")
    known = Coefficients.__struct_fields__
    if not equals or name not in known:
        raise ValueError(f"{text!r} is not NAME=TOKENS with one of {nearest(name, known) or ', '.join(known)}")
    return name, count(tokens)


class Options(Shared, frozen=True, kw_only=True):
    """What `cost` takes."""

    steps: Annotated[int | None, Flag("How many steps the plan has.", "N", step_count)] = None
    fail: Annotated[int | None, Flag("Which step fails, from 1.", "K", positive)] = None
    run: Annotated[
        int | None,
        Flag("Take the plan, the failure and what calls really cost from this run.", "N", positive, complete="runs"),
    ] = None
    coefficients: Annotated[Path | None, Flag("Coefficients from a YAML file.", "FILE", Path)] = None
    set: Annotated[
        tuple[tuple[str, int], ...],
        Flag("One coefficient, as step=85.", "NAME=TOKENS", coefficient, many=True, complete="coefficients"),
    ] = ()
    lessons: Annotated[int, Flag("How many lessons a replan carries.", "N", count)] = 1
    price: Price = ()
    prices: PriceFile = None
    model: Model = ()
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Work the figures out and write them; of a run also what it booked for its own replans."""
    told = _of_run(options.run, world.store_folder(options.store)) if options.run is not None else None
    table = _table(options, told)
    replans, prices = told.replans if told else None, prices_of(options)

    def document() -> dict[str, Any]:
        money = {"money": _money(prices, table, replans)} if prices is not None else {}
        return {
            "run": options.run,
            "price": _one_price(prices),
            **msgspec.structs.asdict(table),
            "replans": replans,
            **money,
        }

    def screen() -> None:
        from replanctl.show import cost_screen

        cost_screen(world.paper(world.stdout, options.color), table, prices, options.run, replans)

    answer(world.stdout, options.format, document, screen)
    return 0


def _one_price(prices: Prices | None) -> float | None:
    """The price of a million tokens, where all kinds have the same."""
    rates = set(prices.rates.values()) if prices is not None else set()
    return float(rates.pop()) if len(rates) == 1 else None


def _money(prices: Prices, table: CostTable, replans: Sequence[LedgerLine] | None) -> dict[str, Any]:
    """What every way of the table costs, and what a run's own replans did."""

    def priced(at: CostAt) -> dict[str, Any]:
        return {row.way: prices.of(ways(row)) for row in at.rows}

    by_done = [{"done": at.done, **priced(at)} for at in table.by_done]
    booked = None if replans is None else bill(prices, ((line.kind, line.booked) for line in replans)).all
    return prices.document(failure=priced(table.failure), by_done=by_done, replans=booked)


class OfRun(NamedTuple):
    """What a run says: the steps of its first plan, which of them failed first, what calls took, and its replans."""

    steps: int | None = None
    fail: int | None = None
    coefficients: Coefficients = Coefficients()
    replans: tuple[LedgerLine, ...] = ()


def _table(options: Options, told: OfRun | None) -> CostTable:
    steps, fail, coefficients, _ = told or OfRun()
    if options.coefficients is not None:
        coefficients = load_coefficients(options.coefficients)
    # What is said on the command line wins over what a run says.
    steps, fail = options.steps or steps, options.fail or fail
    if steps is None or fail is None:
        raise UsageError("say how many steps there are and which fails", hint="replanctl cost --steps 8 --fail 4")
    if fail > steps:
        raise UsageError(f"step {fail} can't fail in a plan of {steps}", hint="--fail counts from 1")
    coefficients = msgspec.structs.replace(coefficients, **dict(options.set))
    return cost_table(coefficients, steps=steps, fail=fail, lessons=options.lessons)


def _of_run(run: int, folder: Path) -> OfRun:
    with Store.open(folder) as store, sound(folder, run):
        result, policy = store.result(run), store.inputs(run).policy
        ids = [step.id for step in result.versions[0].steps]
    failed = [ids.index(signal.step_id) + 1 for signal in result.signals if signal.step_id in ids]
    booked = ((line.kind, line.booked) for line in result.ledger.lines)
    replans = tuple(line for line in result.ledger.lines if line.kind == "replan")
    return OfRun(len(ids), failed[0] if failed else None, measured(policy.coefficients, booked), replans)


VERB = Verb(HELP["cost"], Options, execute)
