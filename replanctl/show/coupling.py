"""The coupling test as a table: what a step's failure would take with it, what that calls for, what the file says."""

from __future__ import annotations

from collections.abc import Sequence

from replanctl.kinds import OnFailure
from replanctl.plan import CouplingRow
from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number

HELD_FROM = 200  # rows; longer tables are written many lines at a time
_COLUMNS = (("rest on it", 12), ("paralysed", 11))
NARROW = 64  # columns that a row takes beside its step
_WORD = 11  # columns of a verdict, and of what it calls for


def coupling_screen(paper: Paper, rows: Sequence[CouplingRow], said: Sequence[OnFailure | None]) -> None:
    """Write the table; `said` is each step's `on_failure` as the file has it, None where it says nothing."""
    room = min(max([width("step"), *(len(row.step_id) for row in rows)]), paper.width // 4)
    if len(rows) >= HELD_FROM:
        paper.hold()
    if paper.width < room + NARROW:
        cells = [_told(row, on_failure, paper) for row, on_failure in zip(rows, said, strict=True)]
        paper.stacked(("step", *(name for name, _ in _COLUMNS), "coupling", "calls for", "the file says"), cells)
        paper.flush()
        return
    counts = "".join(f"{name:>{columns}}" for name, columns in _COLUMNS)
    heads = f"{'coupling':<{_WORD}} {'calls for':<{_WORD}} the file says"
    paper.line(Span(f"{'step':<{room}}{counts}  {heads}", "label"), indent=2)
    for row, on_failure in zip(rows, said, strict=True):
        _row(paper, row, on_failure, room)
    paper.flush()


def _told(row: CouplingRow, said: OnFailure | None, paper: Paper) -> list[str]:
    counts = (number(row.dependents), number(row.paralysed))
    return [row.step_id, *counts, row.coupling, row.on_failure, said or paper.glyphs.dash]


def _row(paper: Paper, row: CouplingRow, said: OnFailure | None, room: int) -> None:
    counts = "".join(
        f"{number(count):>{columns}}"
        for count, (_, columns) in zip((row.dependents, row.paralysed), _COLUMNS, strict=True)
    )
    other = said is not None and said is not row.on_failure
    paper.line(
        paper.cell(row.step_id, room),
        f"{counts}  {row.coupling:<{_WORD}} ",
        Span(f"{row.on_failure:<{_WORD}} ", "strong"),
        Span(f"{said or paper.glyphs.dash}", "notice" if other else "dim"),
        indent=2,
    )
