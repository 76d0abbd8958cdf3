"""One row per execution, with what it took; stretches of which there is nothing to tell are folded in a long plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from replanctl.kinds import StepState
from replanctl.plan import Step
from replanctl.run import Attempt, StepEnd, StepError
from replanctl.show.columns import Columns
from replanctl.show.flight import Ended
from replanctl.show.marks import state_span, title, tool_beside
from replanctl.show.paper import Span
from replanctl.show.stretch import Stretch
from replanctl.show.words import plural, seconds

LONG = 10  # steps; rows are folded in plans that have more
SHOWN_LIVE = 40  # rows of a stretch that are written at once where somebody waits for them; the others are folded


class StepRows:
    """Writes rows as executions end. `last` is the id of the last row written, while it is the last line's subject.

    In a plan of more than `LONG` steps rows wait until it is known whether they are folded, but not at once where the
    tools are real and it is `live`; `verbose` folds nothing.
    """

    def __init__(self, columns: Columns, *, verbose: bool = False, live: bool = False) -> None:
        self.last: str | None = None
        self._columns = columns
        self._folds = False
        self._verbose = verbose
        self._shown = SHOWN_LIVE if live else 0  # rows of a stretch that are not folded
        self._written = 0  # of them
        self._stretch: Stretch | None = None

    def planned(self, steps: int) -> None:
        """A version of so many steps is about to run."""
        # Once folded, always folded: a patch of a long plan is no short plan.
        self._folds = self._folds or (steps > LONG and not self._verbose)

    def end(self, ended: Ended) -> None:
        """An execution ended, or a step was skipped."""
        event, _, warnings, _ = ended
        if self._folds and _is_routine(event, warnings):
            self._fold(ended)
            return
        self.flush()
        self._row(ended)
        if event.error is not None and event.state is StepState.FAILED:
            self._columns.under(*_error(event.error))
        if len(event.attempts) > 1:
            said = attempts_in_words(event, self._columns.paper.glyphs.times, timed=not self._columns.took)
            self._columns.detail("tried", said)
        for warning in warnings:
            self._columns.detail("warning", warning, style="notice")

    def flush(self) -> None:
        """Something else is about to be written: write the rows that wait, or the line that stands for them."""
        stretch, self._stretch, self._written = self._stretch, None, 0
        if stretch is None:
            return
        if stretch.is_long:
            self._line(stretch)
            return
        for ended in stretch.rows:
            self._row(ended)

    def _fold(self, ended: Ended) -> None:
        if self._stretch is None or not self._stretch.takes(ended.event):
            self.flush()
            self._stretch = Stretch(ended.event)
        if self._written < self._shown:
            self._written += 1
            self._row(ended)
        else:
            self._stretch.add(ended)

    def _line(self, stretch: Stretch) -> None:
        columns, glyphs = self._columns, self._columns.paper.glyphs
        ids, calls = stretch.ids(glyphs), stretch.calls(timed=not columns.took)
        said = stretch.what(columns.folded_room(ids, calls), glyphs)
        mark = state_span(stretch.state, columns.paper)
        columns.folded(seconds(stretch.began), mark, ids, said, calls, stretch.took())
        self.last = None

    def _row(self, ended: Ended) -> None:
        event, step, _, lane = ended
        skipped = event.state is StepState.SKIPPED
        self._columns.row(
            seconds(event.started),
            state_span(event.state, self._columns.paper),
            event.step_id,
            title(step) if step else event.tool,
            blocked(event) if skipped else called(event.tool, step),
            "skipped" if skipped else "",
            took="" if skipped else seconds(event.at - event.started),
            lane=lane,
        )
        self.last = event.step_id


def called(tool: str, step: Step | None) -> str:
    """The tool that was called, unless the row begins with its name."""
    return tool_beside(step) if step is not None and step.tool == tool else tool


def _is_routine(event: StepEnd, warnings: Sequence[str]) -> bool:
    """Whether all went as planned: done at the first attempt, or skipped for a failure that was told."""
    return event.state is not StepState.FAILED and len(event.attempts) <= 1 and not warnings


def _error(error: StepError) -> tuple[Span, str]:
    """The type, where the message does not begin with it, and the message."""
    rest = error.error_msg.removeprefix(error.error_type)
    return Span(error.error_type, "failed"), rest if rest != error.error_msg else f": {rest}"


def blocked(event: StepEnd) -> str:
    """Why a step was skipped."""
    return f"blocked by {', '.join(event.blocked_by)}" if event.blocked_by else "skipped"


def attempts_in_words(event: StepEnd, times: str, *, timed: bool = True) -> str:
    """`3 attempts in 34s: timeout ×2, ok`; with the tools' names where there was more than one.

    Where it stands elsewhere how long they took, they are not `timed`.
    """
    took = f" in {seconds(event.at - event.started)}" if timed else ""
    return f"{plural(len(event.attempts), 'attempt')}{took}: {calls_in_words(event.attempts, times)}"


def calls_in_words(attempts: Sequence[Attempt], times: str) -> str:
    """The calls in order, equal ones in a row counted."""
    several = len({attempt.tool for attempt in attempts}) > 1
    said = [
        (f"{tool} {status}" if several else status.value, len(list(group)))
        for (tool, status), group in groupby(attempts, key=lambda attempt: (attempt.tool, attempt.status))
    ]
    return ", ".join(words if count == 1 else f"{words} {times}{count}" for words, count in said)
