"""Where the columns of a session's rows stand. They only ever grow, so that rows stay under each other."""

from __future__ import annotations

from collections.abc import Iterable

from replanctl.plan import StepLike
from replanctl.show.marks import title, tool_beside
from replanctl.show.paper import Paper, Span
from replanctl.show.text import width

LABEL = 8  # columns of the word that a detail line begins with
NARROW = 50  # below this many columns a row has no room for the tool
TIMED = 60  # and below this many none for how long it took


# A row reads: when it began, how long it took, in which lane it ran, how it ended, which step it is, what that does and
# with which tool. The first two are as wide as the longest time that `seconds` writes below a thousand hours, so that
# no row of a session moves the others; a lane is there only in sessions that run steps side by side.
class Columns:
    """The widths of start, duration, lane, mark, id, action and tool on a paper, for the steps seen so far.

    `time` is given where a screen has something else at the left; there is no duration then. `lanes` is how many steps
    run side by side.
    """

    def __init__(self, paper: Paper, *, time: int | None = None, lanes: int = 1) -> None:
        self.paper = paper
        self.time = time if time is not None else 7 if paper.width >= NARROW else 6
        self.took = 7 if time is None and paper.width >= TIMED else 0
        self.lane = max(len(_LANE), len(str(lanes))) + 1 if lanes > 1 and self.took else 0
        self.mark = width(paper.glyphs.done)
        self.id = 1
        self.tool = 4
        self.action = min(36, paper.width // 2 - 4)
        self._tools = False

    @property
    def left(self) -> int:
        """Where marks stand."""
        return self.time + self.took + self.lane + 1

    @property
    def details(self) -> int:
        """Where ids stand, and the lines below a row begin."""
        return self.left + self.mark + 1

    @property
    def text(self) -> int:
        """Where actions stand."""
        return self.details + self.id + 2

    @property
    def behind(self) -> int:
        """Where there is room behind the tools."""
        return self.text + self.action + 2 + self.tool + 2

    @property
    def below(self) -> int:
        """The columns of a line below a change."""
        return max(self.paper.width - self.text, 30)

    @property
    def room(self) -> int:
        """The columns of a detail line behind its word."""
        return max(self.paper.width - self.details - LABEL, 10)

    def grow(self, steps: Iterable[StepLike]) -> None:
        """Make room for these steps."""
        room = self.paper.width
        for step in steps:
            self.id = min(max(self.id, len(step.id)), max(room // 5, 3))
            self.tool = min(max(self.tool, width(tool_beside(step))), room // 4)
            self._tools = self._tools or bool(tool_beside(step))
            # Never narrower than it was: a later version with shorter actions must not move the rows under those above.
            self.action = max(self.action, width(self.paper.cut(title(step), room)))
        rest = room - self.text
        self.action = min(self.action, rest if room < NARROW else rest - self.tool - 2)

    def head(self) -> None:
        """Say what stands in the columns, above the first row."""
        lane = f" {_LANE:>{self.lane - 1}}" if self.lane else ""
        took = f" {'took':>{self.took - 1}}" if self.took else ""
        left = f"{'start':>{self.time}}{took}{lane}"
        tool = self._tools and self.paper.width >= NARROW
        what = f"{'step':<{self.id + 2 + self.action}}  tool" if tool else "step"
        self.paper.line(Span(f"{left:<{self.details}}{what}", "label"))

    def row(
        self,
        time: str,
        mark: Span,
        id_: str,
        action: str,
        note: str,
        style: str = "",
        *,
        took: str = "",
        lane: int | None = None,
    ) -> None:
        """Write one row; `note` stands behind the action, which makes room for it."""
        paper, room, beside = self.paper, self.action, ""
        if paper.width >= NARROW:
            beside = paper.cut(note, paper.width // 3)
            rest = paper.width - self.text
            room = min(room, rest - width(beside) - 2) if beside else max(room, rest)
        shown = Span(f"{paper.cell(id_, self.id)}  {paper.cell(action, room)}", style)
        paper.line(*self._left(time, took, lane), mark, " ", shown, Span(f"  {beside}", "dim"))

    def folded(self, time: str, mark: Span, ids: str, what: str, calls: str, took: str) -> None:
        """Write the line that stands for many rows: their ids, what they did, and how many calls and how long."""
        paper = self.paper
        under = min(self.text + self.action - self._behind(ids), self.folded_room(ids, calls))
        shown = f"{paper.pad(ids, self.id)}  {paper.pad(what, under)}"
        beside = Span(f"  {calls}" if paper.width >= NARROW else "", "dim")
        paper.line(*self._left(time, took), mark, " ", shown, beside, hang=self.text)

    def folded_room(self, ids: str, calls: str) -> int:
        """The columns that such a line has for what the rows did."""
        beside = width(calls) + 2 if self.paper.width >= NARROW else 0
        return max(self.paper.width - self._behind(ids) - beside, 0)

    def _left(self, time: str, took: str = "", lane: int | None = None) -> tuple[Span, Span]:
        """What stands before the mark: when, and beside it how long and in which lane."""
        beside = f"{took:>{self.took}}" if self.took else ""
        beside += f"{lane or '':>{self.lane}}" if self.lane else ""
        return Span(f"{time:>{self.time}}"), Span(f"{beside} ", "dim")

    def _behind(self, ids: str) -> int:
        """Where the text behind these ids stands."""
        return self.details + max(width(ids), self.id) + 2

    def event(self, time: str, mark: Span, *text: Span | str) -> None:
        """Write something that happened beside the steps."""
        self.paper.line(*self._left(time), mark, " ", *text, hang=self.text)

    def detail(self, label: str, *text: Span | str, style: str = "label") -> None:
        """Write a line below a row: a word, and what it says."""
        start = self.details
        self.paper.line(Span(f"{label:<{LABEL}}", style), *text, indent=start, hang=start + LABEL)

    def under(self, *text: Span | str) -> None:
        """Write a line below a row that says itself what it is."""
        self.paper.line(*text, indent=self.details, hang=self.details + 2)


_LANE = "lane"
