"""A plan as a graph, for a person: a list of its steps by levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from replanctl.kinds import StepState
from replanctl.plan import StepLike, in_order
from replanctl.show.columns import Columns
from replanctl.show.paper import Paper, Span
from replanctl.show.text import GLUE, Glyphs
from replanctl.show.words import number, plural, some

HELD_FROM = 200  # steps; longer lists are written many lines at a time

_ORDER = (StepState.DONE, StepState.FAILED, StepState.SKIPPED, StepState.RUNNING, StepState.PENDING)
_STYLES: dict[StepState | None, str] = {
    StepState.DONE: "done",
    StepState.FAILED: "failed",
    StepState.SKIPPED: "skipped",
}


class Picture(msgspec.Struct, frozen=True):
    """What is drawn. `origin` says where the steps are from: a run and its version, or nothing for a plan, which has no
    states either."""

    goal: str
    origin: tuple[str, ...]
    steps: tuple[StepLike, ...]
    states: dict[str, StepState] = {}


def graph_screen(paper: Paper, picture: Picture) -> None:
    """Write the steps level by level: each stands one below the lowest of those it rests on."""
    steps, levels = picture.steps, levels_of(picture.steps)
    if len(steps) >= HELD_FROM:
        paper.hold()
    paper.line(Span(picture.goal, "title"), indent=2)
    size = f"{plural(len(steps), 'step')} on {plural(max(levels, default=0), 'level')}"
    paper.line(Span(paper.joined([*picture.origin, size]), "dim"), indent=2)
    if picture.states:
        paper.line(Span("  ".join(_counts(picture, paper.glyphs)), "dim"), indent=2)
    paper.blank()
    columns = Columns(paper, time=len(number(max(levels, default=0))) + 2)
    columns.grow(steps)
    before = 0
    for level, step in sorted(zip(levels, steps, strict=True), key=lambda pair: pair[0]):
        _row(columns, step, picture.states.get(step.id), number(level) if level != before else "")
        before = level
    paper.flush()


def _row(columns: Columns, step: StepLike, state: StepState | None, level: str) -> None:
    paper = columns.paper
    mark = Span(paper.pad(state_mark(state, paper.glyphs), columns.mark), _STYLES.get(state, ""))
    what = f"{paper.cell(step.id, columns.id)}  {paper.cell(step.action, columns.action)}  "
    after = f"  after {some([*step.depends_on], paper.glyphs.ellipsis)}" if step.depends_on else ""
    tool = paper.cell(step.tool, columns.tool)
    paper.line(f"{level:>{columns.time}} ", mark, " ", what, Span(f"{tool}{after}", "dim"), hang=columns.text)


def _counts(picture: Picture, glyphs: Glyphs) -> list[str]:
    """How many steps are in each state, with its mark."""
    counts = Counter(picture.states.values())
    said = [(state_mark(state, glyphs), number(counts[state]), state) for state in _ORDER if counts[state]]
    return [GLUE.join(filter(None, words)) for words in said]


def state_mark(state: StepState | None, glyphs: Glyphs) -> str:
    """The mark of a state; nothing for a step that did not run, or that is not known to have."""
    marks: dict[StepState | None, str] = {
        StepState.DONE: glyphs.done,
        StepState.FAILED: glyphs.failed,
        StepState.SKIPPED: glyphs.skipped,
        StepState.RUNNING: glyphs.notice,
    }
    return marks.get(state, "").strip()


def levels_of(steps: Sequence[StepLike]) -> list[int]:
    """The level of each step, from 1: one more than the highest of those it rests on."""
    needs = needs_of(steps)
    levels = [0] * len(steps)
    for at in in_order(needs):
        levels[at] = 1 + max((levels[need] for need in needs[at]), default=0)
    return levels


def needs_of(steps: Sequence[StepLike]) -> list[list[int]]:
    """The positions of the steps that each step rests on."""
    position = {step.id: index for index, step in enumerate(steps)}
    return [[position[id_] for id_ in step.depends_on or () if id_ in position] for step in steps]
