"""A plan as a graph, for what draws it: Mermaid and Graphviz. Foreign text stays text in both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from replanctl.kinds import StepState
from replanctl.show.graph import Picture, needs_of
from replanctl.show.marks import state_mark
from replanctl.show.naming import title, tool_beside
from replanctl.show.text import UNICODE, cut

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
