"""What a session knows while it runs: the live plan, the variables, the lessons, and what was spent so far.

Only the engine's own modules hold it; what leaves them is a frozen event.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from replanctl.cost import CostModel
from replanctl.kinds import Health, LedgerKind, Mode, OnFailure, Unreadable
from replanctl.live import (
    DONE,
    FAILED,
    PENDING,
    RUNNING,
    SKIPPED,
    Cell,
    Graph,
    HealthChange,
    Judged,
    VariableTable,
    call_key,
    same_work,
)
from replanctl.plan import Plan, Reference, Step, Tool, references
from replanctl.replan import Check, Lesson, LessonBook, resolve
from replanctl.run import events
from replanctl.run.budget import MICROSECONDS, Budget, Spending, Stop, left, microseconds, refusal
from replanctl.run.once import DENIED, MAKE, Caller, CallGuard, Made, May, Ruling, refuse
from replanctl.run.policy import Policy
from replanctl.run.tools import answer_fault

if TYPE_CHECKING:
    from replanctl.replan import Left

DEFAULT_TOOL = Tool()

E = TypeVar("E", bound=events.Event)


class Failure(msgspec.Struct):
    """A failed execution that may be replanned, with what its outcome said.

    `unmade` are the steps it reads that had not run when it failed; `lesson` is what was written of it, so that a
    failure which is routed again on resume does not count twice; `doubtful` says that its call may have happened, and
    is not to be made twice.
    """

    cell: Cell
    signal: events.Signal
    unmade: frozenset[str] = frozenset()
    lesson: Lesson | None = None
    doubtful: bool = False
    resting: tuple[int, list[Cell]] | None = None


class GivenUp(msgspec.Struct, frozen=True):
    """A step that a person has to take over, with what was skipped because it rests on it. `check` is the breaker's
    that refused one more replan; None where no replan helps."""

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
        self.refused_args: dict[int, str] = {}  # what args have too much of, by identity
        self.goal = plan.goal
        self.budget = Budget()
        self.apply(policy)
        self.tools = dict(specs or plan.tools or {})
        self.default_tool = default_tool
        self.once_only = tuple([name for name, tool in self.tools.items() if not tool.idempotent])
        self.acts_once = bool(self.once_only) or not default_tool.idempotent  # whether any tool may
        self.graph = Graph()
        self.variables = VariableTable()
        self.lessons = LessonBook(policy.lessons, lessons)
        self.seq = 0
        self.plain = False  # the plain two-budget loop
        self.clock = 0  # microseconds since the start
        self.at = 0.0  # the same in seconds
        self.version = "v1"
        self.executions: int = 0
        self.calls: int = 0
        self.replans: int = 0
        self.replan_tokens: int = 0
        self.booked: int = 0  # tokens, of everything
        self.in_flight: int = 0  # tokens, by the coefficients of the calls under way
        self.once = CallGuard()
        self.failures: list[Failure] = []  # waiting for their replans, the earliest first
        self.aborted: list[Failure] = []  # failures that end the session, the earliest first
        self.spent: tuple[Check, str] | None = None  # the gate that stopped an execution, and the step's id
        self.stop: Stop | None = None  # why the session ends, once it does
        self.abandoned: list[Cell] = []  # steps whose executions a gate ended
        self.let_be: list[Cell] = []  # steps that failed, and that a person has let be
        self.given_up: list[GivenUp] = []  # the earliest first; one whose step has left the plan counts no more

    def apply(self, policy: Policy) -> None:
        """Another policy holds from here on; what was decided under the one before stays."""
        self.policy = policy
        self.cost = CostModel(policy.coefficients)
        self.limits = resolve(policy.gates, len(self.plan.steps), self.cost)
        self.budget.apply(self.limits)
        self.next_step = Spending(tokens=policy.coefficients.execution)
        seconds = self.limits.max_seconds
        self.deadline = None if seconds is None else microseconds(seconds)

    def emit(self, kind: type[E], *args: Any, **fields: Any) -> E:
        """The next event, stamped."""
        event = kind(self.seq, self.at, self.version, *args, **fields)
        self.seq += 1
        return event

    def book(self, kind: LedgerKind, tokens: int) -> events.Ledger:
        """Tokens that are spent outside executions and replans: planning, or the Solver."""
        self.booked += tokens
        return self.emit(events.Ledger, kind, None, None, tokens, tokens)

    def left(self) -> Left:
        """What the limits still allow now."""
        return left(self)

    def refused(self, check: Check, step_id: str | None) -> events.Gate:
        """A gate refuses, and with that the session ends."""
        self.stop = refusal(check)
        return self.checked(check, step_id)

    def checked(self, check: Check, step_id: str | None) -> events.Gate:
        """A gate was asked."""
        return self.emit(events.Gate, check.gate, check.limit, check.reading, check.admitted, step_id)

    def radius(self, failure: Failure) -> list[Cell]:
        """The open steps that rest on a failure, in list order; walked again only where something has moved since."""
        if failure.resting is None or failure.resting[0] != self.graph.moves:
            failure.resting = self.graph.moves, self.graph.resting_on(failure.cell, failure.signal.refutes)
        return failure.resting[1]

    @property
    def waits_for_a_person(self) -> GivenUp | None:
        """The first step that was handed over and has not left the plan since."""
        return next((each for each in self.given_up if not each.failure.cell.gone), None)

    def advance(self, clock: int) -> None:
        """The virtual clock moves on."""
        self.clock = clock
        self.at = clock / MICROSECONDS

    def tool(self, name: str) -> Tool:
        """What the plan knows of a tool; one that is not described has the defaults."""
        return self.tools.get(name, self.default_tool)

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
        if not reference.known:
            return Unreadable.NO_STEP
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

    # -- calls that may not be made again ------------------------------------------------------------------------

    @property
    def may_call_all(self) -> bool:
        """Whether any call may be made, whatever was called before."""
        return not self.acts_once and not self.once.denied

    def may_call(
        self, tool: str, args: dict[str, Any], caller: Caller, *, again: bool = False, judged: Judged | None = None
    ) -> Ruling:
        """The guard's word on a call that a step comes to; `again`: it is meant to be made once more."""
        if self.tool(tool).idempotent and not self.once.denied:
            return MAKE
        ruling = self.once.may(call_key(tool, args), caller, lambda made: _fits(made, caller.step), again=again)
        if ruling.may is May.TAKE and ruling.made is not None and self._is_void(ruling.made, judged or self.variables):
            return refuse(ruling.made)
        return ruling

    def caller(self, cell: Cell) -> Caller:
        """A step of the plan as it comes to a call."""
        return Caller(cell.step, self.graph.lineage_ids(cell)[0], cell.original)

    def drafted_call(self, step: Step, known: Container[str], judged: Judged) -> Ruling:
        """The guard's word on the call of a drafted step, so far as its args can be read now; `known` are the ids that
        are references in it, `judged` is the health that the draft's verdicts leave: what it discards is not taken."""
        if (self.tool(step.tool_name).idempotent and not self.once.denied) or not self.can_read(step, known):
            return MAKE
        cells = self.graph.cells
        own, before = cells.get(step.id), cells.get(step.id) or cells.get(step.replaces or "")
        root = self.graph.lineage_ids(before)[0] if before is not None else step.id
        original = own is not None and own.original and same_work(own.step, step)
        args, caller = self.substituted(step, known), Caller(step, root, original)
        return self.may_call(step.tool_name, args, caller, again=step.again, judged=judged)

    def unmakeable(self, step: Step, known: Container[str], judged: Judged) -> str:
        """Why the call of a drafted step may not be made; nothing where it may, or where its answer is taken."""
        ruling = self.drafted_call(step, known, judged)
        if ruling.may is not May.REFUSE:
            return ""
        return f"was {ruling.why}" if ruling is DENIED else f"is {ruling.why}"

    def can_read(self, step: Step, known: Container[str]) -> bool:
        """Whether every reference in a step's args can be read now."""
        if not references.mentions(step.args):
            return True
        found = references.find(step.args, known)
        return not any(self.state(r) for r in found) and not self.too_bulky(step, known)

    def _is_void(self, made: Made, judged: Judged | VariableTable) -> bool:
        """Whether what a call's answer rests on has fallen for good."""
        if (variable := made.variable) is not None:
            stands = self.variables.get(variable.step_id) is variable
            return (judged.health(variable.step_id) if stands else variable.health) is Health.VOID
        return self.variables.would_be_void(made.caller.step.assumes, made.sources)

    def substituted(self, step: Step, known: Container[str]) -> dict[str, Any]:
        """A step's args with every reference, to the `known` ids, replaced by what it reads now."""
        args: dict[str, Any] = references.transform(step.args, known, self._whole, self._inside)
        return args

    def too_bulky(self, step: Step, known: Container[str]) -> str:
        """What a step's args have too much of for one call, once their references are read; or nothing."""
        from replanctl.plan import too_bulky_when_read

        return too_bulky_when_read(step.args, known, self._read_or_none)

    def _read_or_none(self, reference: Reference) -> Any:
        return None if self.state(reference) else self._whole(reference)

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


def _fits(made: Made, step: Step) -> bool:
    return step.produces is None or not answer_fault(step.produces, made.value)
