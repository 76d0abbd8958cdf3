"""What a session knows while it runs: the live plan, the variables, the lessons, and what was spent so far.

Only the engine's own modules hold it; what leaves them is a frozen event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from replanctl.cost import CostModel
from replanctl.kinds import Health, Mode, OnFailure, Unreadable
from replanctl.live import (
    DONE,
    FAILED,
    PENDING,
    RUNNING,
    SKIPPED,
    CallKey,
    Cell,
    Finished,
    Graph,
    HealthChange,
    VariableTable,
    call_key,
)
from replanctl.plan import Plan, Reference, Step, Tool, references
from replanctl.replan import Check, Lesson, LessonBook, OscillationGuard, ReplanBreaker, resolve
from replanctl.run import events
from replanctl.run.policy import Policy

MICROSECONDS = 1_000_000
DEFAULT_TOOL = Tool()

E = TypeVar("E", bound=events.Event)


class Failure(msgspec.Struct):
    """A failed execution that may be replanned, with what its outcome said.

    `unmade` are the steps it reads that had not run when it failed; `learned` says that its lesson was written, so
    that a failure which is routed again on resume does not count twice.
    """

    cell: Cell
    signal: events.Signal
    unmade: frozenset[str] = frozenset()
    learned: bool = False


class GivenUp(msgspec.Struct, frozen=True):
    """A step that a person has to take over, with what was skipped because it rests on it.

    `check` is the breaker's that refused one more replan; None where no replan helps.
    """

    failure: Failure
    check: Check | None
    skipped: tuple[Cell, ...]


class SessionState:
    """The mutable heart of one session."""

    def __init__(
        self,
        plan: Plan,
        policy: Policy,
        lessons: Iterable[Lesson] = (),
        default_tool: Tool = DEFAULT_TOOL,
        specs: Mapping[str, Tool] | None = None,
    ) -> None:
        self.plan = plan
        self.goal = plan.goal
        self.breaker = ReplanBreaker()
        self.guard = OscillationGuard()
        self.apply(policy)
        self.tools = dict(specs or plan.tools or {})
        self._default_tool = default_tool
        self.graph = Graph()
        self.finished = Finished(self.graph)
        self.variables = VariableTable()
        self.lessons = LessonBook(policy.lessons, lessons)
        self.seq = 0
        self.clock = 0  # microseconds since the start
        self.at = 0.0  # the same in seconds
        self.version = "v1"
        self.executions = 0
        self.calls = 0
        self.replans = 0
        self.replan_tokens = 0
        self.denied: set[CallKey] = set()
        self.failures: list[Failure] = []  # waiting for their replans, the earliest first
        self.aborted: list[Failure] = []  # failures that end the session, the earliest first
        self.given_up: list[GivenUp] = []  # the earliest first; one whose step has left the plan counts no more

    def apply(self, policy: Policy) -> None:
        """Another policy holds from here on; what was decided under the one before stays."""
        self.policy = policy
        self.cost = CostModel(policy.coefficients)
        self.limits = resolve(policy.gates, len(self.plan.steps), self.cost)
        self.breaker.per_step = self.limits.per_step
        self.guard.max_repeat = self.limits.max_repeat
        seconds = self.limits.max_seconds
        self.deadline = None if seconds is None else microseconds(seconds)

    def emit(self, kind: type[E], *args: Any, **fields: Any) -> E:
        """The next event, stamped."""
        event = kind(self.seq, self.at, self.version, *args, **fields)
        self.seq += 1
        return event

    def advance(self, clock: int) -> None:
        """The virtual clock moves on."""
        if clock != self.clock:
            self.clock = clock
            self.at = clock / MICROSECONDS

    def tool(self, name: str) -> Tool:
        """What the plan knows of a tool; one that is not described has the defaults."""
        return self.tools.get(name, self._default_tool)

    def on_failure(self, step: Step) -> OnFailure:
        """What a failure of this step does, under the session's mode."""
        mode = self.policy.mode
        if mode is Mode.REWOO:
            return OnFailure.DEFER
        if mode is Mode.REPLAN:
            return OnFailure.REPLAN
        return step.on_failure or OnFailure.REPLAN

    # -- references -----------------------------------------------------------------------------------------------

    def state(self, reference: Reference) -> Unreadable | None:
        """What stands in the way of a reference; None when it can be read (a gap reads as null)."""
        id_ = reference.step_id
        variable = self.variables.get(id_)
        if variable is not None:
            if variable.health is Health.VOID:
                return Unreadable.VOID
            try:
                references.follow(variable.value, reference.path)
            except LookupError:
                return Unreadable.NO_FIELD
            return None
        cell = self.graph.cells.get(id_)
        if cell is None:
            return Unreadable.NO_STEP
        return None if cell.gap else _WITHOUT_VALUE[cell.state]

    def value(self, step_id: str) -> Any:
        """The value of a variable that can be read."""
        variable = self.variables.get(step_id)
        return variable.value if variable is not None else None

    def is_clean(self, step_id: str) -> bool:
        """Whether a new plan may read a variable without a verdict."""
        return self.variables.health(step_id) is Health.CLEAN

    # -- calls that were denied ----------------------------------------------------------------------------------

    def was_denied(self, tool: str, args: dict[str, Any]) -> bool:
        """Whether this very call was refused for lack of rights before."""
        return bool(self.denied) and call_key(tool, args) in self.denied

    def denies(self, step: Step) -> bool:
        """Whether a step would make a call that was denied, as far as its references can be read now."""
        if not self.denied:
            return False
        known = self.graph.known
        if any(self.state(r) for r in references.find(step.args, known)):
            return False
        return self.was_denied(step.tool_name, self.substituted(step))

    def substituted(self, step: Step) -> dict[str, Any]:
        """A step's args with every reference replaced by what it reads now."""
        args: dict[str, Any] = references.transform(step.args, self.graph.known, self._whole, self._inside)
        return args

    def _whole(self, reference: Reference) -> Any:
        variable = self.variables.get(reference.step_id)
        return references.follow(variable.value, reference.path) if variable is not None else None

    def _inside(self, reference: Reference) -> str:
        if reference.step_id in self.variables:
            return references.in_text(self._whole(reference))
        return f"[gap: E{reference.step_id}]"

    def health_events(self, changes: Iterable[HealthChange]) -> list[events.VariableHealth]:
        """One event for each change of a variable's health."""
        return [self.emit(events.VariableHealth, f"E{c.step_id}", c.health, c.because, c.verdict) for c in changes]


# What a reference to a step meets that has no variable. A running step has not produced anything yet either.
_WITHOUT_VALUE = {
    PENDING: Unreadable.PENDING,
    RUNNING: Unreadable.PENDING,
    DONE: Unreadable.NO_STEP,
    FAILED: Unreadable.FAILED,
    SKIPPED: Unreadable.SKIPPED,
}


def microseconds(seconds: float) -> int:
    """Seconds as the clock counts them."""
    return round(seconds * MICROSECONDS)
