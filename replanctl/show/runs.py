"""The stored runs, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number, seconds

WIDE = 100  # columns from which on the year and the time of day are shown too


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


def view(paper: Paper, runs: Sequence[RunLine]) -> None:
    """Write the list, oldest first."""
    if not runs:
        paper.line("There are no runs yet: replanctl run PLAN makes the first.", indent=2)
        return
    mark = width(paper.glyphs.done) + 1
    date = slice(0, 16) if paper.width >= WIDE else slice(5, 10)
    started = [run.started[date].replace("T", " ") for run in runs]
    rooms = max(len("started"), len(started[0])), max(len(run.reason or run.status) for run in runs)
    head, tail = _cells("run", "started", rooms[0], "plan", "time", "tokens")
    paper.line(Span(f"{head}{'ended':<{mark + rooms[1]}}{tail}goal", "label"), indent=2)
    for run, when in zip(runs, started, strict=True):
        _run(paper, run, when, rooms)


def _run(paper: Paper, run: RunLine, started: str, rooms: tuple[int, int]) -> None:
    glyphs = paper.glyphs
    marks = {"completed": Span(glyphs.done, "done"), "failed": Span(glyphs.failed, "failed")}
    mark = marks.get(run.status, Span(paper.pad(glyphs.notice, width(glyphs.done)), "notice"))
    time = glyphs.dash if run.seconds is None else seconds(run.seconds)
    plan = glyphs.dash if run.versions is None else f"v{run.versions}"
    tokens = glyphs.dash if run.tokens is None else number(run.tokens)
    head, tail = _cells(str(run.run), started, rooms[0], plan, time, tokens)
    ending = f" {run.reason or run.status:<{rooms[1]}}"
    left = max(paper.width - len(head) - width(mark.text) - len(ending) - len(tail) - 2, 8)
    paper.line(head, mark, ending, tail, paper.cut(run.goal, left), indent=2)


def _cells(run: str, started: str, room: int, plan: str, time: str, tokens: str) -> tuple[str, str]:
    """What stands before how a run ended, and what stands behind."""
    return f"{run:>4}  {started:<{room}}  ", f" {plan:>4} {time:>7} {tokens:>8}  "
