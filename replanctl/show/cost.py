"""What a failure would cost, as a table by depth of the cut and one by the number of done steps, with bars."""

from __future__ import annotations

from collections.abc import Sequence

from replanctl.cost import CostAt, CostRow, CostTable
from replanctl.money import Prices, bill, ways
from replanctl.run import LedgerLine
from replanctl.show.ledger import replan_in_words
from replanctl.show.paper import Paper, Span
from replanctl.show.text import pad
from replanctl.show.words import number, plural

SHOWN = 40  # replans of a run that are listed
_LABEL, _NUMBER = 8, 13  # columns of the first table
_DONE = 4  # columns of the second
_SUMS = {"patch": 8, "tail": 8, "re-executed": 13, "global": 8, "{times} patch": 9}


def cost_screen(
    paper: Paper,
    table: CostTable,
    prices: Prices | None = None,
    run: int | None = None,
    replans: Sequence[LedgerLine] | None = None,
) -> None:
    """Write both tables; `prices` say what tokens cost. Of a `run` also the bookings of its own replans."""
    failure = table.failure
    carried = f"{plural(failure.done, 'step')} done, {plural(table.lessons, 'lesson')} carried"
    paper.line(Span(f"A failure at step {failure.fail} of {table.steps}", "title"), f": {carried}", indent=2)
    paper.blank()
    _by_way(paper, failure, prices)
    paper.blank()
    _by_done(paper, table)
    if replans is not None:
        paper.blank()
        _booked(paper, run, replans, prices)


def _booked(paper: Paper, run: int | None, replans: Sequence[LedgerLine], prices: Prices | None) -> None:
    """What a run really booked, replan by replan, beside what was estimated."""
    total = sum(line.booked for line in replans)
    paid = bill(prices, ((line.kind, line.booked) for line in replans)).all if prices is not None else None
    priced = f", {prices.said(paid)} in all" if prices is not None and paid is not None else ""
    what = f"{number(total)} tokens for {plural(len(replans), 'replan')}{priced}" if replans else "nothing for replans"
    paper.line(Span(f"Run {run} booked", "title"), f" {what}", indent=2)
    for line in replans[:SHOWN]:
        paper.line(replan_in_words(line), indent=4)
    if len(replans) > SHOWN:
        paper.line(f"{paper.glyphs.ellipsis} {plural(len(replans) - SHOWN, 'more replan')}", indent=4)


def _by_way(paper: Paper, failure: CostAt, prices: Prices | None) -> None:
    priced = [f"price {prices.currency}"] if prices is not None else []
    names = ["carried", "re-executed", "total", f"{paper.glyphs.times} patch", *priced]
    if paper.width < 2 + _LABEL + _NUMBER * len(names):
        paper.stacked(["way", *names], [[str(row.way), *_figures(row, prices)] for row in failure.rows])
        return
    paper.line(Span(" " * _LABEL + _columns(names), "label"), indent=2)
    for row in failure.rows:
        paper.line(Span(f"{row.way:<{_LABEL}}", "strong"), _columns(_figures(row, prices)), indent=2)


def _figures(row: CostRow, prices: Prices | None) -> list[str]:
    figures = [number(row.carried), number(row.re_executed), number(row.total), f"{row.multiple:.2f}"]
    return figures if prices is None else [*figures, f"{prices.of(ways(row)):f}"]


def _by_done(paper: Paper, table: CostTable) -> None:
    """One line for each number of done steps; the bar is a patch and what a global replan takes beyond it."""
    names = [name.format(times=paper.glyphs.times) for name in _SUMS]
    if paper.width < 2 + _DONE + sum(_SUMS.values()):
        paper.stacked(["done", *names], [[f"{at.done} done", *_by_depth(at)] for at in table.by_done])
        return
    paper.line(Span(f"{'done':>{_DONE}}{_sums(names)}", "label"), indent=2)
    widest = max(row.total for at in table.by_done for row in at.rows[1:]) or 1
    room = min(max(paper.width - _DONE - sum(_SUMS.values()) - 5, 0), 40)
    for at in table.by_done:
        _, patch, _, global_ = at.rows
        figures = _sums(_by_depth(at))
        full = round(room * patch.total / widest)
        beyond = max(round(room * global_.total / widest) - full, 0)
        bars = Span(paper.glyphs.full * full, "main"), Span(paper.glyphs.empty * beyond, "remedy")
        asked = "strong" if at.done == table.failure.done else ""
        paper.line(Span(f"{at.done:>{_DONE}}{figures}  ", asked), *bars, indent=2)
    legend = f"{paper.glyphs.full} patch   {paper.glyphs.empty} what a global replan takes beyond it"
    paper.line(Span(legend, "dim"), indent=2)


def _by_depth(at: CostAt) -> list[str]:
    _, patch, tail, global_ = at.rows
    sums = [patch.total, tail.total, global_.re_executed, global_.total]
    return [*map(number, sums), f"{global_.multiple:.2f}"]


def _columns(texts: list[str]) -> str:
    return "".join(pad(text, _NUMBER, right=True) for text in texts)


def _sums(texts: list[str]) -> str:
    return "".join(f"{text:>{room}}" for text, room in zip(texts, _SUMS.values(), strict=True))
