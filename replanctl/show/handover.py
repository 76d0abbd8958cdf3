"""What a person gets when a session stopped short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from replanctl.run import Gap, GateView, HandOver, SessionResult
from replanctl.show import lessons
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entries, entry
from replanctl.show.stretch import FOLDED_FROM, ids_in_words
from replanctl.show.text import Glyphs
from replanctl.show.words import brief, counted, number, some

_DONE = re.compile(r"(v\d+) step \S+ done")
SHOWN = 40  # so many results and steps of the trajectory are listed, half of them from the end


def gaps(paper: Paper, result: SessionResult) -> None:
    """The steps that went without a result."""
    entries(paper, "gaps", [gap_in_words(gap) for gap in result.gaps])


def gap_in_words(gap: Gap) -> str:
    """`E2: unavailable: no route to host`, or what it was blocked by."""
    why = f"blocked by {', '.join(gap.blocked_by)}" if gap.blocked_by else f"{gap.error_type}: {gap.error_msg}"
    return f"E{gap.step_id}: {why}"


def section(paper: Paper, result: SessionResult) -> None:
    """The hand-over in short; a gate that stopped the session has said so, the values are left to `view`."""
    if result.handover is None:
        return
    handed = result.handover
    # The closing line names the gate and its reading already.
    why = "" if handed.gate else result.detail
    names = some(list(handed.clean_results), paper.glyphs.ellipsis) or "nothing"
    failure = last_failure(result)
    left = some(list(handed.open), paper.glyphs.ellipsis)
    lines = [why, f"done and clean: {names}", left and f"never run: {left}", failure and f"last failure: {failure}"]
    entries(paper, "hand-over", [line for line in lines if line])


def view(paper: Paper, result: SessionResult) -> None:
    """The whole hand-over, results with their values and what a person can do next included."""
    handed = result.handover
    if handed is None:
        paper.line("The session completed: there is nothing to hand over.", indent=2)
        return
    why = gate_in_words(handed.gate) if handed.gate else result.detail
    entry(paper, "reason", Span(handed.reason, "failed"), f": {why}" if why else "")
    if failure := last_failure(result):
        entry(paper, "failure", failure)
    entries(paper, "results", _ends(paper, _results(paper, handed)) or ["none that is still clean"])
    entries(paper, "never run", [some(list(handed.open), paper.glyphs.ellipsis)] if handed.open else [])
    entries(paper, "trajectory", _ends(paper, _trajectory(handed.trajectory, paper.glyphs)))
    lessons.section(paper, result)
    gaps(paper, result)
    entries(paper, "next", list(handed.next))


def _ends(paper: Paper, lines: Sequence[str]) -> list[str]:
    """The lines, or the first and the last of very many."""
    more = len(lines) - SHOWN
    if more <= 0:
        return list(lines)
    half = SHOWN // 2
    return [*lines[:half], f"{paper.glyphs.ellipsis} {number(more)} more", *lines[-half:]]


def _trajectory(lines: Sequence[str], glyphs: Glyphs) -> list[str]:
    """What was done, a line each; steps that were done one after the other in a version share one."""
    told: list[str] = []
    # A trajectory of forty steps that went well is one fact, and hides the two lines that are not.
    for version, group in groupby(lines, key=lambda line: found[1] if (found := _DONE.fullmatch(line)) else None):
        stretch = list(group)
        if version is None or len(stretch) < FOLDED_FROM:
            told += stretch
        else:
            ids = [line.split()[2] for line in stretch]
            told.append(f"{version} steps {ids_in_words(ids, glyphs)} done")
    return told


def _results(paper: Paper, handed: HandOver) -> list[str]:
    room = max(paper.width - 24, 16)
    return [f"{name} = {brief(value, room, paper.glyphs)}" for name, value in handed.clean_results.items()]


def gate_in_words(gate: GateView) -> str:
    """Which gate refused, where, and what it counted."""
    where = f"at step {gate.step_id} in" if gate.step_id is not None else "in"
    return f"{gate.gate} {where} {gate.version}, {counted(gate.gate, gate.reading, gate.limit)}"


def last_failure(result: SessionResult) -> str:
    """The newest failure in a line, or nothing."""
    if not result.signals:
        return ""
    signal = result.signals[-1]
    return f"step {signal.step_id} in {signal.version}, {signal.error_type}: {signal.error_msg}"
