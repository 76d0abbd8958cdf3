"""`PlanExecuteAgent`: the engine over a real planner and real tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import SimpleQueue

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.errors import UsageError
from replanctl.host.amending import More, Settle, changes_of
from replanctl.host.driving import Drive, Driver, recording_of
from replanctl.host.functions import OnError, Toolbox, check_tools, clean_text
from replanctl.host.planner import PlannerFunction
from replanctl.kinds import Granularity
from replanctl.plan import Tool
from replanctl.replan import GateLimits, Lesson, RoutingPolicy
from replanctl.run import (
    Event,
    LessonView,
    Policy,
    ResultFold,
    RetryPolicy,
    SessionResult,
    check_goal,
    check_policy,
    check_specs,
    listed,
)

MAX_STEPS = 12
MAX_REPLANS = 5


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

    >>> def planner(goal, history, last_error):
    ...     return [Step(1, "search", {"query": goal})] if last_error is None else [Step(2, "ask")]
    >>> def search(query):
    ...     raise LookupError(query)
    >>> result = PlanExecuteAgent(planner, {"search": search, "ask": lambda: "shelf 12"}).run("tea")
    >>> result.reason.value, result.signals[0].error_msg, result.variables["E2"].value
    ('goal_met', 'LookupError: tea', 'shelf 12')
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
        for said, given in (("clock", clock), ("on_error", on_error)):
            if not callable(given) and given is not None:
                raise UsageError(f"{said} is a {type(given).__name__}, which can't be called")
        check_specs({} if specs is None else specs)
        self._specs = dict(specs or {})
        self._lessons = tuple(map(_lesson, listed("lessons", lessons)))
        self._plain = policy is None
        self._policy = _limited(_PLAIN if policy is None else policy, max_steps, max_replans)
        self._goals: SimpleQueue[tuple[str, tuple[str, ...]]] = SimpleQueue()
        self._driver = Driver(planner, tools, on_error, clock, self._goals)

    def run(self, goal: str) -> SessionResult:
        """Work towards the goal until it is met or a budget stops it. Never raises for what planner or tools do."""
        drive = Drive(self._driver, None)
        return _result(self._begun(drive, goal), drive)

    async def arun(self, goal: str) -> SessionResult:
        """The same from a running event loop: async tools and planners run there, the others in a thread."""
        return await self._in_a_thread(lambda drive: self._begun(drive, goal))

    def events(self, goal: str) -> Iterator[Event]:
        """The same as `run`, event by event, as it happens."""
        return self._begun(Drive(self._driver, None), goal)

    def resume(
        self,
        result: SessionResult,
        *,
        limits: Mapping[str, float | More | None] | None = None,
        granularity: Granularity | str | None = None,
        goal: str | None = None,
        settle: Settle | None = None,
    ) -> SessionResult:
        """Go on with a session from where it stopped, given its result, of this agent or of one made to replace it.

        What was called and asked is not called and asked again. `limits` are new ones by gate, as
        `{"max_replans": More(2), "max_steps": 30}`, in the units of `GateLimits`; `granularity` is forced on every
        replan from here on, `goal` takes the place of the one in force. `settle` is a person's word on calls that may
        have happened: `{"2": ("done", {"paid": True})}` (it happened, and this is the answer), `{"2": "again"}` (it did
        not) or `{"2": "skip"}`; the hand-over names them. Policy, specs and lessons are the session's own.

        A session that completed is left alone: its result is returned. Raises InDoubtError where a call is not
        settled, UsageError for what makes no sense or can't be taken up; what planner and tools do never raises.
        """
        going_on = _going_on(result, limits, granularity, goal, settle)
        if going_on is None:
            return result
        drive = Drive(self._driver, None)
        return _result(going_on(drive), drive)

    async def aresume(
        self,
        result: SessionResult,
        *,
        limits: Mapping[str, float | More | None] | None = None,
        granularity: Granularity | str | None = None,
        goal: str | None = None,
        settle: Settle | None = None,
    ) -> SessionResult:
        """The same as `resume` from a running event loop, as `arun` is the same as `run`."""
        going_on = _going_on(result, limits, granularity, goal, settle)
        return result if going_on is None else await self._in_a_thread(going_on)

    async def _in_a_thread(self, events: Callable[[Drive], Iterator[Event]]) -> SessionResult:
        import asyncio

        drive, stop = Drive(self._driver, asyncio.get_running_loop()), SimpleQueue[None]()
        try:
            return await asyncio.to_thread(lambda: _result(_until(stop, events(drive)), drive))
        # The thread can't be ended from outside. It looks after each event, and a tool that is running ends first.
        finally:
            stop.put(None)  # a cancelled session ends at its next event

    def change_goal(self, goal: str, refutes: str | Iterable[str] = ()) -> None:
        """Change the goal of the session under way, from a tool or from another thread: an interruption.

        It takes effect when what is in flight has ended; `refutes` names the assumptions that no longer hold.
        """
        check_goal(goal)
        names = (refutes,) if isinstance(refutes, str) else tuple(listed("refutes", refutes))
        for name in names:
            if not isinstance(name, str):
                raise UsageError(f"refutes names assumptions, and a {type(name).__name__} is no name")
        self._goals.put((goal, tuple(map(clean_text, names))))

    def _begun(self, drive: Drive, goal: str) -> Iterator[Event]:
        check_goal(goal)
        return drive.begin(goal, self._policy, lessons=self._lessons, specs=self._specs, plain=self._plain)


def _going_on(
    result: SessionResult,
    limits: Mapping[str, float | More | None] | None,
    granularity: Granularity | str | None,
    goal: str | None,
    settle: Settle | None,
) -> Callable[[Drive], Iterator[Event]] | None:
    """What makes a drive go on with a session, or None for one that completed. Raises as `resume` does."""
    # Looked at first, also for a session that completed: what makes no sense is told whatever became of it.
    changes = changes_of(limits or {}, granularity, goal, None, settle or {})
    recording = recording_of(result)
    if result.status == "completed":
        return None
    return lambda drive: drive.go_on(recording, result.events, changes)


def _result(events: Iterable[Event], drive: Drive) -> SessionResult:
    folding, kept = ResultFold(), []
    for event in events:
        folding.apply(event)
        kept.append(event)
    return folding.result().with_events(kept, drive.recording)


def _until(stop: SimpleQueue[None], events: Iterator[Event]) -> Iterator[Event]:
    for event in events:
        if not stop.empty():
            return
        yield event


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
