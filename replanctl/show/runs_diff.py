"""Two runs side by side: how they ended, what they took, and which failures were routed otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from replanctl.kinds import Ending, Reason
from replanctl.run import Compared, Figures, RunsDiff
from replanctl.show.diff import literal
from replanctl.show.paper import Paper, Span
from replanctl.show.section import INDENT, LABEL
from replanctl.show.text import UNICODE, Glyphs
from replanctl.show.words import number, plural, seconds

ROUTES_SHOWN = 40
# The marks of a plan diff, for routes: `=` both runs took it, `-` only the first, `+` only the second.
_STYLES = {"=": "dim", "-": "gone", "+": "added"}


class Side(NamedTuple):
    """One of the two: the run's number, and the file of its plan where that is known."""

    run: int
    plan: str | None


class Row(NamedTuple):
    """A row: its name, and what it says of a run. A `value` is a number of which it is said how much more it is."""

    name: str
    said: Callable[[Figures], str]
    value: Callable[[Figures], float] | None = None


ROWS = (
    Row("time", lambda f: seconds(f.seconds)),
    Row("versions", lambda f: number(f.versions)),
    Row("replans", lambda f: number(f.replans)),
    Row("executed", lambda f: number(f.executions)),
    Row("calls", lambda f: number(f.calls)),
    Row("tokens", lambda f: number(f.tokens), lambda f: f.tokens),
    Row("  main", lambda f: number(f.main), lambda f: f.main),
    Row("  remedy", lambda f: number(f.remedy), lambda f: f.remedy),
)


def runs_diff_screen(paper: Paper, diff: RunsDiff, old: Side, new: Side) -> None:
    """Write the two columns, and below them the routes of both."""
    room = max((paper.width - INDENT - LABEL - 2) // 2, 8)
    _row(paper, room, "", Span(f"run {old.run}", "version"), Span(f"run {new.run}", "version"))
    _row(paper, room, "plan", *(Span(_plan(side, paper.glyphs)) for side in (old, new)))
    _row(paper, room, "ended", *(_ended(figures, paper.glyphs) for figures in (diff.old, diff.new)))
    for row in ROWS:
        was, now = row.said(diff.old), row.said(diff.new)
        style = "" if was == now else "strong"
        _row(paper, room, row.name, Span(was), Span(now + _more(row, diff), style))
    decisions = diff.decisions
    for at, each in enumerate(decisions[:ROUTES_SHOWN]):
        label = Span(f"{'' if at else 'routes':<{LABEL}}", "label")
        said = f"{each.mark} {_route(each, paper.glyphs)}"
        paper.line(label, Span(said, _STYLES[each.mark]), indent=INDENT, hang=INDENT + LABEL + 2)
    if not decisions:
        paper.line(Span(f"{'routes':<{LABEL}}", "label"), Span("none: nothing was replanned", "dim"), indent=INDENT)
    if len(decisions) > ROUTES_SHOWN:
        more = plural(len(decisions) - ROUTES_SHOWN, "more route")
        paper.line(f"{paper.glyphs.ellipsis} {more}", indent=INDENT + LABEL)
    paper.blank()


def _row(paper: Paper, room: int, name: str, was: Span, now: Span) -> None:
    # Only the first cell is padded to its column: nothing stands behind the second one.
    label = Span(f"{name:<{LABEL}}", "label")
    cells = Span(paper.cell(was.text, room), was.style), Span(paper.cut(now.text, room), now.style)
    paper.line(label, cells[0], "  ", cells[1], indent=INDENT)


def _plan(side: Side, glyphs: Glyphs) -> str:
    return PurePath(side.plan).name if side.plan is not None else glyphs.dash


def _ended(figures: Figures, glyphs: Glyphs) -> Span:
    if figures.status == Ending.COMPLETED:
        return Span(f"{glyphs.done} {figures.reason}", "done" if figures.reason is Reason.GOAL_MET else "notice")
    return Span(f"{glyphs.failed} {figures.reason}", "failed")


def _more(row: Row, diff: RunsDiff) -> str:
    """How much more, or less, the new run took."""
    if row.value is None or not (more := row.value(diff.new) - row.value(diff.old)):
        return ""
    return f", {number(abs(more))} {'more' if more > 0 else 'less'}"


def _route(each: Compared, glyphs: Glyphs) -> str:
    """`step 3 assumption: wide-radius → tail`."""
    decided = each.decision
    what = "the goal changed" if decided.step_id is None else f"step {decided.step_id} {decided.error_type}"
    return f"{what}: {decided.rule} {glyphs.arrow} {decided.granularity}"


def runs_diff_markdown(diff: RunsDiff, old: Side, new: Side) -> str:
    """The same as two tables."""
    return "\n".join([*_markdown(diff, old, new), ""])


def _markdown(diff: RunsDiff, old: Side, new: Side) -> Iterator[str]:
    yield from (f"### run {old.run} → run {new.run}", "", f"| | run {old.run} | run {new.run} |", "| --- | --- | --- |")
    yield f"| plan | {literal(_plan(old, UNICODE))} | {literal(_plan(new, UNICODE))} |"
    yield f"| ended | {' | '.join(literal(_ended(each, UNICODE).text) for each in (diff.old, diff.new))} |"
    for row in ROWS:
        yield f"| {row.name.strip()} | {row.said(diff.old)} | {row.said(diff.new)}{_more(row, diff)} |"
    yield ""
    if diff.decisions:
        yield from ("| | route |", "| --- | --- |")
        yield from (f"| `{each.mark}` | {literal(_route(each, UNICODE))} |" for each in diff.decisions)
        yield ""
