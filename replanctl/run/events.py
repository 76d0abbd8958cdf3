"""The facts a session yields. Screen, store, result, ledger and diff are folds over them.

Every event has `seq` (from 0), `at` (virtual seconds since the start), `version` (the plan version in force,
`v1`, `v2`, …) and `type`. They are frozen and encode to one JSON object each.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from replanctl.kinds import (
    Ending,
    ErrorType,
    GateName,
    Granularity,
    Health,
    LedgerKind,
    Mode,
    OnFailure,
    Reason,
    Settle,
    Status,
    StepState,
    Verdict,
)
from replanctl.plan import Step
from replanctl.replan import Lesson
from replanctl.run.tools import Attempt as Attempt
from replanctl.run.tools import StepError as StepError

Seconds = Annotated[float, msgspec.Meta(ge=0)]
VersionName = Annotated[str, msgspec.Meta(pattern="^v[1-9][0-9]*$")]


# `gc=False` keeps a session's events out of the collector's walks: sound, as nothing that an event holds leads back to
# it. Empty dicts as defaults are safe in a struct, unlike in a function: msgspec makes a new one for each instance.
class Event(msgspec.Struct, frozen=True, gc=False, tag_field="type"):
    """What every event carries: its number `seq` (from 0, without gaps), the session's clock `at` in seconds, and the
    plan `version` in force (`v1`)."""

    seq: Annotated[int, msgspec.Meta(ge=0)]
    at: Seconds
    version: VersionName

    @property
    def type(self) -> str:
        """What kind of event it is, as in JSON: `step.end`, `plan.commit`, …"""
        return str(self.__struct_config__.tag)


class SessionStart(Event, frozen=True, gc=False, tag="session.start"):
    """The session begins. `limits` are the gates in force (null: none), `coefficients` what things cost in tokens,
    `once_only` the tools that act on the world, so that a call of theirs is made once.
    """

    goal: str
    mode: Mode
    limits: dict[str, Any]
    coefficients: dict[str, int] = {}
    assumptions: tuple[str, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    warnings: tuple[str, ...] = ()
    once_only: tuple[str, ...] = ()


class PlanCommit(Event, frozen=True, gc=False, tag="plan.commit"):
    """A new version of the plan is in force, and `version` is its name.

    It holds what changed, so that a commit costs no more than its change: `steps` are the new and
    revised steps in the draft's order, `amended` the kept ones whose dependencies, references or premises
    changed, `removed` the ids that left. The new list is: steps that have ended (in their order), `steps`, the
    other open steps (in their order). `cause` is `start`, `<error type>@<step>` or `goal-changed`.
    """

    parent: VersionName | None
    granularity: Granularity | None
    rule: str | None
    cause: str
    goal: str
    steps: tuple[Step, ...]
    amended: tuple[Step, ...] = ()
    removed: tuple[str, ...] = ()
    verdicts: dict[str, Verdict] = {}
    total: int = 0
    refuted: tuple[str, ...] = ()


class StepStart(Event, frozen=True, gc=False, tag="step.start"):
    """An execution begins; `args` are substituted."""

    step_id: str
    tool: str
    args: dict[str, Any]
    warnings: tuple[str, ...] = ()


class StepRetry(Event, frozen=True, gc=False, tag="step.retry"):
    """The same tool is called again after `wait` seconds; `failed` and `message` say how the attempt before ended."""

    step_id: str
    tool: str
    attempt: int
    wait: float
    failed: Status
    message: str = ""


class StepFallback(Event, frozen=True, gc=False, tag="step.fallback"):
    """The execution layer's second line is called: `tool` instead of `instead_of`."""

    step_id: str
    tool: str
    instead_of: str
    attempt: int
    failed: Status
    message: str = ""


class StepEnd(Event, frozen=True, gc=False, tag="step.end"):
    """An execution ended (`done` or `failed`), or a step was `skipped` without one.

    `value` is what the step produced. `again` says that the lineage had made a call before. `status` is the last
    attempt's status, `skipped`, or the error type where no call was made.
    """

    step_id: str
    state: StepState
    status: str
    tool: str
    started: float
    value: Any = None
    error: StepError | None = None
    attempts: tuple[Attempt, ...] = ()
    again: bool = False
    assumptions: tuple[str, ...] = ()
    gap: bool = False
    blocked_by: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class StepSettled(Event, frozen=True, gc=False, tag="step.settled"):
    """A person has said what came of a call that may have happened.

    It is the `call`-th that this step had in doubt. `began` is the `seq` of the event with which it began; `value`
    is its answer where it was `done`. `stands`: the step still is where that call had left it, so that it is done
    with the answer, or pending again, or let be; else only the call is settled.
    """

    step_id: str
    call: int
    began: int
    how: Settle
    tool: str
    stands: bool
    value: Any = None
    assumptions: tuple[str, ...] = ()


class Signal(Event, frozen=True, gc=False, tag="signal"):
    """A failed execution's structured description. `cause` and `refutes` are what its outcome said."""

    step_id: str
    error_type: ErrorType
    error_msg: str
    attempted: tuple[str, ...]
    evidence: dict[str, Any]
    on_failure: OnFailure
    cause: str = ""
    refutes: tuple[str, ...] = ()


class Route(Event, frozen=True, gc=False, tag="route"):
    """The decision how deep to cut, with the rule that made it. At a goal change there is no step, type or radius."""

    step_id: str | None
    error_type: ErrorType | None
    rule: str
    radius: int | None
    granularity: Granularity
    escalated_from: Granularity | None = None


class Gate(Event, frozen=True, gc=False, tag="gate"):
    """One check of a hard limit. `limit` null admits everything."""

    gate: GateName
    limit: int | float | None
    reading: int | float
    admitted: bool
    step_id: str | None = None


class LessonLearned(Event, frozen=True, gc=False, tag="lesson"):
    """A lesson was written, or one that says the same raised its count.

    `learned_in` is the version whose failure it was learned from first, which need not be the one in force, `cause`
    what it says of why.
    """

    text: str
    count: int
    step_id: str | None
    error_type: ErrorType
    evicted: str | None = None
    learned_in: str = ""
    cause: str = ""


class PlanDraft(Event, frozen=True, gc=False, tag="plan.draft"):
    """A replanner answered. `mapping` shows the ids the engine gave to local names; `error` what went wrong asking."""

    step_id: str | None
    granularity: Granularity
    replanner: str
    steps: tuple[Step, ...]
    mapping: dict[str, str] = {}
    verdicts: dict[str, Verdict] = {}
    error: str | None = None
    warnings: tuple[str, ...] = ()


class PlanRejected(Event, frozen=True, gc=False, tag="plan.rejected"):
    """A draft was refused, with every reason. `handed_over`: there is no other draft, and a person may settle what
    stands against this one, so that the step is left to them."""

    step_id: str | None
    reasons: tuple[str, ...]
    handed_over: bool = False


class PlanDiffed(Event, frozen=True, gc=False, tag="plan.diff"):
    """What a new version changed, as lists of step ids in list order."""

    from_: VersionName = msgspec.field(name="from")
    to: VersionName = ""
    granularity: Granularity | None = None
    cause: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    rewired: tuple[str, ...] = ()


class GoalChanged(Event, frozen=True, gc=False, tag="goal.changed"):
    """An interruption came due. `accepted` false: it changed nothing, and `warnings` says why."""

    goal: str
    previous: str
    accepted: bool = True
    refutes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class VariableHealth(Event, frozen=True, gc=False, tag="variable.health"):
    """A variable's health changed, or it was born degraded."""

    name: str
    health: Health
    because: str
    verdict: Verdict | None = None


class SolverCalled(Event, frozen=True, gc=False, tag="solver"):
    """The Solver was given the evidence and the gaps, and answered or admitted that it can't."""

    evidence: tuple[str, ...]
    gaps: tuple[str, ...]
    missing: tuple[str, ...]
    answered: bool


class Ledger(Event, frozen=True, gc=False, tag="ledger"):
    """Tokens booked outside executions: `planning`, `replan` or `solver`. Executions book in their `step.end`."""

    kind: LedgerKind
    step_id: str | None
    granularity: Granularity | None
    estimated: int
    booked: int


class SessionComplete(Event, frozen=True, gc=False, tag="session.complete"):
    """The session is over. `detail` says in words how it ended."""

    status: Ending
    reason: Reason
    detail: str = ""
    seconds: float = 0.0
    gate: GateName | None = None
    warnings: tuple[str, ...] = ()


AnyEvent = (
    SessionStart | PlanCommit | StepStart | StepRetry | StepFallback
    | StepEnd | StepSettled | Signal | Route | Gate
    | LessonLearned | PlanDraft | PlanRejected | PlanDiffed | GoalChanged
    | VariableHealth | SolverCalled | Ledger | SessionComplete
)  # fmt: skip
