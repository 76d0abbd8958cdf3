"""The result of a session: one document, made from its events."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.run.events import StepError


class StepView(msgspec.Struct, frozen=True, gc=False):
    """A step as one version held it; `state` is its state at the end of that version."""

    id: str
    action: str
    tool: str
    args: dict[str, Any]
    depends_on: tuple[str, ...]
    assumes: tuple[str, ...]
    state: str
    replaces: str | None


class VersionView(msgspec.Struct, frozen=True, gc=False):
    """One plan version, whole."""

    version: str
    parent: str | None
    granularity: str | None
    rule: str | None
    cause: str
    steps: tuple[StepView, ...]


class AttemptView(msgspec.Struct, frozen=True, gc=False):
    """One tool call."""

    tool: str
    status: str
    latency: float


class ExecutionView(msgspec.Struct, frozen=True, gc=False):
    """One step run once, or skipped; times in seconds."""

    seq: int
    version: str
    step_id: str
    tool: str
    args: dict[str, Any]
    status: str
    result: Any
    error: StepError | None
    attempts: tuple[AttemptView, ...]
    started: float
    ended: float


class Revision(msgspec.Struct, frozen=True, gc=False):
    """What one version changed."""

    from_: str = msgspec.field(name="from")
    to: str = ""
    granularity: str | None = None
    cause: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    rewired: tuple[str, ...] = ()


class SignalView(msgspec.Struct, frozen=True, gc=False):
    """One failure."""

    version: str
    step_id: str
    error_type: str
    error_msg: str
    attempted: tuple[str, ...]
    evidence: dict[str, Any]


class RouteView(msgspec.Struct, frozen=True, gc=False):
    """One routing decision."""

    version: str
    step_id: str | None
    error_type: str | None
    rule: str
    radius: int | None
    granularity: str
    escalated_from: str | None


class GateView(msgspec.Struct, frozen=True, gc=False):
    """One check of a gate."""

    gate: str
    limit: int | float | None
    reading: int | float
    admitted: bool
    step_id: str | None
    version: str


class VariableView(msgspec.Struct, frozen=True, gc=False):
    """One variable and whether it may still be used."""

    value: Any
    health: str
    assumptions: tuple[str, ...]
    step_id: str
    version: str
    verdict: str | None


class LessonView(msgspec.Struct, frozen=True, gc=False):
    """One lesson of the book."""

    text: str
    count: int
    version: str
    step_id: str | None
    error_type: str


class LedgerLine(msgspec.Struct, frozen=True, gc=False):
    """One booking, in tokens."""

    kind: str
    version: str
    step_id: str | None
    granularity: str | None
    estimated: int
    booked: int


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
    error_type: str
    error_msg: str
    blocked_by: tuple[str, ...]


class HandOver(msgspec.Struct, frozen=True, gc=False):
    """What a person gets when the session stops short. `next` are commands."""

    reason: str
    gate: GateView | None
    clean_results: dict[str, Any]
    trajectory: tuple[str, ...]
    next: tuple[str, ...]


class SessionResult(msgspec.Struct, frozen=True, gc=False):
    """A whole rehearsed session: what `--format json` prints. `run` is None for a run that was not stored."""

    schema_version: int
    run: int | None
    goal: str
    status: str
    reason: str
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
    handover: HandOver | None
    warnings: tuple[str, ...]
