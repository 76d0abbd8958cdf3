"""A comparison on a screen: lanes over a corpus with what got better and worse, or the lanes of one plan as a race."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from replanctl.kinds import GateName, Reason
from replanctl.lab import Comparison, Facts, LaneTotals, Pair, Parting, Race, Tally, Versus
from replanctl.replan import REASONS as GATE_REASONS
from replanctl.show.marks import marks_for
from replanctl.show.matrix import honest_end
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.text import UNICODE, pad, width
from replanctl.show.words import number, plural, seconds

CASES_SHOWN = 8
BEST = "●"
_WORDS: dict[Reason, str] = {
    Reason.GOAL_MET: "goal",
    Reason.GOAL_MET_WITH_GAPS: "gaps",
    Reason.ESCALATED: "person",
    Reason.NO_PLAN: "no plan",
    Reason.ABORTED: "aborted",
    Reason.INSUFFICIENT_EVIDENCE: "evidence",
    **{reason: gate.removeprefix("max_") for gate, reason in GATE_REASONS.items()},
}
_BREAKER = {GateName.PER_STEP: "breaker"}


def compare_screen(paper: Paper, comparison: Comparison, todo: Sequence[str] = (), tally: Tally | None = None) -> None:
    """Write the comparison; `todo` are commands to go on with, `tally` what lanes cost where a price was given."""
    race = comparison.race
    if race is not None:
        _race(paper, race, [lane.lane for lane in comparison.lanes], _rows(tally))
    else:
        _corpus(paper, comparison, tally)
    honest_end(paper, todo)


# -- one plan ----------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of a race: its name, what it says of a session, and what is less is better (None: nothing is best)."""

    name: str
    said: Callable[[Facts], str]
    value: Callable[[Facts], float] | None = None


ROWS = (
    Row("replans", lambda f: number(f.replans), lambda f: f.replans),
    Row("calls", lambda f: number(f.calls), lambda f: f.calls),
    Row("tokens", lambda f: number(f.tokens), lambda f: f.tokens),
    Row("time", lambda f: seconds(f.seconds), lambda f: f.seconds),
    Row("gaps", lambda f: number(f.gaps), lambda f: f.gaps),
    Row("effects", lambda f: number(f.effects)),
)


def price_head(tally: Tally) -> str:
    """What stands above a column of prices."""
    return f"price {tally.prices.currency}"


def _rows(tally: Tally | None) -> tuple[Row, ...]:
    """The rows of a race: with its price where there is one, behind the tokens."""
    if tally is None:
        return ROWS
    at = [row.name for row in ROWS].index("tokens") + 1
    price = Row("price", lambda f: tally.prices.said(tally.paid(f)), lambda f: float(tally.paid(f)))
    return (*ROWS[:at], price, *ROWS[at:])


def _race(paper: Paper, race: Race, lanes: Sequence[str], rows: Sequence[Row]) -> None:
    head = [race.case, plural(race.steps, "step"), f"one script, {plural(len(lanes), 'lane')}"]
    paper.line(Span(race.goal, "title"), indent=2)
    paper.line(Span(f"race {paper.glyphs.dot} {paper.joined(head)}", "dim"), indent=2)
    paper.blank()
    table = [_column(race, at, name, paper, rows) for at, name in enumerate(lanes)]
    # 11 columns are the indent and the rows' names. Lanes that do not fit beside each other are shared out evenly over
    # as few blocks as hold them, so that no lane stands in a last block alone.
    room = min(max(width(cell.text) for column in table for cell in column) + 2, paper.width - 11)
    blocks = -(-len(lanes) // max((paper.width - 11) // room, 1))
    per = -(-len(lanes) // blocks)
    for begin in range(0, len(lanes), per):
        if begin:
            paper.blank()
        _lanes(paper, table[begin : begin + per], room, rows)
    paper.blank()
    _partings(paper, race)


def _column(race: Race, at: int, name: str, paper: Paper, rows: Sequence[Row]) -> list[Span]:
    """The cells of a lane, from its name down."""
    facts = race.lanes[at]
    cells = [Span(name, "label"), ended(facts, paper)]
    for row in rows:
        best = is_best(row, facts, race.lanes)
        mark = f" {BEST if paper.glyphs is UNICODE else '*'}" if best else ""
        cells.append(Span(f"{row.said(facts)}{mark}", "done" if best else ""))
    return cells


def _lanes(paper: Paper, columns: Sequence[Sequence[Span]], room: int, rows: Sequence[Row]) -> None:
    for at, name in enumerate(("", "ended", *(row.name for row in rows))):
        cells = [Span(paper.cell(column[at].text, room - 2) + "  ", column[at].style) for column in columns]
        paper.line(Span(f"{name:<9}", "label"), *cells, indent=2)


def is_best(row: Row, facts: Facts, lanes: Sequence[Facts]) -> bool:
    """Whether a lane has the least of a row among those that came as far as any; not where all have the same."""
    # Least is only best among those that came as far: a lane that stopped at once is cheapest of all.
    if row.value is None or _rank(facts) < max(map(_rank, lanes)) or not facts.completed:
        return False
    values = {row.value(each) for each in lanes if _rank(each) == _rank(facts)}
    return len(values) > 1 and row.value(facts) == min(values)


def _rank(facts: Facts) -> int:
    return 2 if facts.reason is Reason.GOAL_MET else int(facts.completed)


def _partings(paper: Paper, race: Race) -> None:
    if not race.partings:
        paper.line("All lanes do the same.", indent=2)
    for at, parting in enumerate(race.partings):
        if at:
            paper.blank()
        paper.line(f"{_who(parting, first=not at)} part {_where(parting)}:", indent=2, hang=4)
        names = [", ".join(group.lanes) for group in parting.groups]
        room = min(max(map(width, names)), max(paper.width // 3, 8))
        for name, group in zip(names, parting.groups, strict=True):
            paper.line(Span(paper.pad(name, room), "strong"), f"  {group.does}", indent=4, hang=6 + room)
    paper.blank()


def ended(facts: Facts, paper: Paper) -> Span:
    """How a session ended, as a mark and a word."""
    marks = marks_for(paper)
    word = _BREAKER.get(facts.stopped.gate) if facts.stopped is not None else None
    word = word or _WORDS.get(facts.reason, str(facts.reason))
    if facts.reason is Reason.GOAL_MET:
        return Span(f"{marks.absorbed} {word}", "done")
    if facts.reason is Reason.GOAL_MET_WITH_GAPS:
        return Span(f"{marks.gaps} {word}", "notice")
    if facts.reason is Reason.ESCALATED:
        return Span(f"{marks.handed_over} {word}", "person")
    return Span(f"{marks.stopped} {word}", "failed")


def partings(race: Race) -> Iterator[str]:
    """A sentence for each place where lanes part."""
    for at, parting in enumerate(race.partings):
        does = "; ".join(f"{', '.join(group.lanes)}: {group.does}" for group in parting.groups)
        yield f"{_who(parting, first=not at)} part {_where(parting)}. {does}."


def _who(parting: Parting, *, first: bool) -> str:
    if first:
        return "They"
    *others, last = (name for group in parting.groups for name in group.lanes)
    return f"{', '.join(others)} and {last}" if others else last


def _where(parting: Parting) -> str:
    at = f"at {seconds(parting.at)}"
    if parting.step_id is None:
        return at
    return f"{at}, step {parting.step_id} “{parting.message}”"


# -- many plans --------------------------------------------------------------------------------------------------------

Column = tuple[str, Callable[[LaneTotals], str]]

_SPARED = ("effects", "calls", "replans")  # the first goes first
_COLUMNS: tuple[Column, ...] = (
    ("goal met", lambda lane: number(lane.completed - lane.with_gaps)),
    ("with gaps", lambda lane: number(lane.with_gaps)),
    ("not met", lambda lane: number(lane.sessions - lane.completed)),
    ("calls", lambda lane: number(lane.calls)),
    ("replans", lambda lane: number(lane.replans)),
    ("tokens", lambda lane: number(lane.tokens)),
    ("time", lambda lane: seconds(lane.seconds)),
    ("effects", lambda lane: number(lane.effects)),
)


def _fitting(lanes: Sequence[LaneTotals], tally: Tally | None, width_: int) -> Sequence[Column]:
    """The columns of lanes. A price takes room, and where there is not enough others make way for it."""
    if tally is None:
        return _COLUMNS
    paid = tally.lanes()
    columns = [*_COLUMNS, (price_head(tally), lambda lane: f"{paid[lane.lane]:,f}")]
    names = max(4, *(width(lane.lane) for lane in lanes))
    for spared in _SPARED:
        if names + 4 + sum(room + 2 for room in _rooms(columns, lanes)) <= width_:
            break
        columns = [column for column in columns if column[0] != spared]
    return columns


def _rooms(columns: Sequence[Column], lanes: Sequence[LaneTotals]) -> list[int]:
    """How wide each column is."""
    return [max(width(name), *(len(said(lane)) for lane in lanes)) for name, said in columns]


def _corpus(paper: Paper, comparison: Comparison, tally: Tally | None) -> None:
    head = (
        f"compare {paper.glyphs.dot} {plural(comparison.cases, 'rehearsal')}, {plural(len(comparison.lanes), 'lane')}"
    )
    paper.line(Span(head, "title"), indent=2)
    paper.blank()
    shown = _fitting(comparison.lanes, tally, paper.width)
    rows = [[said(lane) for _, said in shown] for lane in comparison.lanes]
    rooms = _rooms(shown, comparison.lanes)
    left = paper.width - 4 - sum(room + 2 for room in rooms)
    if left < 4:
        cells = [[lane.lane, *row] for lane, row in zip(comparison.lanes, rows, strict=True)]
        paper.stacked(["lane", *(name for name, _ in shown)], cells)
    else:
        _columns(paper, comparison, rows, rooms, [name for name, _ in shown], left)
    for versus in comparison.versus:
        paper.blank()
        style = "failed" if versus.broken else "done" if versus.better else ""
        paper.line(Span(verdict(versus, comparison.lanes[0].lane), style), indent=2)
        _cases(paper, "worse", versus.worse)
        _cases(paper, "better", versus.better)
    paper.blank()


def _columns(
    paper: Paper,
    comparison: Comparison,
    rows: Sequence[Sequence[str]],
    rooms: Sequence[int],
    heads: Sequence[str],
    left: int,
) -> None:
    """The lanes under each other; `left` columns are there for their names."""
    names = max(min(max(4, *(len(lane.lane) for lane in comparison.lanes)), left), 4)
    columns = "".join(f"  {pad(name, room, right=True)}" for name, room in zip(heads, rooms, strict=True))
    paper.line(Span(f"{'lane':<{names}}{columns}", "label"), indent=2)
    for lane, row in zip(comparison.lanes, rows, strict=True):
        cells = "".join(f"  {cell:>{room}}" for cell, room in zip(row, rooms, strict=True))
        paper.line(paper.cell(lane.lane, names), cells, indent=2)


def verdict(versus: Versus, first: str) -> str:
    """`strict against loose: 1 better, 6 worse, 275 the same; …`."""
    counts = f"{number(len(versus.better))} better, {number(len(versus.worse))} worse, {number(versus.same)} the same"
    if not versus.better and not versus.worse:
        return f"{versus.lane} against {first}: {counts}."
    differing = len(versus.better) + len(versus.worse)
    # Of five pairs that differ even all on one side come to 6 % by chance, two-sided: fewer than six can't be told from
    # luck at the usual 5 %.
    few = f"; {plural(differing, 'difference')} can't tell" if differing < 6 else ""
    chance = f"chance alone would be as one-sided in {_percent(versus.chance)} of cases (sign test){few}"
    return f"{versus.lane} against {first}: {counts}; {chance}."


def _percent(chance: float) -> str:
    """A chance in per cent, small ones to two digits."""
    return f"{chance * 100:.0f} %" if chance >= 0.1 else f"{chance * 100:.2g} %"


def _cases(paper: Paper, label: str, pairs: Sequence[Pair]) -> None:
    for at, pair in enumerate(pairs[:CASES_SHOWN]):
        before, after = ended(pair.before, paper), ended(pair.after, paper)
        ends = f": {before.text} {paper.glyphs.arrow} {after.text}"
        entry(paper, "" if at else label, pair.case, ends, style="notice" if label == "worse" else "label")
    if len(pairs) > CASES_SHOWN:
        entry(paper, "", f"{paper.glyphs.ellipsis} {number(len(pairs) - CASES_SHOWN)} more")
