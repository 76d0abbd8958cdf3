"""One execution of a step in full: every attempt, the failure's class, and what was done about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from replanctl.kinds import Settle, StepState
from replanctl.run import (
    AnyEvent,
    ExecutionStory,
    Gate,
    LessonLearned,
    PlanDiffed,
    PlanDraft,
    PlanRejected,
    Route,
    StepEnd,
    StepRetry,
    StepSettled,
    StepStart,
    error_in_words,
)
from replanctl.show.columns import Columns
from replanctl.show.failure import FailureLines, because
from replanctl.show.leaves import args_in_words
from replanctl.show.lessons import Lesson, cause_in_words
from replanctl.show.marks import state_span, title
from replanctl.show.paper import Span
from replanctl.show.steps import blocked, called
from replanctl.show.stretch import ids_in_words
from replanctl.show.text import GLUE
from replanctl.show.words import SETTLED, brief, number, plural, seconds, some

ARG = 28  # columns of one arg's value
ARGS_SHOWN = 6  # of more the others are counted


class ExecutionLines:
    """Writes the row of an execution and, below it, everything that is known of it."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._failure = FailureLines(columns)
        self._causes: set[str] = set()  # what was said of the failure: a lesson need not repeat it
        self._answers: dict[type, Callable[[Any], None]] = {
            LessonLearned: self._lesson,
            Gate: self._failure.gate,
            PlanDraft: self._draft,
            PlanRejected: self._rejected,
            PlanDiffed: self._diff,
            StepSettled: self._settled,
        }

    def write(self, execution: ExecutionStory, following: StepStart | None = None) -> None:
        """Everything of one execution; `following` is the call that was made next in its place, where it failed."""
        self._row(execution)
        self._args(execution)
        self._next(execution, following)
        ended = execution.ended
        self._causes = _causes(execution)
        if execution.step.expected_outcome:
            self._columns.detail("expects", execution.step.expected_outcome)
        for warning in (*(execution.started.warnings if execution.started else ()), *(ended.warnings if ended else ())):
            self._columns.detail("warning", warning, style="notice")
        if ended is not None and ended.attempts:
            self._columns.detail("tried", ", ".join(_attempts(execution, ended)))
        if ended is not None and ended.error is not None:
            # The class first and loud: it decides whether anything was retried, and which route was taken.
            said, _, why = error_in_words(ended.error).partition(": ")
            self._columns.detail("class", Span(said, "failed"), f": {why}" if why else "")
        self._signal(execution)
        for event in execution.answer:
            self._answer(event, execution)
        self._failure.flush()
        if ended is not None and ended.state is StepState.DONE:
            self._result(execution, ended)

    def _row(self, execution: ExecutionStory) -> None:
        columns, ended = self._columns, execution.ended
        event = ended or execution.started
        assert event is not None
        state = ended.state if ended else StepState.RUNNING
        mark = state_span(state, columns.paper)
        note = blocked(ended) if ended and state is StepState.SKIPPED else called(event.tool, execution.step)
        at = ended.started if ended else event.at
        style = "skipped" if state is StepState.SKIPPED else ""
        took = seconds(ended.at - ended.started) if ended and state is not StepState.SKIPPED else ""
        columns.row(seconds(at), mark, event.step_id, title(execution.step), note, style, took=took)

    def _args(self, execution: ExecutionStory) -> None:
        """What it was called with, the references filled in."""
        args = execution.started.args if execution.started else {}
        glyphs = self._columns.paper.glyphs
        said = [f"{key}: {brief(value, ARG, glyphs)}" for key, value in [*args.items()][:ARGS_SHOWN]]
        said += [f"{glyphs.ellipsis} {number(len(args) - ARGS_SHOWN)} more"] if len(args) > ARGS_SHOWN else []
        if said:
            self._columns.detail("args", ", ".join(said))

    def _next(self, execution: ExecutionStory, following: StepStart | None) -> None:
        """What the next attempt changed of the args."""
        if execution.started is None or following is None:
            return
        columns = self._columns
        lines = args_in_words(execution.started.args, following.args, columns.paper.glyphs, columns.room)
        for at, line in enumerate(lines):
            columns.detail("" if at else "next", line)

    def _signal(self, execution: ExecutionStory) -> None:
        signal = execution.signal
        if signal is None:
            return
        if signal.cause:
            self._columns.detail("cause", signal.cause)
        if signal.refutes:
            self._columns.detail("refutes", ", ".join(signal.refutes))
        self._failure.signal(signal)

    def _answer(self, event: AnyEvent, execution: ExecutionStory) -> None:
        if isinstance(event, Route):
            self._failure.route(event, execution.step.id)
        elif answer := self._answers.get(type(event)):
            if not isinstance(event, Gate):
                self._failure.flush()
            answer(event)

    def _lesson(self, event: LessonLearned) -> None:
        lesson, times = Lesson.read(event.text), self._columns.paper.glyphs.times
        # A lesson repeats the failure's text, which stands a few lines above: then only what it says to avoid is news.
        known = cause_in_words(lesson.cause) in self._causes
        again = f", {number(event.count)} times" if event.count > 1 else ""
        self._columns.detail("lesson", (known and lesson.way(times)) or lesson.says(times), again)

    def _settled(self, event: StepSettled) -> None:
        value = (
            f" {brief(event.value, self._columns.room, self._columns.paper.glyphs)}" if event.how is Settle.DONE else ""
        )
        self._columns.detail("settled", SETTLED[event.how], value)

    def _draft(self, event: PlanDraft) -> None:
        if not event.error:
            what = plural(len(event.steps), "step") if event.steps else "it gave up"
            self._columns.detail("draft", f"{event.replanner}: {what}")
        self._failure.draft(event)

    def _rejected(self, event: PlanRejected) -> None:
        self._failure.rejected(event)
        self._causes.add("; ".join(event.reasons))

    def _diff(self, event: PlanDiffed) -> None:
        changed = {"revised": event.revised, "rewired": event.rewired, "removed": event.removed, "added": event.added}
        glyphs = self._columns.paper.glyphs
        said = "; ".join(f"{word} {ids_in_words(ids, glyphs)}" for word, ids in changed.items() if ids)
        self._columns.detail("diff", Span(event.to, "version"), f" {said or 'changes nothing'}")

    def _result(self, execution: ExecutionStory, ended: StepEnd) -> None:
        """How it came to its value, and whether that may still be used."""
        columns = self._columns
        if execution.reads:
            names = [f"{name}{GLUE}(gap)" if name in execution.gaps else name for name in execution.reads]
            columns.detail("reads", some(names, columns.paper.glyphs.ellipsis))
        columns.detail("value", brief(ended.value, columns.room, columns.paper.glyphs))
        rests = f", rests on {', '.join(ended.assumptions)}" if ended.assumptions else ""
        # A change in the very next event came with the value itself: it never was clean.
        born_degraded = bool(execution.health) and execution.health[0].seq == ended.seq + 1
        if not born_degraded:
            columns.detail("health", Span("clean", "done"), rests)
        for event in execution.health:
            why = f"verdict {event.verdict}" if event.verdict else because(event.because)
            columns.detail(
                "health", Span(event.health, _HEALTH.get(event.health, "")), f": {why}, since {event.version}"
            )


_HEALTH = {"clean": "done", "stale": "notice", "void": "failed"}


def _attempts(execution: ExecutionStory, ended: StepEnd) -> Iterator[str]:
    """Every call with how it ended and how long it took, and the waits between them."""
    several = len({attempt.tool for attempt in ended.attempts}) > 1
    for at, attempt in enumerate(ended.attempts):
        call = execution.calls[at - 1] if 0 < at <= len(execution.calls) else None
        if isinstance(call, StepRetry) and call.wait:
            yield f"wait {seconds(call.wait)}"
        yield f"{f'{attempt.tool} ' if several else ''}{attempt.status} after {seconds(attempt.latency)}"


def _causes(execution: ExecutionStory) -> set[str]:
    """The texts that the lines of a failure say."""
    error = execution.ended.error if execution.ended else None
    signal = execution.signal
    return {*([error.error_msg] if error else []), *([signal.cause, signal.error_msg] if signal else [])}
