"""What a session ends with a warning about, each kind of which there are many in one line."""

from __future__ import annotations

import re

from replanctl.show.paper import Paper
from replanctl.show.section import entries
from replanctl.show.stretch import ids_in_words
from replanctl.show.words import number

FOLDED_FROM = 2  # rules that answered no call; one alone is written out
_UNUSED = re.compile(r"the outcome rule in line (\d+) was never used")


def section(paper: Paper, warnings: list[str]) -> None:
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
