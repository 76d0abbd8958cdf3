"""A plan as a graph: for a person a list of its steps by levels, for what draws it Mermaid and Graphviz.

Foreign text stays text in all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from replanctl.kinds import StepState
from replanctl.plan import StepLike, in_order
from replanctl.show.columns import NARROW, Columns
from replanctl.show.marks import state_mark, state_span, title, tool_beside
from replanctl.show.paper import Paper, Span
from replanctl.show.stretch import ids_in_words
from replanctl.show.text import GLUE, UNICODE, Glyphs, cut, width
from replanctl.show.words import number, plural

HELD_FROM = 200  # steps; longer lists are written many lines at a time

_ORDER = (StepState.DONE, StepState.FAILED, StepState.SKIPPED, StepState.RUNNING, StepState.PENDING)


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
    beside = [_beside(columns, step, tools=any(map(tool_beside, steps))) for step in steps]
    columns.action = _room(columns, beside)
    before = 0
    for level, step, said in sorted(zip(levels, steps, beside, strict=True), key=lambda row: row[0]):
        _row(columns, step, said, picture.states.get(step.id), number(level) if level != before else "")
        before = level
    paper.flush()


def _beside(columns: Columns, step: StepLike, *, tools: bool) -> str:
    """What stands beside a step: its tool, unless none is said or there is no room, and what it comes after."""
    after = f"after {ids_in_words(step.depends_on, columns.paper.glyphs)}" if step.depends_on else ""
    if not tools or columns.paper.width < NARROW:
        return after
    return f"{columns.paper.cell(tool_beside(step), columns.tool)}  {after}".rstrip()


def _room(columns: Columns, beside: Sequence[str]) -> int:
    """The columns of actions: what the widest text beside them leaves, but never less than half of what they had."""
    rest = columns.paper.width - columns.text - max(map(width, beside), default=0) - 2
    return max(min(columns.action, rest), columns.action // 2)


def _row(columns: Columns, step: StepLike, beside: str, state: StepState | None, level: str) -> None:
    paper = columns.paper
    what = f"{paper.cell(step.id, columns.id)}  {paper.cell(title(step), columns.action)}  "
    mark = state_span(state, paper)
    paper.line(f"{level:>{columns.time}} ", mark, " ", what, Span(beside, "dim"), hang=columns.text)


def _counts(picture: Picture, glyphs: Glyphs) -> list[str]:
    """How many steps are in each state, with its mark."""
    counts = Counter(picture.states.values())
    said = [(state_mark(state, glyphs), number(counts[state]), state) for state in _ORDER if counts[state]]
    return [GLUE.join(filter(None, words)) for words in said]


def levels_of(steps: Sequence[StepLike]) -> list[int]:
    """The level of each step, from 1: one more than the highest of those it rests on."""
    needs = needs_of(steps)
    levels = [0] * len(steps)
    for at in in_order(needs):
        # The longest way from the beginning, so that everything a step rests on stands above it.
        levels[at] = 1 + max((levels[need] for need in needs[at]), default=0)
    return levels


def needs_of(steps: Sequence[StepLike]) -> list[list[int]]:
    """The positions of the steps that each step rests on."""
    position = {step.id: index for index, step in enumerate(steps)}
    return [[position[id_] for id_ in step.depends_on or () if id_ in position] for step in steps]


LABEL = 60  # columns of an action or a tool
_BREAK = "\\n"  # Graphviz breaks a line here
_PLAIN = frozenset(" .,_-")  # what Mermaid takes as it is, besides letters and digits
# What it reads even in characters given by number, formulas and icons: a space without width keeps them apart.
_READ_LATER = re.compile(r"\$(?=\$)|:(?=fa-)")

# The looks of a box by its step's state: in Mermaid, in Graphviz. The mark in its label says the same.
_LOOKS = {
    StepState.DONE: ("stroke:#2a7d2a", 'color="#2a7d2a"'),
    StepState.FAILED: ("stroke:#c0262d,stroke-width:3px", 'color="#c0262d", penwidth=3'),
    StepState.SKIPPED: ("stroke:#888,stroke-dasharray:4", 'color="#888888", style=dashed'),
}


# For Mermaid and Graphviz a label is code: a quote, a bracket or a formula in an action would change the graph or run.
# So everything foreign goes in by the number of its character, and boxes are named by position.
def mermaid(picture: Picture) -> Iterator[str]:
    """The lines of a flowchart. Boxes are named by position: an id may be a word that Mermaid takes for its own."""
    yield "flowchart TD"
    for at, label in enumerate(_labels(picture, _for_mermaid)):
        yield f'  n{at}["{"<br/>".join(label)}"]'
    for at, needs in enumerate(needs_of(picture.steps)):
        yield from (f"  n{need} --> n{at}" for need in needs)
    for state, (looks, _) in _LOOKS.items():
        boxes = [f"n{at}" for at, step in enumerate(picture.steps) if picture.states.get(step.id) is state]
        if boxes:
            yield f"  classDef {state} {looks}"
            yield f"  class {','.join(boxes)} {state}"


def dot(picture: Picture) -> Iterator[str]:
    """The lines of a directed graph for Graphviz."""
    steps = picture.steps
    yield "digraph plan {"
    yield f'  graph [label="{_for_dot(picture.goal)}", labelloc=t];'
    yield "  node [shape=box];"
    for step, label in zip(steps, _labels(picture, _for_dot), strict=True):
        state = picture.states.get(step.id)
        looks = f", {_LOOKS[state][1]}" if state in _LOOKS else ""
        yield f'  "{step.id}" [label="{_BREAK.join(label)}"{looks}];'
    for step, needs in zip(steps, needs_of(steps), strict=True):
        yield from (f'  "{steps[need].id}" -> "{step.id}";' for need in needs)
    yield "}"


def _labels(picture: Picture, escape: Callable[[str], str]) -> Iterator[list[str]]:
    """The lines in each box: the state's mark and the id, the action, the tool where it is not the same word."""
    for step in picture.steps:
        mark = state_mark(picture.states.get(step.id), UNICODE)
        texts = dict.fromkeys(filter(None, (title(step), tool_beside(step))))
        yield [f"{mark} {step.id}".strip(), *(escape(cut(text, LABEL)) for text in texts)]


def _for_mermaid(text: str) -> str:
    """Everything that may mean something to Mermaid as the number of its character."""
    apart = _READ_LATER.sub("\\g<0>\u200b", text)
    return "".join(char if char.isalnum() or char in _PLAIN else f"#{ord(char)};" for char in apart)


def _for_dot(text: str) -> str:
    """A text between double quotes, in which Graphviz reads escapes and entities."""
    return cut(text, 2 * LABEL).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
