"""The sections below a session: a word at the left, what it says beside it."""

from __future__ import annotations

from replanctl.show.paper import Paper, Span

# The longest label (`trajectory`) and a space.
INDENT, LABEL = 2, 11  # columns


def entry(paper: Paper, label: str, *text: Span | str, style: str = "label") -> None:
    """Write one line of a section; those after the first have no label."""
    paper.line(Span(f"{label:<{LABEL}}", style), *text, indent=INDENT, hang=INDENT + LABEL)


def entries(paper: Paper, label: str, lines: list[str], *, style: str = "label") -> None:
    """Write a section of plain lines; none, and nothing is written."""
    for at, line in enumerate(lines):
        entry(paper, "" if at else label, line, style=style)
