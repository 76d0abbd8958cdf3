"""The end of a session's screen: how it ended, what it cost, and what to look at next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import Ending, Reason
from replanctl.run import Revision, SessionResult
from replanctl.show import handover, ledger, lessons, variables
from replanctl.show.header import Header
from replanctl.show.marks import marks_for
from replanctl.show.paper import Paper, Span
from replanctl.show.section import INDENT, warnings_section
from replanctl.show.text import GLUE, width
from replanctl.show.words import REASONS, number, plural, reading, seconds

if TYPE_CHECKING:
    from replanctl.money import Prices

PLAIN = Header()
WITHOUT = "without a replan"
NEXT = 6  # columns of the word before the commands


def closing(paper: Paper, result: SessionResult, facts: Header = PLAIN, *, said: frozenset[str] = frozenset()) -> None:
    """Everything below the last step. `said` are warnings that were shown where they arose."""
    paper.blank()
    lessons.section(paper, result)
    variables.section(paper, result)
    handover.gaps(paper, result)
    ledger.section(paper, result)
    if facts.prices is not None:
        from replanctl.show import money

        money.section(paper, result, facts.prices)
    warnings_section(paper, [text for text in result.warnings if text not in said])
    handover.section(paper, result)
    paper.blank()
    ending, cost = closing_line(result, facts.prices)
    style = verdict_style(result)
    paper.line(Span(f"{verdict_mark(result, paper)} {ending}", style), cost, indent=INDENT, hang=INDENT + 2)
    _next(paper, commands(result, facts))


def verdict_style(result: SessionResult) -> str:
    """How loud and in which colour an ending is said: met, met with gaps, or not."""
    if result.status != Ending.COMPLETED:
        return "not met"
    return "met" if result.reason == Reason.GOAL_MET else "gaps"


def verdict_mark(result: SessionResult, paper: Paper) -> str:
    """The mark of an ending, the same as in the lab's tables."""
    marks = marks_for(paper)
    return {"met": marks.absorbed, "gaps": marks.gaps}.get(verdict_style(result), marks.stopped)


def closing_line(result: SessionResult, prices: Prices | None = None) -> tuple[str, str]:
    """How the session ended, and what it took; in money too where there are prices."""
    totals = result.ledger.totals
    parts = [f"{seconds(result.seconds)} of session time", f"{number(totals.all)} tokens{_paid(result, prices)}"]
    if totals.remedy:
        parts.append(f"{number(totals.remedy)} of them to recover from failures")
    if result.status == Ending.COMPLETED:
        return f"{REASONS.get(result.reason, result.reason)} {_replans(result)}", f": {', '.join(parts)}."
    after = "" if _replans(result) == WITHOUT else f" {_replans(result)}"
    return f"Goal not met{after}", f": {_why(result)}. It took {', '.join(parts)}."


def _paid(result: SessionResult, prices: Prices | None) -> str:
    if prices is None:
        return ""
    from replanctl.show import money

    return f" ({prices.said(money.bill_of(result, prices).all)})"


def _why(result: SessionResult) -> str:
    """Why the session stopped short and where, with the reason's name and the gate's reading."""
    words, gate = REASONS.get(result.reason, result.reason), result.handover.gate if result.handover else None
    if gate is None:
        return f"{words} ({result.reason})"
    where = f" at step {gate.step_id}" if gate.step_id is not None else ""
    return f"{words}{where} ({result.reason}, {reading(gate.gate, gate.reading)}/{reading(gate.gate, gate.limit)})"


def _replans(result: SessionResult) -> str:
    """How many replans made a version, and how many drafts did not: refused, none at all, or stopped by a gate."""
    asked = sum(line.kind == "replan" for line in result.ledger.lines)
    made = len(_replanned(result))
    refused = asked - made
    if refused <= 0:
        return f"after {plural(made, 'replan')}" if made else WITHOUT
    if made:
        return f"after {plural(made, 'replan')} and {number(refused)} that failed"
    return f"after {plural(refused, 'replan')} that failed"


def _replanned(result: SessionResult) -> list[Revision]:
    """The revisions that replans made: a session that is taken up again may get a version of its own."""
    return [revision for revision in result.revisions if revision.granularity is not None]


def commands(result: SessionResult, facts: Header = PLAIN) -> list[str]:
    """What a person may want to run next: what the hand-over says, else a look at what happened."""
    if result.run is None:
        return []
    if result.handover is not None:
        return list(result.handover.next)
    last = next(reversed(_replanned(result)), None)
    run, number = (f" --run {result.run}", f" {result.run}") if facts.later else ("", "")
    looks = [
        *([f"replanctl diff {last.from_} {last.to}{run}"] if last else []),
        *([f"replanctl why {result.signals[-1].step_id}{run}"] if result.signals else []),
        f"replanctl show{number} {'--ledger' if last else '--variables'}",
    ]
    return [facts.whole(each) for each in looks]


def _whole(command: str, columns: int) -> str:
    """A command that does not fold, where it fits on a line at all."""
    return command.replace(" ", GLUE) if width(command) <= columns else command


def _next(paper: Paper, todo: list[str]) -> None:
    spans: list[Span | str] = [Span("Next: ", "label")]
    for at, command in enumerate(todo):
        spans += [f" {paper.glyphs.dot} "] if at else []
        spans.append(Span(_whole(command, paper.width - INDENT - NEXT), "command"))
    if todo:
        paper.line(*spans, indent=INDENT, hang=INDENT + NEXT)
