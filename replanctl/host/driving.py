"""One session of an agent under way: a planner and tools in Python, with all they say on record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING

import msgspec

from replanctl import __version__
from replanctl.host.amending import Changes
from replanctl.host.answering import RecordedReplanner, RecordedTools
from replanctl.host.awaiting import Awaiting
from replanctl.host.effects import EffectLog
from replanctl.host.functions import FunctionTools, OnError, Toolbox
from replanctl.host.planner import FunctionReplanner, PlannerFunction
from replanctl.host.recording import ChangedGoal, Recording, Start, check_same
from replanctl.host.rehearse import amended_events
from replanctl.plan import Tool
from replanctl.replan import Lesson
from replanctl.run import Event, Policy, Session, StepEnd, plan_warnings
from replanctl.store import Inputs

if TYPE_CHECKING:
    import asyncio

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
            self.recording = Recording(Start(plan, fault, inputs, specs, plain))
            yield from self._events(EffectLog(journal=self.recording))
        finally:
            self._awaiting.close()

    def go_on(self, recording: Recording, stored: Sequence[Event], changes: Changes) -> Iterator[Event]:
        """The events of a session that is taken up again: those that stay, which are not made anew, and what follows.

        Raises what `Recording.taken_up` and `check_same` raise, before anything real is asked.
        """
        try:
            self.recording, kept = recording.taken_up(stored, changes)
            log = self.recording.log()
            events = self._events(log)
            again = list(islice(events, kept))
            check_same(again, stored)
            log.journal = self.recording
            yield from again
            yield from events
        finally:
            self._awaiting.close()

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
