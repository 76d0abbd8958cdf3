"""The sections below a session: a word at the left, what it says beside it; and the last of them, its warnings."""

from __future__ import annotations

import re

from replanctl.show.paper import Paper, Span
from replanctl.show.stretch import ids_in_words
from replanctl.show.words import number

# The longest label (`trajectory`) and a space.
INDENT, LABEL = 2, 11  # columns


def entry(paper: Paper, label: str, *text: Span | str, style: str = "label") -> None:
    """Write one line of a section; those after the first have no label."""
    paper.line(Span(f"{label:<{LABEL}}", style), *text, indent=INDENT, hang=INDENT + LABEL)


def entries(paper: Paper, label: str, lines: list[str], *, style: str = "label") -> None:
    """Write a section of plain lines; none, and nothing is written."""
    for at, line in enumerate(lines):
        entry(paper, "" if at else label, line, style=style)


FOLDED_FROM = 2  # rules that answered no call; one alone is written out
_UNUSED = re.compile(r"the outcome rule in line (\d+) was never used")


def warnings_section(paper: Paper, warnings: list[str]) -> None:
    """The warnings in their order, then the rules that answered no call."""
    lines = [found[1] for text in warnings if (found := _UNUSED.fullmatch(text))]
    # A script written for many scenarios has rules that this session never reached: thirty such lines would bury the
    # one warning that matters.
    if len(lines) < FOLDED_FROM:
        entries(paper, "warnings", warnings, style="notice")
        return
    others = [text for text in warnings if not _UNUSED.fullmatch(text)]
    entries(paper, "warnings", [*others, _unused(paper, lines)], style="notice")


def _unused(paper: Paper, lines: list[str]) -> str:
    """A rule that was not reached is no fault of itself: how many there are, and where they stand."""
    where = ids_in_words(lines, paper.glyphs)
    how = " (show --format json names them all)" if paper.glyphs.ellipsis in where else ""
    return f"{number(len(lines))} outcome rules were never used, in lines {where}{how}"
