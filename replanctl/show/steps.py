"""One row per execution, with what it took; long stretches of which there is nothing to tell are folded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from replanctl.kinds import StepState
from replanctl.plan import Step
from replanctl.run import Attempt, StepEnd, StepError
from replanctl.show.columns import Columns
from replanctl.show.paper import Span
from replanctl.show.words import number, plural, seconds

# So many uneventful rows of one kind in a row are shown; the others become one line with their number.
SHOWN_IN_A_ROW = {StepState.DONE: 40, StepState.SKIPPED: 10}


class StepRows:
    """Writes rows as executions end. `last` is the id of the last row written, while it is the last line's subject."""

    def __init__(self, columns: Columns, *, verbose: bool = False) -> None:
        self.last: str | None = None
        self._columns = columns
        self._verbose = verbose
        self._state: StepState | None = None  # of the stretch of uneventful rows that is going on
        self._length = 0
        self._folded: list[StepEnd] = []  # the first and the last that were not shown

    def end(self, event: StepEnd, step: Step | None, warnings: Sequence[str] = ()) -> None:
        """An execution ended, or a step was skipped."""
        if self._is_folded(event, eventful=len(event.attempts) > 1 or bool(warnings)):
            return
        self._row(event, step)
        if event.error is not None and event.state is StepState.FAILED:
            self._columns.under(*_error(event.error))
        if len(event.attempts) > 1:
            self._columns.detail("tried", attempts_in_words(event, self._columns.paper.glyphs.times))
        for warning in warnings:
            self._columns.detail("warning", warning, style="notice")

    def flush(self) -> None:
        """Something else is about to be written: say how many rows were folded."""
        if self._folded:
            first, last = self._folded[0], self._folded[-1]
            ids = f"{first.step_id} {self._columns.paper.glyphs.ellipsis} {last.step_id}"
            count = self._length - SHOWN_IN_A_ROW[first.state]
            mark = Span(self._columns.paper.pad("", self._columns.mark))
            self._columns.row(seconds(last.started), mark, "", f"{number(count)} more {first.state}: {ids}", "", "dim")
        self._state, self._length, self._folded = None, 0, []

    def _is_folded(self, event: StepEnd, *, eventful: bool) -> bool:
        plain = event.state in SHOWN_IN_A_ROW and not eventful
        if self._verbose or not plain or event.state is not self._state:
            self.flush()
            self._state = event.state if plain else None
        self._length += 1
        if not plain or self._verbose or self._length <= SHOWN_IN_A_ROW[event.state]:
            return False
        self._folded[1:] = [event]
        return True

    def _row(self, event: StepEnd, step: Step | None) -> None:
        glyphs = self._columns.paper.glyphs
        marks = {StepState.DONE: glyphs.done, StepState.FAILED: glyphs.failed, StepState.SKIPPED: glyphs.skipped}
        skipped = event.state is StepState.SKIPPED
        self._columns.row(
            seconds(event.started),
            Span(marks[event.state], event.state.value),
            event.step_id,
            step.action if step else event.tool,
            _blocked(event) if skipped else event.tool,
            "skipped" if skipped else "",
        )
        self.last = event.step_id


def _error(error: StepError) -> tuple[Span, str]:
    """The type, where the message does not begin with it, and the message."""
    rest = error.error_msg.removeprefix(error.error_type)
    return Span(error.error_type, "failed"), rest if rest != error.error_msg else f": {rest}"


def _blocked(event: StepEnd) -> str:
    return f"blocked by {', '.join(event.blocked_by)}" if event.blocked_by else "skipped"


def attempts_in_words(event: StepEnd, times: str) -> str:
    """`3 attempts in 34s: timeout ×2, ok`; with the tools' names where there was more than one."""
    calls = calls_in_words(event.attempts, times)
    return f"{plural(len(event.attempts), 'attempt')} in {seconds(event.at - event.started)}: {calls}"


def calls_in_words(attempts: Sequence[Attempt], times: str) -> str:
    """The calls in order, equal ones in a row counted."""
    several = len({attempt.tool for attempt in attempts}) > 1
    said = [
        (f"{tool} {status}" if several else status.value, len(list(group)))
        for (tool, status), group in groupby(attempts, key=lambda attempt: (attempt.tool, attempt.status))
    ]
    return ", ".join(words if count == 1 else f"{words} {times}{count}" for words, count in said)
