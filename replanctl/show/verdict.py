"""The end of a session's screen: how it ended, what it cost, and what to look at next."""

from __future__ import annotations

from replanctl.kinds import Ending
from replanctl.run import Revision, SessionResult
from replanctl.show import handover, ledger, lessons, variables
from replanctl.show.paper import Paper, Span
from replanctl.show.section import INDENT, entries
from replanctl.show.text import GLUE
from replanctl.show.words import REASONS, number, percent, plural, reading, seconds


def closing(paper: Paper, result: SessionResult, *, said: frozenset[str] = frozenset()) -> None:
    """Everything below the last step. `said` are warnings that were shown where they arose."""
    paper.blank()
    lessons.section(paper, result)
    variables.section(paper, result)
    handover.gaps(paper, result)
    ledger.section(paper, result)
    entries(paper, "warnings", [text for text in result.warnings if text not in said], style="notice")
    handover.section(paper, result)
    paper.blank()
    ending, cost = closing_line(result)
    paper.line(Span(ending, "done" if result.status == Ending.COMPLETED else "failed"), cost, indent=INDENT)
    _next(paper, commands(result))


def closing_line(result: SessionResult) -> tuple[str, str]:
    """How the session ended, and what it took."""
    totals = result.ledger.totals
    parts = [f"{seconds(result.seconds)} of session time", f"{number(totals.all)} tokens"]
    if totals.remedy:
        parts.append(f"{percent(totals.ratio).replace(' ', GLUE)} of the main flow again for remedy")
    if result.status == Ending.COMPLETED:
        return f"{REASONS.get(result.reason, result.reason)} {_replans(result)}", f": {', '.join(parts)}."
    return f"Goal not met {_replans(result)}", f": {_why(result)}. {', '.join(parts)}."


def _why(result: SessionResult) -> str:
    """Why the session stopped short and where, with the reason's name and the gate's reading."""
    words, gate = REASONS.get(result.reason, result.reason), result.handover.gate if result.handover else None
    if gate is None:
        return f"{words} ({result.reason})"
    where = f" at step {gate.step_id}" if gate.step_id is not None else ""
    return f"{words}{where} ({result.reason}, {reading(gate.gate, gate.reading)}/{reading(gate.gate, gate.limit)})"


def _replans(result: SessionResult) -> str:
    asked = sum(line.kind == "replan" for line in result.ledger.lines)
    made = len(_replanned(result))
    counted = [plural(made, "replan")] if made else []
    fruitless = asked - made
    if fruitless and result.status == Ending.COMPLETED:
        counted.append(plural(fruitless, "refused draft"))
    elif fruitless:  # a session may also stop short because a planner gave up, or at a gate behind a good draft
        counted.append(f"{plural(fruitless, 'answer')} that came to nothing")
    return f"after {' and '.join(counted)}" if counted else "without a replan"


def _replanned(result: SessionResult) -> list[Revision]:
    """The revisions that replans made: a session that is taken up again may get a version of its own."""
    return [revision for revision in result.revisions if revision.granularity is not None]


def commands(result: SessionResult) -> list[str]:
    """What a person may want to run next: what the hand-over says, else a look at what happened."""
    if result.run is None:
        return []
    if result.handover is not None:
        return list(result.handover.next)
    last = next(reversed(_replanned(result)), None)
    return [
        *([f"replanctl diff {last.from_} {last.to}"] if last else []),
        *([f"replanctl why {result.signals[-1].step_id}"] if result.signals else []),
        "replanctl show --ledger" if last else "replanctl show --variables",
    ]


def _next(paper: Paper, todo: list[str]) -> None:
    spans: list[Span | str] = [Span("Next: ", "label")]
    for at, command in enumerate(todo):
        spans += [f" {paper.glyphs.dot} "] if at else []
        spans.append(Span(command.replace(" ", GLUE), "command"))
    if todo:
        paper.line(*spans, indent=INDENT, hang=INDENT + 6)
