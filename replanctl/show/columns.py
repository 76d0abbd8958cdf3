"""Where the columns of a session's rows stand. They only ever grow, so that rows stay under each other."""

from __future__ import annotations

from collections.abc import Iterable

from replanctl.plan import StepLike
from replanctl.show.naming import title, tool_beside
from replanctl.show.paper import Paper, Span
from replanctl.show.text import width

LABEL = 8  # columns of the word that a detail line begins with
NARROW = 50  # below this many columns a row has no room for the tool


class Columns:
    """The widths of time, mark, id, action and tool on a paper, for the steps seen so far."""

    def __init__(self, paper: Paper, *, time: int | None = None) -> None:
        self.paper = paper
        self.time = time if time is not None else 7 if paper.width >= NARROW else 5
        self.mark = width(paper.glyphs.done)
        self.id = 1
        self.tool = 4
        self.action = min(36, paper.width // 2 - 4)

    @property
    def details(self) -> int:
        """Where ids stand, and the lines below a row begin."""
        return self.time + self.mark + 2

    @property
    def text(self) -> int:
        """Where actions stand."""
        return self.details + self.id + 2

    def grow(self, steps: Iterable[StepLike]) -> None:
        """Make room for these steps."""
        room = self.paper.width
        for step in steps:
            self.id = min(max(self.id, len(step.id)), max(room // 5, 3))
            self.tool = min(max(self.tool, width(tool_beside(step))), room // 4)
            self.action = max(self.action, width(self.paper.cut(title(step), room)))
        rest = room - self.text
        self.action = min(self.action, rest if room < NARROW else rest - self.tool - 2)

    def row(self, time: str, mark: Span, id_: str, action: str, note: str, style: str = "") -> None:
        """Write one row; `note` stands behind the action, which makes room for it."""
        paper, room, beside = self.paper, self.action, ""
        if paper.width >= NARROW:
            beside = paper.cut(note, paper.width // 3)
            rest = paper.width - self.text
            room = min(room, rest - width(beside) - 2) if beside else max(room, rest)
        shown = Span(f"{paper.cell(id_, self.id)}  {paper.cell(action, room)}", style)
        paper.line(f"{time:>{self.time}} ", mark, " ", shown, Span(f"  {beside}", "dim"))

    def folded(self, time: str, mark: Span, ids: str, what: str, took: str) -> None:
        """Write the line that stands for many rows: their ids, what they did, and beside it what it took."""
        paper = self.paper
        under = min(self.text + self.action - self._behind(ids), self.folded_room(ids, took))
        shown = f"{paper.pad(ids, self.id)}  {paper.pad(what, under)}"
        beside = Span(f"  {took}" if paper.width >= NARROW else "", "dim")
        paper.line(f"{time:>{self.time}} ", mark, " ", shown, beside, hang=self.text)

    def folded_room(self, ids: str, took: str) -> int:
        """The columns that such a line has for what the rows did."""
        beside = width(took) + 2 if self.paper.width >= NARROW else 0
        return max(self.paper.width - self._behind(ids) - beside, 0)

    def _behind(self, ids: str) -> int:
        """Where the text behind these ids stands."""
        return self.details + max(width(ids), self.id) + 2

    def event(self, time: str, mark: Span, *text: Span | str) -> None:
        """Write something that happened beside the steps."""
        self.paper.line(f"{time:>{self.time}} ", mark, " ", *text, hang=self.text)

    def detail(self, label: str, *text: Span | str, style: str = "label") -> None:
        """Write a line below a row: a word, and what it says."""
        start = self.details
        self.paper.line(Span(f"{label:<{LABEL}}", style), *text, indent=start, hang=start + LABEL)

    def under(self, *text: Span | str) -> None:
        """Write a line below a row that says itself what it is."""
        self.paper.line(*text, indent=self.details, hang=self.details + 2)
