"""A step on a screen: the mark of its state, and what it is called where its number and its tool stand beside it."""

from __future__ import annotations

import re
from typing import NamedTuple

from replanctl.kinds import StepState
from replanctl.plan import StepLike
from replanctl.show.paper import Paper, Span
from replanctl.show.text import UNICODE, Glyphs, width

# Marks carry the meaning and colour only helps: a log, a colour-blind reader and a screen reader have the marks alone.
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


_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")  # a tool that is called like a plain word of an action


def title(step: StepLike) -> str:
    """The action, without the number that an imported step's action ends in: it stands beside it as the id."""
    # Imported steps end in their number so that no two share an action, which a fingerprint compares. Beside the id it
    # would be said twice.
    told = step.action.removesuffix(f" {step.id}")
    if told != step.action and (told.endswith("…") or _spelled(told, step.tool)):
        return told
    return step.action


def tool_beside(step: StepLike) -> str:
    """The tool, or nothing where the action begins with its name already."""
    return "" if step.action != step.tool and _spelled(title(step), step.tool) else step.tool


def _spelled(action: str, tool: str) -> bool:
    """Whether an action is the tool's name and what it is called with, rather than a sentence that begins alike."""
    if action == tool:
        return True
    rest = action.removeprefix(f"{tool} ")
    return rest != action and (not _WORD.fullmatch(tool) or rest.endswith("…") or rest.upper() == rest.lower())
