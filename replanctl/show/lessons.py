"""What was learned, one line a lesson."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from replanctl.run import SessionResult
from replanctl.show.paper import Paper
from replanctl.show.section import entries
from replanctl.show.words import number

PLACES = 4  # so many are named; of more the first and the last
_FORM = re.compile(r"(v\d+ step \S+) ([\w-]+): (.*); avoid: (.*)", re.DOTALL)

_WAY = re.compile(r"(.*): (.*)", re.DOTALL)  # a tool, and how it answered


def section(paper: Paper, result: SessionResult) -> None:
    """The lesson book at the end of the session, oldest first."""
    entries(paper, "lessons", _lines(paper, result))


def view(paper: Paper, result: SessionResult) -> None:
    """The lesson book alone."""
    for line in _lines(paper, result) or ["No lesson was learned."]:
        paper.line(line, indent=2, hang=4)


def _lines(paper: Paper, result: SessionResult) -> list[str]:
    """One line for lessons that say the same, with every place they were learned at."""
    # The same lesson of twenty steps is one line with its places.
    places: dict[str, list[str]] = {}
    for lesson in result.lessons:
        text = Lesson.read(lesson.text)
        again = f", {number(lesson.count)} times" if lesson.count > 1 else ""
        places.setdefault(f"{text.says(paper.glyphs.times)}{again}", []).append(text.place)
    return [f"{_several(where, paper.glyphs.ellipsis)} {says}".strip() for says, where in places.items()]


def _several(places: list[str], ellipsis: str) -> str:
    if len(places) <= PLACES:
        return ", ".join(places)
    return f"{places[0]} {ellipsis} {places[-1]} ({number(len(places))})"


class Lesson(NamedTuple):
    """A lesson's text in its parts: `v1 step 3 assumption: <cause>; avoid: <way>`. One of another form is all cause."""

    place: str
    error_type: str
    cause: str
    avoid: str

    @classmethod
    def read(cls, text: str) -> Lesson:
        """Take a text apart."""
        found = _FORM.fullmatch(text)
        if found is None:
            return cls("", "", text, "none")
        return cls(found[1].removesuffix(" step none"), found[2], found[3], found[4])

    def says(self, times: str) -> str:
        """What was learned, without where, and without what it leaves open."""
        said = f"{self.error_type}: {cause_in_words(self.cause)}" if self.error_type else self.cause
        return "; ".join(filter(None, (said, self.way(times))))

    def way(self, times: str) -> str:
        """What not to do again, or nothing; equal ways are counted."""
        if self.avoid == "none":
            return ""
        ways = Counter(self.avoid.split(", "))
        said = (f"{way} {times}{count}" if count > 1 else way for way, count in ways.items())
        return "avoid " + ", ".join(_WAY.sub(r"\1 (\2)", way) for way in said)


def cause_in_words(cause: str) -> str:
    """A lesson's cause, without the expectation that its step did not have."""
    return cause.removeprefix("expected none, got ")
