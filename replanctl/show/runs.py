"""The stored runs, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Protocol

from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number, seconds

DATE, TIME = 72, 100  # columns from which on the day a run began is shown, and the year and the time of day too
NAME, GOAL = 20, 12  # columns that a plan's name may take, and that are left at least where the goal is shown
_WORDS = ("started", "ended")  # columns of words; the others are of numbers


class RunLine(Protocol):
    """What is shown of a run."""

    @property
    def run(self) -> int: ...
    @property
    def started(self) -> str: ...
    @property
    def goal(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def versions(self) -> int | None: ...
    @property
    def tokens(self) -> int | None: ...
    @property
    def plan(self) -> str | None: ...


def runs_screen(paper: Paper, runs: Sequence[RunLine], *, some: bool = False) -> None:
    """Write the list as it is given; `some` says that only certain ones were asked for."""
    if not runs and some:
        paper.line("There is no such run.", indent=2)
        return
    if not runs:
        paper.line("There are no runs yet: replanctl run PLAN makes the first.", indent=2)
        return
    rows = [_cells(run, paper) for run in runs]
    columns = [name for name, said in rows[0].items() if said]
    rooms = {name: max(len(name), *(len(row[name]) for row in rows)) for name in columns}
    mark = width(paper.glyphs.done)
    names = min(max(width("plan"), *(width(PurePath(run.plan or "").name) for run in runs)), NAME)
    before, behind = _halves({name: name for name in columns}, rooms)
    room = max(paper.width - len(before) - mark - len(behind) - 5, 8)
    goals = room - names - 2 if room - names - 2 >= GOAL else 0
    head = f"{_padded('plan', names)}{'  goal' if goals else ''}"
    paper.line(Span(f"{before}{' ' * mark} {behind}  {head}", "label"), indent=2)
    for run, row in zip(runs, rows, strict=True):
        before, behind = _halves(row, rooms)
        plan = PurePath(run.plan).name if run.plan is not None else paper.glyphs.dash
        said = _padded(paper.cut(plan, min(names, room)), names)
        goal = f"  {paper.cut(run.goal, goals)}" if goals else ""
        paper.line(before, _mark(run, paper), f" {behind}  {said}{goal}".rstrip(), indent=2)


def _padded(text: str, room: int) -> str:
    return text + " " * max(room - width(text), 0)


def _cells(run: RunLine, paper: Paper) -> dict[str, str]:
    """What is said of a run, by column; a column of which nothing is said is left out."""
    dash = paper.glyphs.dash
    began = slice(0, 16) if paper.width >= TIME else slice(5, 16) if paper.width >= DATE else slice(0)
    return {
        "run": str(run.run),
        "started": run.started[began].replace("T", " "),
        "ended": run.reason or run.status,
        "ver": dash if run.versions is None else f"v{run.versions}",
        "time": dash if run.seconds is None else seconds(run.seconds),
        "tokens": dash if run.tokens is None else number(run.tokens),
    }


def _halves(row: Mapping[str, str], rooms: Mapping[str, int]) -> tuple[str, str]:
    """What stands before the mark of how a run ended, and what stands behind it."""
    cells = {name: f"{row[name]:{'<' if name in _WORDS else '>'}{room}}" for name, room in rooms.items()}
    ended = cells.pop("ended")
    before = [cells.pop(name) for name in ("run", "started") if name in cells]
    return "  ".join([*before, ""]), "  ".join([ended, *cells.values()])


def _mark(run: RunLine, paper: Paper) -> Span:
    glyphs = paper.glyphs
    marks = {"completed": Span(glyphs.done, "done"), "failed": Span(glyphs.failed, "failed")}
    return marks.get(run.status, Span(paper.pad(glyphs.notice, width(glyphs.done)), "notice"))
