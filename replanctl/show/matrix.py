"""A matrix on a screen: the grid, where there is no way out, what never decided anything, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replanctl.lab import HONEST, Facts, Matrix, Totals
from replanctl.show.grid import draw_grid
from replanctl.show.header import limits_in_words
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.text import GLUE
from replanctl.show.words import REASONS, number, plural, some

PLANS_SHOWN = 40
_NO_ANSWER = ("timeout", "rate_limited", "unavailable", "tool_error", "lost")
_ANSWERS = ("shape", "empty", "semantic")
BY_CONSTRUCTION = (
    "Imported, and with nothing else to try: no alternatives, no fallbacks, no planner. "
    "A fault that stays has no way out by construction."
)


def matrix_screen(paper: Paper, matrix: Matrix, todo: Sequence[str] = ()) -> None:
    """Write the matrix of one plan; `todo` are commands to go on with."""
    steps = len(matrix.rows)
    paper.line(Span(matrix.goal, "title"), indent=2)
    swept = f"{plural(steps, 'step')} {paper.glyphs.times} {len(matrix.statuses)} statuses, once and always"
    gates = limits_in_words(matrix.limits, steps)
    head = ["matrix", swept, plural(matrix.totals.sessions, "session"), f"mode {matrix.mode}", gates]
    paper.line(Span(paper.joined(head).replace(f",{GLUE}", ", "), "dim"), indent=2)
    if matrix.imported and matrix.bound_to_fail:
        paper.line(Span(BY_CONSTRUCTION, "notice"), indent=2)
    if not matrix.base.completed:
        said = REASONS.get(matrix.base.reason, matrix.base.reason)
        paper.line(Span("The script alone does not reach the goal: ", "notice"), said, ".", indent=2)
    paper.blank()
    draw_grid(paper, matrix)
    paper.blank()
    for finding in findings(matrix, paper.glyphs.ellipsis):
        entry(paper, finding.label, finding.text, style=finding.style)
    closing(paper, matrix.totals, todo)


class Finding(NamedTuple):
    """One line below the grid; a label that is empty goes on with the one before."""

    label: str
    text: str
    style: str = "label"


def findings(matrix: Matrix, ellipsis: str = "…") -> Iterator[Finding]:
    """What a matrix found, in words."""
    yield from _labelled("no way out", _no_way_out(matrix, ellipsis), "failed")
    dead = (f"{d.kind} {d.name}{f': {d.why}' if d.why else ''}" for d in matrix.coverage.dead)
    yield from _labelled("dead", dict.fromkeys(dead), "notice")
    yield from _labelled("twice", _twice(matrix), "notice")
    yield from _labelled("never used", _never_used(matrix))
    if matrix.unlanded:
        yield Finding("no landing", f"{some(list(matrix.unlanded), ellipsis)}: the step made no call it could meet")
    yield from _labelled("goals", _goals(matrix.goals))
    yield from _labelled("pairs", _pairs(matrix))


def _labelled(label: str, texts: Iterable[str], style: str = "label") -> Iterator[Finding]:
    yield from (Finding("" if at else label, text, style) for at, text in enumerate(texts))


def _no_way_out(matrix: Matrix, ellipsis: str) -> Iterator[str]:
    """Steps that are stranded by the same statuses, together."""
    # Steps with the same way out missing are one finding: a plan without fallbacks would repeat one line for every
    # step.
    alike: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for one in matrix.stranded:
        alike.setdefault((one.always, one.statuses), []).append(one.step_id)
    for (always, statuses), ids in alike.items():
        which = f"{'step' if len(ids) == 1 else 'steps'} {some(ids, ellipsis)}"
        yield f"{which}: {statuses_in_words(statuses)}{' that stays' if always else ', even once'}"
    if alike and matrix.bound_to_fail and not matrix.imported:
        yield "the plan has no fallback, no alternatives and no planner to get around a fault that stays"


def statuses_in_words(statuses: Sequence[str]) -> str:
    """Statuses, whole groups of them by name."""
    left, words = list(statuses), []
    for name, group in (("no answer", _NO_ANSWER), ("a wrong answer", _ANSWERS)):
        if all(status in left for status in group):
            words.append(name)
            left = [status for status in left if status not in group]
    if len(words) == 2 and len(left) == 2:
        return "any failure"
    return ", ".join([*words, *left])


def _twice(matrix: Matrix) -> Iterator[str]:
    """Tools that the same statuses make act twice, together."""
    alike: dict[tuple[str, bool, int], list[str]] = {}
    always = {one.tool for one in matrix.base.doubled}
    for one in matrix.twice:
        under = ", ".join(one.statuses) or "a new goal or two faults"
        when = "even without a fault" if one.tool in always else f"under {under}"
        alike.setdefault((when, one.idempotent, one.times), []).append(one.tool)
    for (when, idempotent, times), tools in alike.items():
        said = (
            "taken for idempotent, the same call takes"
            if idempotent
            else "although it acts only once, the same call takes"
        )
        yield f"{', '.join(tools)} {when}: {said} effect up to {times} times"


def _never_used(matrix: Matrix) -> Iterator[str]:
    coverage = matrix.coverage
    if coverage.gates_unused:
        yield f"gates {', '.join(coverage.gates_unused)}"
    if coverage.rules_unused:
        yield f"rules {', '.join(coverage.rules_unused)}"


def _goals(goals: Sequence[Facts]) -> Iterator[str]:
    # Of a change that nothing came of (the step was never reached, or the mode refuses it) no session says anything.
    taken = [facts for facts in goals if "goal-changed" in facts.rules]
    if taken:
        lost = [facts.key[1] for facts in taken if not facts.completed]
        where = f"; not after {', '.join(dict.fromkeys(lost))}" if lost else ""
        yield f"{number(len(taken) - len(lost))} of {plural(len(taken), 'changed goal')} met{where}"
    if len(taken) < len(goals):
        yield f"{plural(len(goals) - len(taken), 'goal change')} came to nothing: refused, or never due"


def _pairs(matrix: Matrix) -> Iterator[str]:
    pairs = matrix.pairs
    if pairs is None:
        return
    reach = f"{number(pairs.completed)} {'reaches' if pairs.completed == 1 else 'reach'} the goal"
    worse = f"{number(pairs.worse)} {'does' if pairs.worse == 1 else 'do'} not although each fault alone does"
    alone = "; the others end short under one of the two alone" if pairs.completed < pairs.tried else ""
    more = f"; {worse}" if pairs.worse else alone
    yield f"{number(pairs.tried)} of {number(pairs.in_all)} pairs of faults: {reach}{more}"
    for one in pairs.shown[:3]:
        yield f"{' and '.join(one.faults)}: {REASONS.get(one.reason, one.reason)}"


def totals_in_words(totals: Totals) -> str:
    """How many sessions came to what."""
    parts = [f"{number(totals.absorbed)} of them without a replan"] if totals.absorbed else []
    gaps = "all" if 1 < totals.with_gaps == totals.completed else number(totals.with_gaps)
    parts += [f"{gaps} with gaps"] if totals.with_gaps else []
    reach = "reaches" if totals.completed == 1 else "reach"
    met = f"{number(totals.completed)} of {plural(totals.sessions, 'session')} {reach} the goal"
    ends = {"handed over": totals.handed_over, "stopped": totals.stopped}
    short = [f"{number(many)} {'is' if many == 1 else 'are'} {how}" for how, many in ends.items() if many]
    # The second verb goes without saying where it is the first one's.
    said = " and ".join(short).replace(
        " are stopped", " stopped" if len(short) > 1 and totals.handed_over > 1 else " are stopped"
    )
    return f"{', '.join([met, *parts])}; {said or 'none ends short'}."


def closing(paper: Paper, totals: Totals, todo: Sequence[str]) -> None:
    """What it comes to, what it can't know, and how to go on."""
    paper.blank()
    paper.line(Span(totals_in_words(totals), "strong"), indent=2)
    honest_end(paper, todo)


def honest_end(paper: Paper, todo: Sequence[str]) -> None:
    """The line that says what no table here knows, and the commands to go on with."""
    paper.line(Span(HONEST, "dim"), indent=2)
    spans: list[Span | str] = []
    for command in todo:
        spans += [f" {paper.glyphs.dot} "] if spans else []
        spans.append(Span(command.replace(" ", GLUE), "command"))
    if spans:
        paper.line(Span("Next: ", "label"), *spans, indent=2, hang=8)


class PlanLine(NamedTuple):
    """One plan among many: its name, what its sessions came to, and how many faults leave it no way out."""

    name: str
    totals: Totals
    stranded: int
    dead: int


def matrices_screen(
    paper: Paper, lines: Sequence[PlanLine], totals: Totals, bound_to_fail: int, todo: Sequence[str]
) -> None:
    """Write a line for each plan, worst first; `bound_to_fail` of them are imported and have nothing else to try."""
    paper.line(
        Span(f"matrix of {plural(len(lines), 'plan')}", "title"), f", {plural(totals.sessions, 'session')}", indent=2
    )
    if bound_to_fail:
        paper.line(Span(f"{number(bound_to_fail)} of them: {BY_CONSTRUCTION}", "notice"), indent=2)
    paper.blank()
    shown = sorted(lines, key=lambda line: line.totals.completed / max(line.totals.sessions, 1))[:PLANS_SHOWN]
    room = max(min(paper.width - 2 - 48, max(len(line.name) for line in shown)), 12)
    heads = f"{'goal met':>12}{'handed over':>13}{'stopped':>9}{'no way out':>12}"
    narrow = paper.width < room + 48
    if not narrow:
        paper.line(Span(f"{'plan':<{room}}{heads}", "label"), indent=2)
    for line in shown:
        each = line.totals
        met = f"{number(each.completed)}/{number(each.sessions)}"
        if narrow:
            counts = [number(count) for count in (each.handed_over, each.stopped, line.stranded)]
            names = ("plan", "goal met", "handed over", "stopped", "no way out")
            paper.stacked(names, [[line.name, met, *counts]])
            continue
        said = f"{met:>12}{number(each.handed_over):>13}{number(each.stopped):>9}{number(line.stranded):>12}"
        name = (
            line.name if len(line.name) <= room else f"{paper.glyphs.ellipsis}{line.name[len(line.name) - room + 1 :]}"
        )
        paper.line(paper.cell(name, room), said, indent=2)
    if len(lines) > len(shown):
        left = number(len(lines) - len(shown))
        paper.line(
            Span(f"{paper.glyphs.ellipsis} {left} more that do better; --format json has them all", "dim"), indent=2
        )
    closing(paper, totals, todo)
