"""The marks of a step's state and of a session's ending: the same on every screen."""

from __future__ import annotations

from typing import NamedTuple

from replanctl.kinds import StepState
from replanctl.show.paper import Paper, Span
from replanctl.show.text import UNICODE, Glyphs, width

STYLES: dict[StepState | None, str] = {
    StepState.DONE: "done",
    StepState.FAILED: "failed",
    StepState.SKIPPED: "skipped",
    StepState.RUNNING: "notice",
}


def state_mark(state: StepState | None, glyphs: Glyphs) -> str:
    """The mark of a state; nothing for a step that did not run, or that is not known to have."""
    marks: dict[StepState | None, str] = {
        StepState.DONE: glyphs.done,
        StepState.FAILED: glyphs.failed,
        StepState.SKIPPED: glyphs.skipped,
        StepState.RUNNING: glyphs.notice,
    }
    return marks.get(state, "").strip()


def state_span(state: StepState | None, paper: Paper) -> Span:
    """The mark in its colour, as wide as all marks are."""
    return Span(paper.pad(state_mark(state, paper.glyphs), width(paper.glyphs.done)), STYLES.get(state, ""))


class Marks(NamedTuple):
    """One mark for each way a session ends, from the least to the worst; one that met its goal after replans is a
    digit."""

    unlanded: str
    absorbed: str
    gaps: str
    handed_over: str
    stopped: str


_UNICODE = Marks("·", "✓", "◐", "‼", "✗")
_ASCII = Marks(".", "+", "~", "!", "x")


def marks_for(paper: Paper) -> Marks:
    """The marks that this paper can show."""
    return _UNICODE if paper.glyphs is UNICODE else _ASCII
