"""One session of an agent: a planner and tools in Python, with all they say on record, to be taken up again.

An agent's session is run again as a stored run is: the same plan, the same answers, the same changed goals between the
same events, then what is new. Answers are kept as JSON, which nobody who holds a result can change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

import msgspec

from replanctl import __version__
from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.host.amending import Changes, InDoubtError, amended
from replanctl.host.awaiting import Awaiting
from replanctl.host.effects import EffectLog, RecordedReplanner, RecordedTools
from replanctl.host.functions import FunctionTools, OnError, Toolbox
from replanctl.host.planner import FunctionReplanner, PlannerFunction
from replanctl.host.rehearse import amended_events
from replanctl.host.toolbox import check_names, still_open
from replanctl.plan import Plan, Tool
from replanctl.replan import Lesson
from replanctl.run import (
    AnyEvent,
    Event,
    Policy,
    Session,
    SessionResult,
    StepEnd,
    UnsettledError,
    doubts,
    plan_warnings,
)
from replanctl.store import Inputs

if TYPE_CHECKING:
    import asyncio


class Start(msgspec.Struct, frozen=True):
    """What a session begins with: the planner's first answer, or the `fault` in it, and how the agent was made; `names`
    are those of its tools, None where one function answered for all."""

    plan: Plan
    fault: str
    inputs: Inputs
    specs: dict[str, Tool]
    plain: bool
    names: frozenset[str] | None = None


class ChangedGoal(msgspec.Struct, frozen=True):
    """An interruption that was taken in before the event with this `seq`."""

    seq: int
    goal: str
    refutes: tuple[str, ...]


class Recording:
    """A session's start and what came from outside since: the journal of its answers, and its changed goals."""

    def __init__(
        self, start: Start, answers: Sequence[tuple[int, str, bytes]] = (), goals: Sequence[ChangedGoal] = ()
    ) -> None:
        self.start = start
        self.goals = list(goals)
        self._answers = list(answers)

    def flush(self) -> None:
        """Nothing is on disk."""

    def effect(self, n: int, question: str, answer: Any) -> None:
        """Keep the answer to a question, the `n`-th of the session."""
        self._answers.append((n, question, msgspec.json.encode(answer)))

    def log(self) -> EffectLog:
        """The answers so far, to be given again; nothing real may be asked before a journal is set."""
        return EffectLog((n, question, msgspec.json.decode(answer)) for n, question, answer in self._answers)

    def taken_up(self, stored: Sequence[Event], changes: Changes) -> tuple[Recording, int]:
        """A recording that goes on with these changes, and how many of the events stay.

        Raises UsageError for changes that make no sense, InDoubtError where a call in doubt is left out.
        """
        if self.start.fault:
            raise UsageError(f"there is no plan to go on with: {self.start.fault}", hint="run the agent again")
        events = cast("Sequence[AnyEvent]", stored)  # every event is one of the union
        open_ = doubts(events)
        try:
            inputs, kept = amended(self.start.inputs, events, changes, open_)
        except UnsettledError as error:
            raise InDoubtError("the session", error, open_) from None
        # A goal that was changed behind the cut is changed there: whoever did it may not do it again.
        goals = [msgspec.structs.replace(each, seq=min(each.seq, kept)) for each in self.goals]
        start = msgspec.structs.replace(self.start, inputs=inputs)
        return Recording(start, self._answers, goals), kept


def recording_of(result: SessionResult) -> Recording:
    """What an agent's result was made from. Raises UsageError for any other."""
    if not isinstance(result, SessionResult) or not isinstance(result.source, Recording):
        raise UsageError("this is no result of a PlanExecuteAgent's session", hint="resume(store, run) takes up a run")
    return result.source


def check_same(again: Sequence[Event], stored: Sequence[Event]) -> None:
    """Raises ReplayDivergedError where a session does not come out as it did before.

    Values are not compared: whoever holds a result may have changed them since, which does not reach the session.
    """
    for now, before in zip(again, stored, strict=False):
        if type(now) is not type(before):
            raise ReplayDivergedError(f"the session can't be resumed: event {now.seq} does not come out as it was")


# A function that has returned has not timed out, however long it took.
_PATIENT = Tool(timeout=float("inf"))


class Driver(msgspec.Struct, frozen=True):
    """What an agent brings to its sessions; `clock` gives seconds, `goals` are changes of the goal from outside."""

    planner: PlannerFunction
    tools: Toolbox
    on_error: OnError | None
    clock: Callable[[], float]
    goals: SimpleQueue[tuple[str, tuple[str, ...]]]


class Drive:
    """One session, begun or taken up again; `recording` is there once its plan is known."""

    recording: Recording

    def __init__(self, driver: Driver, loop: asyncio.AbstractEventLoop | None) -> None:
        self._driver = driver
        self._awaiting = Awaiting(loop)
        self._planner = FunctionReplanner(driver.planner, self._awaiting, driver.on_error, driver.clock)

    def begin(
        self, goal: str, policy: Policy, *, lessons: Sequence[Lesson], specs: dict[str, Tool], plain: bool
    ) -> Iterator[Event]:
        """The events of a new session, as they happen."""
        try:
            plan, fault = self._planner.first_plan(goal)
            inputs = Inputs((), policy, tuple(lessons), __version__)
            self.recording = Recording(Start(plan, fault, inputs, specs, plain, self._names()))
            yield from self._events(EffectLog(journal=self.recording))
        finally:
            self._awaiting.close()

    def go_on(self, recording: Recording, stored: Sequence[Event], changes: Changes) -> Iterator[Event]:
        """The events of a session that is taken up again: those that stay, which are not made anew, and what follows.

        Raises what `Recording.taken_up` and `check_same` raise, before anything real is asked.
        """
        try:
            self.recording, kept = recording.taken_up(stored, changes)
            start = self.recording.start
            left = msgspec.structs.replace(still_open(start.plan, stored, start.names), tools=start.specs)
            check_names(self._names(), left)
            log = self.recording.log()
            events = self._events(log)
            again = list(islice(events, kept))
            check_same(again, stored)
            log.journal = self.recording
            yield from again
            yield from events
        finally:
            self._awaiting.close()

    def _names(self) -> frozenset[str] | None:
        tools = self._driver.tools
        return frozenset(tools) if isinstance(tools, Mapping) else None

    def _events(self, log: EffectLog) -> Iterator[Event]:
        driver, start, told = self._driver, self.recording.start, deque(self.recording.goals)
        tools = FunctionTools(driver.tools, clock=driver.clock, awaiting=self._awaiting, on_error=driver.on_error)
        session = Session(
            start.plan,
            start.inputs.policy,
            tools=RecordedTools(tools, log),
            replanner=RecordedReplanner(self._planner, log, self._planner.name),
            lessons=start.inputs.lessons,
            warnings=tuple(plan_warnings(start.plan)),
            plain=start.plain,
            no_plan=start.fault,
            default_tool=_PATIENT,
            specs=start.specs,
            checked=True,  # by first_plan
        )
        self._take_goals(session, 0, told, log)
        for event in amended_events(session, start.inputs):
            if type(event) is StepEnd:
                self._planner.remember(event, session.step(event.step_id))
            self._take_goals(session, event.seq + 1, told, log)
            yield event

    def _take_goals(self, session: Session, seq: int, told: deque[ChangedGoal], log: EffectLog) -> None:
        """Changes on record come where they came; new ones once nothing is on record any more."""
        while told and told[0].seq <= seq:
            session.change_goal(told[0].goal, told.popleft().refutes)
        while log.journal is not None and not self._driver.goals.empty():
            goal, refutes = self._driver.goals.get()
            self.recording.goals.append(ChangedGoal(seq, goal, refutes))
            session.change_goal(goal, refutes)
