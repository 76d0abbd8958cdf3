"""The stored runs, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number, seconds


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
    room = max(len(run.reason or run.status) for run in runs)
    head, tail = _cells("run", "started", "plans", "time", "tokens")
    paper.line(Span(f"{head}{'ended':<{mark + room}}{tail}goal", "label"), indent=2)
    for run in runs:
        _run(paper, run, room)


def _run(paper: Paper, run: RunLine, room: int) -> None:
    glyphs = paper.glyphs
    marks = {"completed": Span(glyphs.done, "done"), "failed": Span(glyphs.failed, "failed")}
    mark = marks.get(run.status, Span(paper.pad(glyphs.notice, width(glyphs.done)), "notice"))
    time = glyphs.dash if run.seconds is None else seconds(run.seconds)
    plans, tokens = (glyphs.dash if count is None else number(count) for count in (run.versions, run.tokens))
    head, tail = _cells(str(run.run), run.started[:16].replace("T", " "), plans, time, tokens)
    ending = f" {run.reason or run.status:<{room}}"
    left = max(paper.width - len(head) - width(mark.text) - len(ending) - len(tail) - 2, 8)
    paper.line(head, mark, ending, tail, paper.cut(run.goal, left), indent=2)


def _cells(run: str, started: str, plans: str, time: str, tokens: str) -> tuple[str, str]:
    """What stands before how a run ended, and what stands behind."""
    return f"{run:>4}  {started:<16}  ", f" {plans:>5} {time:>7} {tokens:>9}  "
