"""The result of a session: one document, made from its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from replanctl.kinds import (
    Ending,
    ErrorType,
    GateName,
    Granularity,
    Health,
    LedgerKind,
    Reason,
    Status,
    StepState,
    Verdict,
)
from replanctl.run.events import Event, VersionName
from replanctl.run.tools import StepError

SchemaVersion = Literal[1]
SCHEMA_VERSION: SchemaVersion = 1


# The result is a document of its own, with views instead of the engine's values: what is stored and read by others must
# not change its shape because a cell or a variable inside the engine did. It is made from events alone (`fold.py`).
# Each field is said in words once, in `said.py`, from where the schema has them.
class StepView(msgspec.Struct, frozen=True, gc=False):
    """A step as one version held it; `state` is its state at the end of that version."""

    id: str
    action: str
    tool: str
    args: dict[str, Any]
    expected_outcome: str | None
    depends_on: tuple[str, ...]
    assumes: tuple[str, ...]
    state: StepState
    replaces: str | None


class VersionView(msgspec.Struct, frozen=True, gc=False):
    """One version of the plan, with all its steps."""

    version: VersionName
    parent: VersionName | None
    granularity: Granularity | None
    rule: str | None
    cause: str
    steps: tuple[StepView, ...]


class AttemptView(msgspec.Struct, frozen=True, gc=False):
    """One tool call."""

    tool: str
    status: Status
    latency: float


class ExecutionView(msgspec.Struct, frozen=True, gc=False):
    """One step run once, or skipped; times in seconds."""

    seq: Annotated[int, msgspec.Meta(ge=0)]
    version: VersionName
    step_id: str
    tool: str
    args: dict[str, Any]
    status: StepState
    result: Any
    error: StepError | None
    attempts: tuple[AttemptView, ...]
    started: float
    ended: float


class Revision(msgspec.Struct, frozen=True, gc=False):
    """What one version changed."""

    from_: VersionName = msgspec.field(name="from")
    to: VersionName = ""
    granularity: Granularity | None = None
    cause: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    rewired: tuple[str, ...] = ()


class SignalView(msgspec.Struct, frozen=True, gc=False):
    """One failure."""

    version: VersionName
    step_id: str
    error_type: ErrorType
    error_msg: str
    attempted: tuple[str, ...]
    evidence: dict[str, Any]


class RouteView(msgspec.Struct, frozen=True, gc=False):
    """One routing decision."""

    version: VersionName
    step_id: str | None
    error_type: ErrorType | None
    rule: str
    radius: int | None
    granularity: Granularity
    escalated_from: Granularity | None


class GateView(msgspec.Struct, frozen=True, gc=False):
    """One check of a gate."""

    gate: GateName
    limit: int | float | None
    reading: int | float
    admitted: bool
    step_id: str | None
    version: VersionName


class VariableView(msgspec.Struct, frozen=True, gc=False):
    """One variable and whether it may still be used."""

    value: Any
    health: Health
    assumptions: tuple[str, ...]
    step_id: str
    version: VersionName
    verdict: Verdict | None


class LessonView(msgspec.Struct, frozen=True, gc=False):
    """One lesson of the book."""

    text: str
    count: int
    version: str
    step_id: str | None
    error_type: str


class LedgerLine(msgspec.Struct, frozen=True, gc=False):
    """One booking, in tokens."""

    kind: LedgerKind
    version: VersionName
    step_id: str | None
    granularity: Granularity | None
    estimated: int
    booked: int


# Main is planning and every step once; the ratio is what failures added to that, and the figure to compare policies by.
class LedgerTotals(msgspec.Struct, frozen=True, gc=False):
    """Main is planning of v1 and first executions; remedy the rest; ratio is remedy / main."""

    main: int
    remedy: int
    all: int
    ratio: float


class LedgerView(msgspec.Struct, frozen=True, gc=False):
    """Every booking, and the sums."""

    lines: tuple[LedgerLine, ...]
    totals: LedgerTotals


class Gap(msgspec.Struct, frozen=True, gc=False):
    """A step that went without a result, and what it was blocked by."""

    step_id: str
    error_type: ErrorType
    error_msg: str
    blocked_by: tuple[str, ...]


class EffectView(msgspec.Struct, frozen=True, gc=False):
    """One call that took effect, and how often; the step and version are those of its first time."""

    tool: str
    args: dict[str, Any]
    step_id: str
    version: str
    times: int


class HandOver(msgspec.Struct, frozen=True, gc=False):
    """What a person gets when the session stops short.

    `open` are the steps of the final version that were not run, `trajectory` has a line for every execution, skipped
    step and new version, in the order in which they came; `next` are commands.
    """

    reason: Reason
    gate: GateView | None
    clean_results: dict[str, Any]
    open: tuple[str, ...]
    trajectory: tuple[str, ...]
    lessons: tuple[LessonView, ...]
    gaps: tuple[Gap, ...]
    next: tuple[str, ...]


class SessionResult(msgspec.Struct, frozen=True, dict=True):
    """A whole session: what `--format json` prints, and `msgspec.json.encode` writes.

    `status` is `completed` or `failed`, `reason` why; `seconds` and all times are of session time, the ledger is in
    tokens. `history` has a row for every execution, in the order in which they ended. `run` is the number in the store,
    None for a run that was not stored. The result is the caller's: what is done to it does not reach the session.
    """

    schema_version: SchemaVersion
    run: int | None
    goal: str
    status: Ending
    reason: Reason
    detail: str
    seconds: float
    versions: tuple[VersionView, ...]
    history: tuple[ExecutionView, ...]
    revisions: tuple[Revision, ...]
    signals: tuple[SignalView, ...]
    routes: tuple[RouteView, ...]
    gates: tuple[GateView, ...]
    variables: dict[str, VariableView]
    lessons: tuple[LessonView, ...]
    ledger: LedgerView
    gaps: tuple[Gap, ...]
    effects: tuple[EffectView, ...]
    handover: HandOver | None
    warnings: tuple[str, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events it was made from, where they were kept: `PlanExecuteAgent` keeps them."""
        kept: tuple[Event, ...] = self.__dict__.get("events", ())
        return kept

    @property
    def source(self) -> object:
        """What `PlanExecuteAgent.resume` goes on from; None for what no agent made."""
        return self.__dict__.get("source")

    def with_events(self, events: Iterable[Event], source: object = None) -> SessionResult:
        """The same result, with the events it was made from and where they came from; they are no part of its
        document."""
        self.__dict__["events"] = tuple(events)
        self.__dict__["source"] = source
        return self
