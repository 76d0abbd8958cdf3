"""A session made by hand: three vendors, of which one has no public price list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replanctl.plan.model import Granularity, OnFailure, Step, StepState
from replanctl.replan.signal import ErrorType, Status
from replanctl.run.events import (
    Attempt,
    Event,
    Gate,
    Ledger,
    LessonLearned,
    PlanCommit,
    PlanDiffed,
    PlanDraft,
    Route,
    SessionComplete,
    SessionStart,
    Signal,
    StepEnd,
    StepError,
    StepStart,
)
from replanctl.run.result import (
    GateView,
    LedgerLine,
    LedgerTotals,
    LedgerView,
    LessonView,
    Revision,
    SessionResult,
    SignalView,
    VariableView,
)

GOAL = "Compare the monthly object-storage cost of three cloud vendors"
LIMITS: dict[str, Any] = {
    "per_step": 3,
    "max_replans": 5,
    "max_replan_tokens": 20_000,
    "max_steps": 12,
    "max_tool_calls": None,
    "max_seconds": None,
    "max_repeat": 1,
}
LESSON = "v1 step 3 assumption: sells by quote only; avoid: price_lookup: shape"


def step(id_: str, action: str, tool: str = "price_lookup", *, after: tuple[str, ...] = (), **more: Any) -> Step:
    """A step of the sample."""
    return Step(id_, tool, action=action, depends_on=after, **more)


V1 = (
    step("1", "look up A", args={"vendor": "A"}),
    step("2", "look up B", args={"vendor": "B"}),
    step("3", "look up C", args={"vendor": "C"}),
    step("4", "total", "calculate", after=("1", "2", "3")),
    step("5", "write it up", "write", after=("4",)),
)
V2 = (
    step("3", "work around [no public price list]", args={"vendor": "C", "list": False}),
    step("6", "write it up", "write", after=("1", "2", "3"), replaces="5"),
)


def ended(id_: str, started: float, *, tool: str = "price_lookup", seq: int = 0, **more: Any) -> StepEnd:
    """An execution of one second that succeeded, unless something else is said."""
    attempts = (Attempt(tool, Status.OK, 1.0, 180),)
    fields = {"state": StepState.DONE, "status": "ok", "attempts": attempts, **more}
    return StepEnd(seq, started + 1, "v1", step_id=id_, tool=tool, started=started, **fields)


def failed(
    id_: str, started: float, error_type: str, message: str, *, tool: str = "price_lookup", **more: Any
) -> StepEnd:
    """An execution that failed."""
    error = StepError(error_type, message)
    attempts = (Attempt(tool, Status.SHAPE, 1.0, 180),)
    return ended(
        id_,
        started,
        tool=tool,
        **{"state": StepState.FAILED, "status": "shape", "error": error, "attempts": attempts, **more},
    )


def vendors() -> Iterator[Event]:
    """The events of the session."""
    yield SessionStart(0, 0.0, "v1", goal=GOAL, mode="hybrid", limits=LIMITS)
    yield PlanCommit(1, 0.0, "v1", None, None, None, "start", GOAL, V1, total=5)
    yield Ledger(2, 0.0, "v1", "planning", None, None, 460, 460)
    for at, id_ in enumerate(("1", "2")):
        yield StepStart(0, float(at), "v1", id_, "price_lookup", {})
        yield ended(id_, float(at))
    yield StepStart(0, 2.0, "v1", "3", "price_lookup", {})
    yield failed("3", 2.0, "assumption", "no public price list")
    yield Signal(
        0,
        3.0,
        "v1",
        "3",
        ErrorType.ASSUMPTION,
        "no public price list",
        ("price_lookup: shape",),
        {"radius": 2},
        OnFailure.REPLAN,
        cause="sells by quote only",
    )
    yield Route(0, 3.0, "v1", "3", "assumption", "wide-radius", 2, Granularity.TAIL)
    yield LessonLearned(0, 3.0, "v1", LESSON, 1, "3", "assumption", None, "v1", "sells by quote only")
    for gate, limit, reading in (("per_step", 3, 0), ("max_replans", 5, 0), ("max_replan_tokens", 20_000, 636)):
        yield Gate(0, 3.0, "v1", gate, limit, reading, True, "3")
    yield Ledger(0, 3.0, "v1", "replan", "3", Granularity.TAIL, 530, 530)
    yield PlanDraft(0, 3.0, "v1", "3", Granularity.TAIL, "scripted", V2)
    for gate, limit, reading in (("max_repeat", 1, 0), ("max_steps", 12, 5)):
        yield Gate(0, 3.0, "v1", gate, limit, reading, True, "3")
    yield PlanCommit(
        0, 3.0, "v2", "v1", Granularity.TAIL, "wide-radius", "assumption@3", GOAL, V2, removed=("4", "5"), total=4
    )
    yield PlanDiffed(0, 3.0, "v2", "v1", "v2", Granularity.TAIL, "assumption@3", ("4", "5"), ("6",), ("3",))
    yield ended("3", 3.0)
    yield ended("6", 4.0, tool="write")
    yield SessionComplete(0, 5.0, "v2", "completed", "goal_met", "", 5.0)


def result(**changes: Any) -> SessionResult:
    """The result of the session."""
    lines = (
        LedgerLine("planning", "v1", None, None, 460, 460),
        *(LedgerLine("execution", "v1", id_, None, 180, 180) for id_ in ("1", "2", "3")),
        LedgerLine("replan", "v1", "3", "tail", 530, 530),
        LedgerLine("re-execution", "v2", "3", None, 180, 180),
        LedgerLine("execution", "v2", "6", None, 180, 180),
    )
    fields: dict[str, Any] = {
        "schema_version": 1,
        "run": 1,
        "goal": GOAL,
        "status": "completed",
        "reason": "goal_met",
        "detail": "",
        "seconds": 5.0,
        "versions": (),
        "history": (),
        "revisions": (Revision("v1", "v2", "tail", "assumption@3", ("4", "5"), ("6",), ("3",)),),
        "signals": (
            SignalView("v1", "3", "assumption", "no public price list", ("price_lookup: shape",), {"radius": 2}),
        ),
        "routes": (),
        "gates": (GateView("per_step", 3, 0, True, "3", "v1"),),
        "variables": {f"E{i}": VariableView({"rows": [i]}, "clean", (), str(i), "v1", None) for i in (1, 2, 3, 6)},
        "lessons": (LessonView(LESSON, 1, "v1", "3", "assumption"),),
        "ledger": LedgerView(lines, LedgerTotals(1180, 710, 1890, 710 / 1180)),
        "gaps": (),
        "effects": (),
        "handover": None,
        "warnings": (),
    }
    return SessionResult(**{**fields, **changes})
