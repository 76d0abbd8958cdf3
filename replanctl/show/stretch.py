"""A stretch of rows of which there is nothing to tell one by one, and the line that stands for it."""

from __future__ import annotations

from collections.abc import Iterable

from replanctl.kinds import StepState
from replanctl.run import StepEnd
from replanctl.show.flight import Ended
from replanctl.show.text import Glyphs, width
from replanctl.show.words import number, plural, seconds

FOLDED_FROM = 5  # rows; shorter stretches are written out
RANGES = 3  # so many ranges of ids are named; of more the first and the last id


# Forty steps that went as planned are one fact. So rows alike in state and blocker are counted and written as one line;
# whatever a person has to look at (a failure, a retry, a warning) ends the stretch and stands alone.
class Stretch:
    """Rows that share a state and what blocked them. It keeps few of them, however long it is."""

    def __init__(self, first: StepEnd) -> None:
        self.state = first.state
        self.blocked_by = first.blocked_by
        self.rows: list[Ended] = []  # the first ones: they are written where it stays short
        self.count = 0
        self.began, self.ended = first.started, first.at
        self._calls = 0
        self._tools: dict[str, int] = {}
        self._ranges: list[list[str]] = []

    def takes(self, event: StepEnd) -> bool:
        """Whether a row is one more of these."""
        return event.state is self.state and event.blocked_by == self.blocked_by

    def add(self, ended: Ended) -> None:
        """Take a row in."""
        event = ended.event
        if self.count < FOLDED_FROM:
            self.rows.append(ended)
        self.count += 1
        self.began, self.ended = min(self.began, event.started), max(self.ended, event.at)
        self._calls += len(event.attempts)
        self._tools[event.tool] = self._tools.get(event.tool, 0) + 1
        _extend(self._ranges, event.step_id)

    @property
    def is_long(self) -> bool:
        """Whether one line stands for it."""
        return self.count >= FOLDED_FROM

    def ids(self, glyphs: Glyphs) -> str:
        """`1–11`, `1–4, 7–9`, or the first and the last of many."""
        return _in_ranges(self._ranges, glyphs)

    def what(self, columns: int, glyphs: Glyphs) -> str:
        """The tools that were called, as many as fit; of skipped steps what they wait for."""
        if self.state is StepState.SKIPPED:
            return f"skipped, blocked by {', '.join(self.blocked_by)}" if self.blocked_by else "skipped"
        return _as_many_as_fit([_times(tool, count, glyphs) for tool, count in self._tools.items()], columns, glyphs)

    def calls(self, *, timed: bool) -> str:
        """`11 calls`, and if it is `timed` how long they took; of skipped steps how many they are."""
        if self.state is StepState.SKIPPED:
            return plural(self.count, "step")
        return f"{plural(self._calls, 'call')}{f', {self.took()}' if timed else ''}"

    def took(self) -> str:
        """The time from the first start to the last end; nothing for skipped steps."""
        return "" if self.state is StepState.SKIPPED else seconds(self.ended - self.began)


def ids_in_words(ids: Iterable[str], glyphs: Glyphs) -> str:
    """`1–11`, `1–4, 7–9`, or the first and the last of many."""
    ranges: list[list[str]] = []
    for id_ in ids:
        _extend(ranges, id_)
    return _in_ranges(ranges, glyphs)


def _extend(ranges: list[list[str]], id_: str) -> None:
    """Take an id in, in the order of the steps. Of more ranges than are named only the newest is kept."""
    if ranges and _follows(ranges[-1][1], id_):
        ranges[-1][1] = id_
    else:
        # A stretch of 100,000 steps may have as many ranges, of which the first few and the newest are ever named.
        ranges[RANGES:] = [[id_, id_]]


def _in_ranges(ranges: list[list[str]], glyphs: Glyphs) -> str:
    if len(ranges) > RANGES:
        return f"{ranges[0][0]} {glyphs.ellipsis} {ranges[-1][1]}"
    return ", ".join(first if first == last else f"{first}{glyphs.dash}{last}" for first, last in ranges)


def _follows(one: str, other: str) -> bool:
    """Whether two ids count on: `9` and `10`, `s9` and `s10`."""
    stem, behind = one.rstrip("0123456789"), other.rstrip("0123456789")
    numbers = one[len(stem) :], other[len(behind) :]
    return stem == behind and all(numbers) and int(numbers[0]) + 1 == int(numbers[1])


def _times(tool: str, count: int, glyphs: Glyphs) -> str:
    return tool if count == 1 else f"{tool} {glyphs.times}{number(count)}"


def _as_many_as_fit(names: list[str], columns: int, glyphs: Glyphs) -> str:
    shown: list[str] = []
    left = columns
    for at, name in enumerate(names):
        left -= width(name) + 2
        if left < (width(glyphs.ellipsis) if at + 1 < len(names) else -2) and shown:
            return ", ".join([*shown, glyphs.ellipsis])
        shown.append(name)
    return ", ".join(shown)
