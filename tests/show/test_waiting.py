"""The line that says what is waited for: a table of moments, and what it says at each in so many columns."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.kinds import ErrorType, GateName, Granularity, LedgerKind, Mode, Settle, Status, StepState
from replanctl.plan import Step
from replanctl.replan import FailureSignal, GateLimits, ReplanRequest
from replanctl.run import (
    Attempt,
    Call,
    Event,
    Gate,
    Ledger,
    PlanCommit,
    PlanDraft,
    Policy,
    SessionStart,
    StepEnd,
    StepRetry,
    StepSettled,
    StepStart,
)
from replanctl.show import Waits, glyphs_for
from replanctl.show.text import width

NO_LIMITS: dict[str, Any] = dict.fromkeys(GateName)
STEPS = (
    Step("1", "look"),
    Step("2", "ask", action="ask the sales team of vendor B"),
    Step("3", "write", action="写一份报告"),
)


def start(**limits: float) -> SessionStart:
    return SessionStart(0, 0.0, "v1", "goal", Mode.HYBRID, NO_LIMITS | limits)


def commit(steps: tuple[Step, ...] = STEPS, parent: str | None = None, removed: tuple[str, ...] = ()) -> PlanCommit:
    return PlanCommit(1, 0.0, "v1", parent, None, None, "start", "goal", steps, (), removed)


def began(step: str, at: float = 0.0) -> StepStart:
    return StepStart(2, at, "v1", step, "look", {})


def ended(step: str, *tokens: int, state: StepState = StepState.DONE, at: float = 0.0) -> StepEnd:
    attempts = tuple(Attempt("look", Status.OK, 1.0, each) for each in tokens)
    return StepEnd(3, at, "v1", step, state, "ok", "look", 0.0, attempts=attempts)


def again(step: str, attempt: int) -> StepRetry:
    return StepRetry(3, 0.0, "v1", step, "look", attempt, 1.0, Status.TIMEOUT)


def asked_planner(booked: int) -> list[Event]:
    """What a replan leaves behind: its gate, its draft and its booking."""
    return [
        Gate(4, 0.0, "v1", GateName.PER_STEP, 3, 2, True, "2"),
        PlanDraft(5, 0.0, "v1", "2", Granularity.TAIL, "command", ()),
        Ledger(6, 0.0, "v1", LedgerKind.REPLAN, "2", Granularity.TAIL, booked, booked),
    ]


CALL = Call("2", "ask", {})
FAILED = ReplanRequest("goal", Granularity.TAIL, signal=FailureSignal("2", ErrorType.SEMANTIC, "no", (), {}))
NEW_GOAL = ReplanRequest("goal", Granularity.GLOBAL)

# What happened, who is asked, and what is said after 12.7 seconds.
MOMENTS: dict[str, tuple[list[Event], Call | ReplanRequest, str]] = {
    "a step": (
        [start(), commit(), began("1"), ended("1", 180), began("2")],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 1 of 3 done",
    ),
    "another try": (
        [start(), commit(), began("2"), again("2", 2)],
        Call("2", "ask", {}, attempt=2),
        "  waiting 12s for step 2 (try 2), ask the sales team of vendor B · 0 of 3 done",
    ),
    "a step without an action": (
        [start(), commit()],
        Call("1", "look", {}),
        "  waiting 12s for step 1, look · 0 of 3 done",
    ),
    "a planner after a failure": (
        [start(), commit(), ended("1", 180), ended("2", 180, state=StepState.FAILED)],
        FAILED,
        "  waiting 12s (of 1m) for the planner, step 2 failed · 1 of 3 done",
    ),
    "a planner at a new goal": (
        [start(), commit()],
        NEW_GOAL,
        "  waiting 12s (of 1m) for the planner, the goal changed · 0 of 3 done",
    ),
    "calls under way count": (
        [start(max_tool_calls=3), commit(), began("1"), ended("1", 180), began("2")],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 1 of 3 done · near limit: calls 2/3",
    ),
    "executions": (
        [start(max_steps=10), commit(), *(ended("1", 180) for _ in range(7)), began("2")],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 1 of 3 done · near limit: steps 8/10",
    ),
    "tokens and replan tokens": (
        [start(max_tokens=1000, max_replan_tokens=1000), commit(), ended("1", 180), *asked_planner(800), began("2")],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 1 of 3 done"
        " · near limit: tokens 800/1,000, all tokens 980/1,000",
    ),
    "the clock runs on": (
        [start(max_seconds=60), commit(), began("2", at=40.0)],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 0 of 3 done · near limit: time 52s/1m",
    ),
    "the breaker, at a replan": (
        [start(per_step=3, max_replans=9), commit(), *asked_planner(500)],
        FAILED,
        "  waiting 12s (of 1m) for the planner, step 2 failed · 0 of 3 done · near limit: this failure 2/3",
    ),
    "the breaker is no matter of a step": (
        [start(per_step=3, max_replans=9), commit(), *asked_planner(500)],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 0 of 3 done",
    ),
    "replans": (
        [start(max_replans=2), commit(), *asked_planner(500)],
        FAILED,
        "  waiting 12s (of 1m) for the planner, step 2 failed · 0 of 3 done · near limit: replans 1/2",
    ),
    "nothing spent is nothing near": (
        [start(max_replans=1, max_tool_calls=1), commit()],
        FAILED,
        "  waiting 12s (of 1m) for the planner, step 2 failed · 0 of 3 done",
    ),
    "a new version": (
        [start(), commit(), ended("1", 180), commit((Step("4", "look"),), "v1", ("2", "3"))],
        Call("4", "look", {}),
        "  waiting 12s for step 4, look · 1 of 2 done",
    ),
    "a person's word": (
        [start(), commit(), StepSettled(4, 0.0, "v1", "1", 1, 2, Settle.DONE, "look", True)],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 1 of 3 done",
    ),
    "a skipped step is no execution": (
        [start(max_steps=2), commit(), ended("1", state=StepState.SKIPPED)],
        CALL,
        "  waiting 12s for step 2, ask the sales team of vendor B · 0 of 3 done",
    ),
}  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_is_waited_for(moment: str) -> None:
    events, asked, said = MOMENTS[moment]
    assert line(events, asked, 200) == said


# The same moment, ever narrower: first the name of the step goes, then the end of the line.
ROOMS = {
    90: "  waiting 12s for step 2, ask the sales team of ven… · 0 of 3 done · near limit: calls 4/5",
    60: "  waiting 12s for step 2 · 0 of 3 done · near limit: calls…",
    20: "  waiting 12s for s…",
    1: "…",
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_narrow_terminal_has_the_beginning(room: int) -> None:
    events = [start(max_tool_calls=5), commit(), *(ended("9", 1) for _ in range(3)), began("2")]
    assert line(events, CALL, room) == ROOMS[room]


@pytest.mark.parametrize("room", range(1, 100))
def test_no_line_is_wider_than_its_room(room: int) -> None:
    events = [start(max_tool_calls=5), commit(), *(ended("9", 1) for _ in range(3)), began("3")]
    assert width(line(events, Call("3", "write", {}), room)) <= room


def test_ascii_and_what_must_not_reach_a_terminal() -> None:
    steps = (Step("2", "ask", action="\x1b[31mred\u202e 报告"),)
    said = line([start(), commit(steps)], CALL, 200, "ascii")
    assert said == "  waiting 12s for step 2, <U+001B>[31mred<U+202E> 报告 | 0 of 1 done"


def test_limits_that_were_raised_on_resume_are_the_ones_that_count() -> None:
    events = [start(max_replans=2), commit(), *asked_planner(500)]
    waits = Waits(Policy(gates=GateLimits(max_replans=9)), 60.0)
    for event in events:
        waits.event(event)
    assert "replans" not in waits.line(FAILED, 1.0, 200, glyphs_for("utf-8"))


def line(events: list[Event], asked: Call | ReplanRequest, room: int, encoding: str = "utf-8") -> str:
    waits = Waits(patience=60.0)
    for event in events:
        waits.event(event)
    return waits.line(asked, 12.7, room, glyphs_for(encoding))
