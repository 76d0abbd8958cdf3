"""One step's story: what became of it, and of the steps that replaced it. A fold over a session's events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from replanctl.kinds import Granularity, Settle, StepState
from replanctl.live import DONE, PENDING, RUNNING, SKIPPED
from replanctl.plan import Step, references, variable_name
from replanctl.run import events as e


class VersionStory(msgspec.Struct, frozen=True, gc=False, tag="change"):
    """A version that brought the step, changed it, put another in its place or dropped it.

    `old` and `new` are the step before and after it; None where there was none, or is none any more.
    """

    version: str
    at: float
    granularity: Granularity | None
    rule: str | None
    cause: str
    old: Step | None
    new: Step | None


class ExecutionStory(msgspec.Struct, gc=False, tag="execution"):
    """The step run once, or skipped, and what was done about it.

    `reads` are the variables its args name, `gaps` those of them that were none: it ran without. `answer` holds what
    followed a failure, in order: route, lessons, gates, drafts, what was wrong with them, the diff. `health` is what
    became of the variable it made.
    """

    step: Step
    started: e.StepStart | None = None
    calls: list[e.StepRetry | e.StepFallback] = []
    ended: e.StepEnd | None = None
    reads: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    signal: e.Signal | None = None
    answer: list[e.AnyEvent] = []
    health: list[e.VariableHealth] = []


class Blocker(msgspec.Struct, frozen=True, gc=False):
    """A step that another one waits for, or was skipped for."""

    step_id: str
    state: StepState
    error: e.StepError | None


class Story(msgspec.Struct, frozen=True, gc=False):
    """All of it. `line` are the ids the step had, oldest first; the last one that is in the plan has the `state`.

    `state` None: the plan has no such step any more. `blockers` are what a pending step waits for, and what a skipped
    one was skipped for, down to what failed; `stop` is the gate that kept it from starting.
    """

    step_id: str
    line: tuple[str, ...]
    state: StepState | None
    entries: tuple[VersionStory | ExecutionStory, ...]
    blockers: tuple[Blocker, ...]
    stop: e.Gate | None
    ending: e.SessionComplete | None


def step_ids(events: Iterable[e.Event]) -> tuple[str, ...]:
    """Every id that a step of the session ever had."""
    return tuple(dict.fromkeys(step.id for step in _listed(events)))


def story_of(events: Sequence[e.Event], step_id: str) -> Story:
    """What these events tell of the step; it must be among `step_ids`."""
    folding = _Fold(_line(events, step_id))
    for event in events:
        folding.apply(event)
    return folding.story(step_id)


def _listed(events: Iterable[e.Event]) -> Iterator[Step]:
    return (step for event in events if isinstance(event, e.PlanCommit) for step in event.steps)


def _line(events: Iterable[e.Event], step_id: str) -> tuple[str, ...]:
    """The step, those it goes back to, and those that took its place."""
    before: dict[str, str] = {}
    for step in _listed(events):
        if step.replaces is not None:
            # The first listing counts: a later one of the same id revises the step and replaces none.
            before.setdefault(step.id, step.replaces)
    after = {old: new for new, old in before.items()}
    line = [step_id]
    while line[0] in before:
        line.insert(0, before[line[0]])
    while line[-1] in after:
        line.append(after[line[-1]])
    return tuple(line)


# A story is told from the events alone, as everything is: `why` works for a run that broke off, one of an earlier
# version, and one that is still running.
class _Fold:
    """Takes the events in; of other steps it keeps no more than how they ended."""

    def __init__(self, line: tuple[str, ...]) -> None:
        self._line = line
        self._entries: list[VersionStory | ExecutionStory] = []
        self._steps: dict[str, Step] = {}  # of the line, as they were last
        self._present: set[str] = set()  # of the line, in the plan
        self._known: set[str] = set()
        self._states: dict[str, StepState] = {}
        self._ended: dict[str, e.StepEnd] = {}  # the steps that did not end well
        self._last: dict[str, ExecutionStory] = {}  # of each step of the line
        self._answered: ExecutionStory | None = None  # what is being replanned, if it is of the line
        self._stop: e.Gate | None = None
        self._ending: e.SessionComplete | None = None

    def apply(self, event: e.Event) -> None:
        """Take one event in."""
        if handler := _HANDLERS.get(type(event)):
            handler(self, event)

    def commit(self, event: e.PlanCommit) -> None:
        """A version: what it does to the line is a change, whether the step failed itself or not."""
        self._known.update(step.id for step in event.steps)
        self._states.update((step.id, PENDING) for step in event.steps)
        replaced = {step.replaces for step in event.steps}
        for id_ in event.removed:
            self._states.pop(id_, None)
            if id_ in self._present:
                self._present.discard(id_)
                if id_ not in replaced:
                    self._change(event, self._steps[id_], None)
        for step in (*event.steps, *event.amended):
            if step.id in self._line:
                self._change(event, self._steps.get(step.id) or self._steps.get(step.replaces or ""), step)
                self._steps[step.id] = step
                self._present.add(step.id)

    def _change(self, event: e.PlanCommit, old: Step | None, new: Step | None) -> None:
        self._entries.append(
            VersionStory(event.version, event.at, event.granularity, event.rule, event.cause, old, new)
        )

    def start(self, event: e.StepStart) -> None:
        self._states[event.step_id] = RUNNING
        self._answered = None
        if event.step_id in self._line:
            self._stop = None
            self._execution(event.step_id).started = event

    def _execution(self, step_id: str) -> ExecutionStory:
        step = self._steps[step_id]
        read = dict.fromkeys(reference.step_id for reference in references.find(step.args, self._known))
        gaps = [id_ for id_ in read if id_ in self._ended and self._ended[id_].gap]
        names = tuple(map(variable_name, read)), tuple(map(variable_name, gaps))
        execution = self._last[step_id] = ExecutionStory(step, reads=names[0], gaps=names[1])
        self._entries.append(execution)
        return execution

    def call(self, event: e.StepRetry | e.StepFallback) -> None:
        if event.step_id in self._line:
            self._last[event.step_id].calls.append(event)

    def end(self, event: e.StepEnd) -> None:
        id_ = event.step_id
        self._states[id_] = event.state
        self._answered = None
        if event.state is not DONE:
            self._ended[id_] = event
        if id_ in self._line:
            execution = self._execution(id_) if event.state is SKIPPED else self._last[id_]
            execution.ended = event

    def signal(self, event: e.Signal) -> None:
        if event.step_id in self._line:
            self._last[event.step_id].signal = event

    def settled(self, event: e.StepSettled) -> None:
        if event.stands and event.how is Settle.DONE:
            self._states[event.step_id] = DONE
        if event.step_id in self._line:
            self._last[event.step_id].answer.append(event)

    def route(self, event: e.Route) -> None:
        self._answered = self._last.get(event.step_id or "")
        self.answer(event)

    def gate(self, event: e.Gate) -> None:
        if self._answered is not None:
            self.answer(event)
        elif event.step_id in self._line:
            self._stop = event

    def answer(self, event: e.AnyEvent) -> None:
        if self._answered is not None:
            self._answered.answer.append(event)

    def diff(self, event: e.PlanDiffed) -> None:
        self.answer(event)
        self._answered = None

    def other(self, event: e.Event) -> None:
        """What comes now is about no failure of the line."""
        self._answered = None

    def health(self, event: e.VariableHealth) -> None:
        execution = self._last.get(event.name[1:])
        if execution is not None and execution.ended is not None and execution.ended.state is DONE:
            execution.health.append(event)

    def complete(self, event: e.SessionComplete) -> None:
        self._ending = event

    def story(self, step_id: str) -> Story:
        """The story so far."""
        here = [id_ for id_ in self._line if id_ in self._present]
        state = self._states[here[-1]] if here else None
        blockers = tuple(self._blockers(here[-1], state)) if here else ()
        line = tuple(id_ for id_ in self._line if id_ in self._steps)
        return Story(step_id, line, state, tuple(self._entries), blockers, self._stop, self._ending)

    def _blockers(self, step_id: str, state: StepState | None) -> Iterator[Blocker]:
        if state is PENDING:
            needs = self._steps[step_id].depends_on or ()
            yield from (self._blocker(id_) for id_ in needs if self._states.get(id_) is not DONE)
        elif state is SKIPPED:
            yield from self._skipped_for(step_id)

    def _skipped_for(self, step_id: str) -> Iterator[Blocker]:
        """What a skipped step was skipped for, and what that was skipped for in turn."""
        seen: set[str] = set()
        queue = list(self._ended[step_id].blocked_by)
        while queue:
            id_ = queue.pop(0)
            if id_ not in seen:
                seen.add(id_)
                yield self._blocker(id_)
                queue += self._ended[id_].blocked_by if id_ in self._ended else ()

    def _blocker(self, step_id: str) -> Blocker:
        ended = self._ended.get(step_id)
        return Blocker(step_id, self._states.get(step_id, PENDING), ended.error if ended else None)


_HANDLERS: dict[type[e.Event], Callable[[_Fold, Any], None]] = {
    e.PlanCommit: _Fold.commit,
    e.StepStart: _Fold.start,
    e.StepRetry: _Fold.call,
    e.StepFallback: _Fold.call,
    e.StepEnd: _Fold.end,
    e.StepSettled: _Fold.settled,
    e.Signal: _Fold.signal,
    e.Route: _Fold.route,
    e.Gate: _Fold.gate,
    e.LessonLearned: _Fold.answer,
    e.PlanDraft: _Fold.answer,
    e.PlanRejected: _Fold.answer,
    e.PlanDiffed: _Fold.diff,
    e.GoalChanged: _Fold.other,
    e.SolverCalled: _Fold.other,
    e.VariableHealth: _Fold.health,
    e.SessionComplete: _Fold.complete,
}
