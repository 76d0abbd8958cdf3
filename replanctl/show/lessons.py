"""What was learned, one line a lesson."""

from __future__ import annotations

from replanctl.run import SessionResult
from replanctl.show.paper import Paper
from replanctl.show.section import entries


def section(paper: Paper, result: SessionResult) -> None:
    """The lesson book at the end of the session, oldest first."""
    entries(paper, "lessons", _lines(paper, result))


def view(paper: Paper, result: SessionResult) -> None:
    """The lesson book alone."""
    for line in _lines(paper, result) or ["No lesson was learned."]:
        paper.line(line, indent=2, hang=4)


def _lines(paper: Paper, result: SessionResult) -> list[str]:
    times = paper.glyphs.times
    return [f"{lesson.text} {times}{lesson.count}" if lesson.count > 1 else lesson.text for lesson in result.lessons]
