"""A terminal that is looked at: it must show a text as it is, and be made to do nothing else."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple

import pyte

# What a terminal is asked to do by a text without control codes but the end of a line.
_WRITING = {"draw", "linefeed", "carriage_return"}
COLOUR = "select_graphic_rendition"


class Witness:
    """Stands between what is written and a screen, and keeps the names of what the screen is asked to do."""

    def __init__(self, screen: pyte.Screen) -> None:
        self.acts: list[str] = []
        self._screen = screen

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._screen, name)
        if name not in pyte.Stream.events or name in _WRITING:
            return act

        def noted(*args: Any, **kwargs: Any) -> None:
            self.acts.append(name)
            act(*args, **kwargs)

        return noted


class Seen(NamedTuple):
    """What stands on a terminal: for each line its cells. The second cell of a wide character is empty."""

    cells: list[list[pyte.screens.Char]]
    acts: list[str]
    after: str  # the colour that would be written in next

    @property
    def lines(self) -> list[list[str]]:
        """For each line what stands in its cells."""
        return [[cell.data for cell in line] for line in self.cells]

    @property
    def text(self) -> str:
        """Everything, lines without the space behind them."""
        return "".join("".join(line).rstrip() + "\n" for line in self.lines)

    @property
    def widest(self) -> int:
        """The columns of the longest line."""
        return max(map(len, self.cells), default=0)

    def colours_of(self, text: str) -> set[str]:
        """The colours in which a character is written."""
        return {cell.fg for line in self.cells for cell in line if cell.data == text}

    def columns_of(self, text: str, rows: str) -> list[int]:
        """At which column the lines that match `rows` have this text, of those that have it."""
        lines = (line for line in self.lines if re.search(rows, "".join(line)))
        return [column for line in lines if (column := _column(line, text)) is not None]


def look(said: str, columns: int) -> Seen:
    """What a terminal of so many columns shows of what was written to it.

    It has one more, in which nothing may stand: pyte takes a mark on a letter in the last column to the next line.
    """
    screen = pyte.Screen(columns + 1, said.count("\n") + 2)
    witness = Witness(screen)
    pyte.Stream(witness).feed(said.replace("\n", "\r\n"))
    rows = (screen.buffer[y] for y in range(screen.lines - 2))
    cells = [[row[x] for x in range(max(row, default=-1) + 1)] for row in rows]
    return Seen(cells, witness.acts, screen.cursor.attrs.fg)


def as_written(said: str) -> str:
    """How a text must look on a terminal: letter by letter, only that a mark joins its letter."""
    return unicodedata.normalize("NFC", "".join(line.rstrip(" ") + "\n" for line in said.split("\n")[:-1]))


def _column(line: list[str], text: str) -> int | None:
    at = "".join(line).find(text)
    if at < 0:
        return None
    taken = 0
    for column, cell in enumerate(line):
        if taken >= at:
            return column
        taken += len(cell)
    return None
