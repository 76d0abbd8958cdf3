"""One session, run and remembered: what the laws look at."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from replanctl.cost import CostModel
from replanctl.files import Rehearsal
from replanctl.replan.gates import Limits
from replanctl.replan.replanner import Replanner, ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.events import Event, SessionComplete
from replanctl.run.fold import fold
from replanctl.run.result import SessionResult
from replanctl.run.tools import Call, Outcome, Tools
from replanctl.script import ScriptedTools
from tests.properties.limits import limits_of
from tests.properties.story import Moment, tell

Calls = list[tuple[int, Call, Outcome]]  # each with the number of events before it


class Run:
    """The inputs of a session, every event, every call, and the result."""

    def __init__(self, rehearsal: Rehearsal, events: list[Event], calls: Calls) -> None:
        self.rehearsal = rehearsal
        self.events = events
        self.calls = calls

    @cached_property
    def result(self) -> SessionResult:
        """The document made from the events."""
        return fold(self.events)

    @cached_property
    def moments(self) -> list[Moment]:
        """Every event with the plan before and after it."""
        return tell(self.events)

    @cached_property
    def limits(self) -> Limits:
        """The limits that the policy means for this plan, worked out apart from the engine."""
        return limits_of(self.rehearsal)

    @cached_property
    def cost(self) -> CostModel:
        """What things cost in this session."""
        return CostModel(self.rehearsal.policy.coefficients)

    @property
    def end(self) -> SessionComplete:
        """How it ended."""
        end = self.events[-1]
        assert isinstance(end, SessionComplete), f"the last event is {end}"
        return end


class Recorder:
    """Tools that remember what was called and when."""

    def __init__(self, tools: Tools, events: list[Event]) -> None:
        self._tools, self._events = tools, events
        self.calls: Calls = []

    def call(self, call: Call) -> Outcome:
        """Pass the call on."""
        outcome = self._tools.call(call)
        self.calls.append((len(self._events), call, outcome))
        return outcome


def run(rehearsal: Rehearsal, make: Callable[..., Session] = Session, replanner: Replanner | None = None) -> Run:
    """The whole session over this rehearsal; `make` builds it, and a `replanner` is asked instead of its own."""
    if replanner is None and rehearsal.planner:
        replanner = ScriptedReplanner(rehearsal.planner)
    events: list[Event] = []
    tools = Recorder(ScriptedTools(rehearsal.outcomes), events)
    session = make(
        rehearsal.plan,
        rehearsal.policy,
        tools=tools,
        replanner=replanner,
        interruptions=rehearsal.interruptions,
    )
    told = session.events()
    while (event := next(told, None)) is not None:  # one by one: the recorder looks at how many there are
        events.append(event)
    return Run(rehearsal, events, tools.calls)
