"""`PlanExecuteAgent`: the engine over a real planner and real tools."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.errors import UsageError
from replanctl.host.functions import FunctionTools, Toolbox, describe
from replanctl.kinds import Granularity
from replanctl.live import Draft
from replanctl.plan import Plan, Step, Tool, plan_faults
from replanctl.replan import FailureSignal, GateLimits, ReplanRequest, RoutingPolicy
from replanctl.run import Event, Policy, ResultFold, RetryPolicy, Session, SessionResult, StepEnd

Planner = Callable[[str, Sequence[Step], FailureSignal | None], Sequence[Step]]

MAX_STEPS = 12
MAX_REPLANS = 5

# A function that has returned has not timed out, however long it took.
_PATIENT = Tool(timeout=float("inf"))


class PlanExecuteAgent:
    """Plan, execute, and replan on failure.

    `planner(goal, history, last_error)` is called with `last_error` None first and with the newest `FailureSignal`
    after that; it returns the plan from the cursor on, or `[]` for "nothing to replan". `history` holds every step
    that ran, in order, with `result` or `error` filled in. `tools(tool_name, args)` returns a value or raises; a
    mapping of names to callables does as well.

    Without a `policy` it is the plain two-budget loop: what a planner returns is the whole rest of the plan, every
    failure is a replan, nothing is retried, and it ends as `goal_met`, `no_plan`, `step_budget` or `replan_budget`.
    With one it is the whole engine. `max_steps` (12 executions when nothing says otherwise) and `max_replans` (5) given
    here win over the policy's.
    """

    def __init__(
        self,
        planner: Planner,
        tools: Toolbox,
        *,
        max_steps: int | UnsetType = UNSET,
        max_replans: int | UnsetType = UNSET,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, limit in (("max_steps", max_steps), ("max_replans", max_replans)):
            if limit is not UNSET and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
                raise UsageError(f"{name} is a whole number from 0 up, not {limit!r}")
        self._planner = planner
        self._tools = tools
        self._clock = clock
        self._plain = policy is None
        self._policy = _limited(_PLAIN if policy is None else policy, max_steps, max_replans)

    def run(self, goal: str) -> SessionResult:
        """Work towards the goal until it is met or a budget stops it. Never raises for what planner or tools do."""
        folding = ResultFold()
        for event in self.events(goal):
            folding.apply(event)
        return folding.result()

    def events(self, goal: str) -> Iterator[Event]:
        """The same, event by event, as it happens."""
        planner_function = _PlannerFunction(self._planner, goal)
        plan, fault = planner_function.first_plan()
        session = Session(
            plan,
            self._policy,
            tools=FunctionTools(self._tools, clock=self._clock),
            replanner=planner_function,
            plain=self._plain,
            no_plan=fault,
            default_tool=_PATIENT,
        )
        for event in session.events():
            if type(event) is StepEnd:
                planner_function.remember(event, session)
            yield event


class _PlannerFunction:
    """A planner function at the replanner's seam, with the history it is given."""

    name = "planner"

    def __init__(self, planner: Planner, goal: str) -> None:
        self._planner = planner
        self._goal = goal
        self._history: list[Step] = []

    def first_plan(self) -> tuple[Plan, str]:
        """The first version, and what is wrong with it."""
        try:
            steps = _steps(self._planner(self._goal, (), None))
            plan = Plan.of(self._goal, steps)
        except Exception as error:  # a planner that raises has no plan
            return Plan(self._goal, ()), f"the planner failed: {type(error).__name__}: {describe(error)}"
        if not steps:
            return plan, "the planner returned no steps"
        faults = plan_faults(plan)
        return (Plan(self._goal, ()), "; ".join(faults)) if faults else (plan, "")

    def replan(self, request: ReplanRequest) -> Draft | None:
        """Ask for the plan from the cursor on."""
        return Draft(_steps(self._planner(request.goal, tuple(self._history), request.signal)))

    def cause(self, request: ReplanRequest) -> str:
        """A function says nothing before it is asked."""
        return ""

    def remember(self, event: StepEnd, session: Session) -> None:
        """Keep a step that ran, with what came of it."""
        cell = session.state.graph.cells.get(event.step_id)
        if cell is not None and event.state != "skipped":
            error = event.error.error_msg if event.error is not None else None
            self._history.append(msgspec.structs.replace(cell.step, result=event.value, error=error))


def _steps(answer: object) -> tuple[Step, ...]:
    """A planner's answer; anything but a list of steps is a TypeError, which makes a bad draft."""
    if not isinstance(answer, list | tuple):
        raise TypeError(f"a planner returns a list of Step, not {type(answer).__name__}")
    for step in answer:
        if not isinstance(step, Step):
            raise TypeError(f"a planner returns a list of Step, not a list with {type(step).__name__} in it")
    return tuple(answer)


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
