"""The grid of a matrix: a row for each step, once and always, a mark for each status. Marks read without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replanctl.kinds import Reason
from replanctl.lab import Facts, Matrix, Row
from replanctl.show.marks import Marks, marks_for
from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number

FOLDED_FROM = 21  # steps; from there on a row is a tool
TOOLS_SHOWN = 20
WIDEST_LABEL = 34


_STYLES = {"unlanded": "dim", "absorbed": "done", "gaps": "notice", "handed_over": "person", "stopped": "failed"}
_WORST = ("unlanded", "absorbed", "replans", "gaps", "handed_over", "stopped")

# The columns in their groups, in the order of the statuses: the heads whole, short and shortest.
_GROUPS = (
    (
        ("no answer", "none"),
        (
            ("time", "time", "ti"),
            ("rate", "rate", "ra"),
            ("unav", "unav", "un"),
            ("tool", "tool", "to"),
            ("lost", "lost", "lo"),
        ),
    ),
    (
        ("an answer, but", "bad answer", "bad"),
        (("shape", "shap", "sh"), ("empty", "empt", "em"), ("semantic", "sem", "se")),
    ),
    (("other",), (("denied", "deny", "de"), ("error", "err", "er"))),
)
_GAP = 2  # columns between groups
# What the heads stand for, of those that are no words of their own.
_STATUSES = (
    "time: timeout",
    "rate: rate limited",
    "unav: unavailable",
    "tool: the tool failed",
    "lost: the answer got lost",
)


class Mark(NamedTuple):
    """What stands in a cell."""

    kind: str
    text: str

    @property
    def style(self) -> str:
        return _STYLES.get(self.kind, "revised")


def mark_of(facts: Facts, marks: Marks) -> Mark:
    """How a session ended, as a mark."""
    if facts.unlanded:
        return Mark("unlanded", marks.unlanded)
    if facts.reason is Reason.GOAL_MET:
        return Mark("replans", str(facts.replans)) if facts.replans else Mark("absorbed", marks.absorbed)
    kinds = {Reason.GOAL_MET_WITH_GAPS: "gaps", Reason.ESCALATED: "handed_over"}
    kind = kinds.get(facts.reason, "stopped")
    return Mark(kind, getattr(marks, kind))


def worst_of(all_facts: Iterable[Facts], marks: Marks) -> Mark:
    """The worst of many cells, with how many are as bad where not all are."""
    cells = [mark_of(facts, marks) for facts in all_facts]
    # A folded cell stands for all steps of a tool. It shows the worst of them and how many are as bad, for an average
    # would hide the one with no way out.
    worst = max(cells, key=lambda mark: (_WORST.index(mark.kind), len(mark.text), mark.text))
    as_bad = sum(mark.kind == worst.kind for mark in cells)
    if as_bad == len(cells) or worst.kind in ("replans", "absorbed"):
        return worst
    return Mark(worst.kind, f"{worst.text}{number(as_bad)}")


class Line(NamedTuple):
    """One step, or one tool with all its steps: a label, and the cells of each status, once and always."""

    label: str
    once: Sequence[Mark]
    always: Sequence[Mark]


def draw_grid(paper: Paper, matrix: Matrix) -> None:
    """Write the grid and what its marks mean."""
    marks = marks_for(paper)
    lines, more = _lines(matrix.rows, marks)
    rooms = _rooms(paper, lines)
    label = max(
        min(paper.width - 2 - 8 - _total(rooms), WIDEST_LABEL, max(width(paper.clean(line.label)) for line in lines)), 4
    )
    for head in _heads(rooms):
        paper.line(Span(f"{'':<{label + 8}}{head}", "label"), indent=2)
    for line in lines:
        for name, cells in (("once", line.once), ("always", line.always)):
            said = paper.cell(line.label, label) if name == "once" else " " * label
            paper.line(said, Span(f" {name:<7}", "dim"), *_cells(cells, rooms), indent=2)
    if more:
        paper.line(Span(f"{paper.glyphs.ellipsis} {number(more)} more tools that do better", "dim"), indent=2)
    _legend(paper, marks, lines, matrix)


def _lines(rows: Sequence[Row], marks: Marks) -> tuple[list[Line], int]:
    """A line for each step, or for each tool, the worst tools first where they are many; and how many are left out."""
    if len(rows) < FOLDED_FROM:
        return [
            Line(f"{r.step_id} {r.action}", [mark_of(f, marks) for f in r.once], [mark_of(f, marks) for f in r.always])
            for r in rows
        ], 0
    tools: dict[str, list[Row]] = {}
    for row in rows:
        tools.setdefault(row.tool, []).append(row)
    order = sorted(tools, key=lambda tool: -_bad(tools[tool])) if len(tools) > TOOLS_SHOWN else list(tools)
    return [_folded(tool, tools[tool], marks) for tool in order[:TOOLS_SHOWN]], max(len(tools) - TOOLS_SHOWN, 0)


def _bad(rows: Sequence[Row]) -> int:
    return sum(not facts.completed for row in rows for facts in (*row.once, *row.always))


def _folded(tool: str, rows: Sequence[Row], marks: Marks) -> Line:
    once = [worst_of(column, marks) for column in zip(*(row.once for row in rows), strict=True)]
    always = [worst_of(column, marks) for column in zip(*(row.always for row in rows), strict=True)]
    return Line(f"{tool} ×{len(rows)}" if len(rows) > 1 else tool, once, always)


Rooms = list[list[tuple[str, int]]]  # by group: the head of each column, line by line, and the columns it takes


def _rooms(paper: Paper, lines: Sequence[Line]) -> Rooms:
    """The widest heads that leave half of the paper to the labels, at least their own width; on the narrowest paper
    heads stand upright."""
    most = max((width(mark.text) for line in lines for mark in (*line.once, *line.always)), default=1)
    # The widest of three spellings that leaves half of the paper to the labels; at the narrowest, two letters a column.
    for written in range(3):
        rooms = [[(names[written], max(len(names[written]), most) + 1) for names in columns] for _, columns in _GROUPS]
        if _total(rooms) <= paper.width - 26:
            return rooms
    if _total(rooms) <= paper.width - 14:
        return rooms
    return [[("\n".join(names[2]), most + 1) for names in columns] for _, columns in _GROUPS]


def _total(rooms: Rooms) -> int:
    return sum(room for group in rooms for _, room in group) + _GAP * (len(rooms) - 1)


def _heads(rooms: Rooms) -> Iterator[str]:
    """The names of the groups over the names of the columns."""
    columns = [sum(room for _, room in group) for group in rooms]
    over = [f"{_that_fits(names, room):^{room}}" for (names, _), room in zip(_GROUPS, columns, strict=True)]
    gap = " " * _GAP
    yield gap.join(over).rstrip()
    for at in range(max(head.count("\n") for group in rooms for head, _ in group) + 1):
        yield gap.join("".join(f"{head.split(chr(10))[at]:>{room}}" for head, room in group) for group in rooms)


def _that_fits(names: Sequence[str], columns: int) -> str:
    """The longest name that leaves a space between itself and the next one, or none."""
    return next((name for name in names if len(name) < columns), "")


def _cells(marks: Sequence[Mark], rooms: Rooms) -> Iterator[Span]:
    left = iter(marks)
    for at, group in enumerate(rooms):
        for head, room in group:
            mark = next(left)
            below = len(head.partition("\n")[0])
            lead = max(room - below + (below - width(mark.text)) // 2, 0)
            yield Span(f"{' ' * (_GAP if at and head == group[0][0] else 0)}{' ' * lead}")
            yield Span(mark.text, mark.style)
            yield Span(" " * max(room - lead - width(mark.text), 0))


def _legend(paper: Paper, marks: Marks, lines: Sequence[Line], matrix: Matrix) -> None:
    """What those marks mean that are there."""
    met = {mark.kind for line in lines for mark in (*line.once, *line.always)}
    said = {
        "absorbed": f"{marks.absorbed} goal met without a replan",
        "replans": "1 goal met after as many replans as it says",
        "gaps": f"{marks.gaps} met with gaps",
        "stopped": f"{marks.stopped} stopped short",
        "handed_over": f"{marks.handed_over} handed over to a person",
        "unlanded": f"{marks.unlanded} the failure met no call",
    }
    paper.line(
        Span("   ".join(text.replace(" ", "\u00a0") for kind, text in said.items() if kind in met), "dim"), indent=2
    )
    paper.line(Span("   ".join(text.replace(" ", "\u00a0") for text in _STATUSES), "dim"), indent=2)
