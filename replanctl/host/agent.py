"""`PlanExecuteAgent`: the engine over a real planner and real tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import SimpleQueue
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.errors import UsageError
from replanctl.host.awaiting import Awaiting
from replanctl.host.functions import FunctionTools, OnError, Toolbox, check_tools
from replanctl.host.planner import FunctionReplanner, PlannerFunction
from replanctl.kinds import Granularity
from replanctl.plan import Tool
from replanctl.replan import GateLimits, Lesson, RoutingPolicy
from replanctl.run import (
    Event,
    LessonView,
    Policy,
    ResultFold,
    RetryPolicy,
    Session,
    SessionResult,
    StepEnd,
    check_policy,
)

if TYPE_CHECKING:
    import asyncio

MAX_STEPS = 12
MAX_REPLANS = 5

# A function that has returned has not timed out, however long it took.
_PATIENT = Tool(timeout=float("inf"))


class PlanExecuteAgent:
    """Plan, execute, and replan on failure.

    `planner(goal, history, last_error)` is called with `last_error` None first and with the newest `FailureSignal`
    after that; it returns the plan from the cursor on, or `[]` for "nothing to replan", or `{"steps", "cause",
    "verdicts"}`. `history` holds every step that ran, in order, with `result` or `error` filled in.
    `tools(tool_name, args)` returns a value or raises; a mapping of names to functions, which get the args as
    keywords, does as well. Planner and tools may be `async`. `specs` says of tools what a plan file's `tools` would;
    `lessons` is a book to begin with; `on_error` is told every exception of a tool or planner, traceback and all.

    Without a `policy` it is the plain two-budget loop: what a planner returns is the whole rest of the plan, every
    failure is a replan, nothing is retried, and it ends as `goal_met`, `no_plan`, `step_budget` or `replan_budget`.
    With one it is the whole engine. `max_steps` (12 executions when nothing says otherwise) and `max_replans` (5) given
    here win over the policy's. Raises UsageError for what can't be run; what planner and tools do later never raises.
    """

    def __init__(
        self,
        planner: PlannerFunction,
        tools: Toolbox,
        *,
        max_steps: int | UnsetType = UNSET,
        max_replans: int | UnsetType = UNSET,
        policy: Policy | None = None,
        specs: Mapping[str, Tool] | None = None,
        lessons: Iterable[Lesson | LessonView | str] = (),
        on_error: OnError | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not callable(planner):
            raise UsageError(f"the planner is a {type(planner).__name__}, which can't be called")
        check_tools(tools)
        check_policy(policy)
        for name, limit in (("max_steps", max_steps), ("max_replans", max_replans)):
            if limit is not UNSET and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
                raise UsageError(f"{name} is a whole number from 0 up, not {limit!r}")
        self._planner = planner
        self._tools = tools
        self._specs = _checked_specs(specs or {})
        self._lessons = tuple(map(_lesson, lessons))
        self._on_error = on_error
        self._clock = clock
        self._plain = policy is None
        self._policy = _limited(_PLAIN if policy is None else policy, max_steps, max_replans)
        self._goals: SimpleQueue[tuple[str, tuple[str, ...]]] = SimpleQueue()

    def run(self, goal: str) -> SessionResult:
        """Work towards the goal until it is met or a budget stops it. Never raises for what planner or tools do."""
        return _result(self.events(goal))

    async def arun(self, goal: str) -> SessionResult:
        """The same from a running event loop: async tools and planners run there, the others in a thread."""
        import asyncio

        loop, stop = asyncio.get_running_loop(), SimpleQueue[None]()
        try:
            return await asyncio.to_thread(lambda: _result(_until(stop, self._events(goal, loop))))
        finally:
            stop.put(None)  # a cancelled session ends at its next event

    def events(self, goal: str) -> Iterator[Event]:
        """The same as `run`, event by event, as it happens."""
        return self._events(goal, None)

    def change_goal(self, goal: str, refutes: str | Iterable[str] = ()) -> None:
        """Change the goal of the session under way, from a tool or from another thread: an interruption.

        It takes effect when what is in flight has ended; `refutes` names the assumptions that no longer hold.
        """
        if not isinstance(goal, str) or not goal:
            raise UsageError(f"a goal is text, not {goal!r}")
        self._goals.put((goal, (refutes,) if isinstance(refutes, str) else tuple(refutes)))

    def _events(self, goal: str, loop: asyncio.AbstractEventLoop | None) -> Iterator[Event]:
        awaiting = Awaiting(loop)
        try:
            yield from self._session_events(goal, awaiting)
        finally:
            awaiting.close()

    def _session_events(self, goal: str, awaiting: Awaiting) -> Iterator[Event]:
        asked = FunctionReplanner(self._planner, awaiting, self._on_error, self._clock)
        plan, fault = asked.first_plan(goal)
        session = Session(
            plan,
            self._policy,
            tools=FunctionTools(self._tools, clock=self._clock, awaiting=awaiting, on_error=self._on_error),
            replanner=asked,
            lessons=self._lessons,
            plain=self._plain,
            no_plan=fault,
            default_tool=_PATIENT,
            specs=self._specs,
            checked=True,  # by first_plan
        )
        self._take_goals(session)
        for event in session.events():
            if type(event) is StepEnd:
                asked.remember(event, session.step(event.step_id))
            self._take_goals(session)
            yield event

    def _take_goals(self, session: Session) -> None:
        while not self._goals.empty():
            session.change_goal(*self._goals.get())


def _result(events: Iterable[Event]) -> SessionResult:
    folding, kept = ResultFold(), []
    for event in events:
        folding.apply(event)
        kept.append(event)
    return folding.result().with_events(kept)


def _until(stop: SimpleQueue[None], events: Iterator[Event]) -> Iterator[Event]:
    for event in events:
        if not stop.empty():
            return
        yield event


def _checked_specs(specs: Mapping[str, Tool]) -> dict[str, Tool]:
    for name, spec in specs.items():
        if not isinstance(name, str) or not isinstance(spec, Tool):
            raise UsageError(f"specs map tool names to Tool(…), and {name!r} is mapped to a {type(spec).__name__}")
    return dict(specs)


def _lesson(lesson: Lesson | LessonView | str) -> Lesson:
    """A lesson of an earlier session, or a line of one's own."""
    if isinstance(lesson, Lesson):
        return lesson
    if isinstance(lesson, LessonView):
        return Lesson(*msgspec.structs.astuple(lesson))
    if isinstance(lesson, str):
        return Lesson(lesson, 1, "v1", None, "unknown")
    raise UsageError(f"a lesson is a Lesson or text, not a {type(lesson).__name__}")


def _limited(policy: Policy, max_steps: int | UnsetType, max_replans: int | UnsetType) -> Policy:
    given = {
        name: value for name, value in (("max_steps", max_steps), ("max_replans", max_replans)) if value is not UNSET
    }
    return msgspec.structs.replace(policy, gates=msgspec.structs.replace(policy.gates, **given))


# The plain loop, said as a policy: two budgets, no other gate, every failure a replan of the whole rest, no retries.
_PLAIN = Policy(
    retry=RetryPolicy(max_attempts=1),
    routing=RoutingPolicy(force=Granularity.TAIL),
    gates=GateLimits(
        per_step=None,
        max_replans=MAX_REPLANS,
        max_replan_tokens=None,
        max_steps=MAX_STEPS,
        max_tool_calls=None,
        max_seconds=None,
        max_repeat=None,
    ),
)
