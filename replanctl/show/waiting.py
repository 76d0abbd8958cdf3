"""What a session that asks real tools and planners waits for, in one line: for whom, how long, and how far it is."""

from __future__ import annotations

from typing import Any

from replanctl.kinds import GateName, Settle, StepState
from replanctl.plan import Step
from replanctl.replan import GATE, GATES, ReplanRequest, Unit
from replanctl.run import (
    Call,
    Event,
    Gate,
    Ledger,
    PlanCommit,
    PlanDraft,
    Policy,
    SessionStart,
    StepEnd,
    StepFallback,
    StepRetry,
    StepSettled,
    StepStart,
)
from replanctl.show.header import in_force
from replanctl.show.marks import title
from replanctl.show.text import Glyphs, cut, width
from replanctl.show.words import reading, seconds

NEAR = 0.8  # of a limit; of what is counted, one that is left is near as well
NAMED = 8  # columns that the name of a step takes at least, or it is left out


class Readings:
    """How far a session is on the way to its limits, counted from its events.

    A check of a gate is an event only at a replan and at a stop. Between them the readings are counted here as the
    session counts them, an execution and a call from the moment they begin.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self._policy = policy
        self._limits: dict[str, Any] = {}
        self._sums: dict[GateName, float] = dict.fromkeys(GateName, 0)
        self._begun: dict[str, int] = {}  # by step: calls of the execution under way

    def event(self, event: Event) -> None:
        """Count what happened."""
        sums = self._sums
        match event:
            case SessionStart():
                self._limits = event.limits
            case PlanCommit() if event.parent is None and self._policy is not None:
                self._limits = in_force(self._policy, len(event.steps))
            case StepStart():
                self._begun[event.step_id] = 1
            case StepRetry() | StepFallback():
                self._begun[event.step_id] = event.attempt
            case StepEnd() if event.state is not StepState.SKIPPED:
                self._begun.pop(event.step_id, None)
                sums[GateName.MAX_STEPS] += 1
                sums[GateName.MAX_TOOL_CALLS] += len(event.attempts)
                sums[GateName.MAX_TOKENS] += sum(attempt.tokens for attempt in event.attempts)
            case PlanDraft():
                sums[GateName.MAX_REPLANS] += 1
            case Ledger():
                sums[GateName.MAX_TOKENS] += event.booked
                sums[GateName.MAX_REPLAN_TOKENS] += event.booked * (event.kind == "replan")
            case Gate() if event.gate == GateName.PER_STEP:
                sums[GateName.PER_STEP] = event.reading
        sums[GateName.MAX_SECONDS] = event.at

    def near(self, spent: float, *, replanning: bool) -> list[str]:
        """The limits that are close, after a wait of so many seconds; the breaker's while its failure is replanned."""
        now = dict(self._sums)
        now[GateName.MAX_STEPS] += len(self._begun)
        now[GateName.MAX_TOOL_CALLS] += sum(self._begun.values())
        now[GateName.MAX_SECONDS] += spent
        if not replanning:
            del now[GateName.PER_STEP]
        limits = self._limits
        close = (row for row in GATES if row.name in now and _is_near(now[row.name], limits.get(row.name), row.unit))
        return [f"{row.word} {_whole(row.name, now[row.name])}/{_whole(row.name, limits[row.name])}" for row in close]


def _is_near(now: float, limit: float | None, unit: Unit) -> bool:
    if limit is None or now <= 0:
        return False
    return now >= NEAR * limit or (unit is Unit.COUNT and now >= limit - 1)


def _whole(name: GateName, value: float) -> str:
    """A reading; of time no more than a clock that ticks once a second says."""
    return reading(name, int(value) if GATE[name].unit is Unit.SECONDS and value >= 1 else value)


class Waits:
    """Says what is waited for. Feed it every event in order.

    `policy` is the one in force where the session has been taken up again (None: what it began with), `patience` how
    many seconds a planner command may take.
    """

    def __init__(self, policy: Policy | None = None, patience: float | None = None) -> None:
        self._readings = Readings(policy)
        self._patience = patience
        self._steps: dict[str, Step] = {}
        self._done: set[str] = set()

    def event(self, event: Event) -> None:
        """Something happened."""
        self._readings.event(event)
        match event:
            case PlanCommit():
                self._steps.update((step.id, step) for step in (*event.steps, *event.amended))
                self._done.difference_update(step.id for step in event.steps)
                for id_ in event.removed:
                    self._steps.pop(id_, None)
                    self._done.discard(id_)
            case StepEnd() if event.state is StepState.DONE and event.step_id in self._steps:
                self._done.add(event.step_id)
            case StepSettled() if event.stands and event.how is Settle.DONE:
                self._done.add(event.step_id)

    def line(self, asked: Call | ReplanRequest, spent: float, room: int, glyphs: Glyphs) -> str:
        """The line, after a wait of `spent` seconds, in at most `room` columns."""
        replanning = isinstance(asked, ReplanRequest)
        who, name = self._planner(asked) if isinstance(asked, ReplanRequest) else self._step(asked)
        near = self._readings.near(spent, replanning=replanning)
        behind = [
            f"{len(self._done):,} of {len(self._steps):,} done",
            *([f"near limit: {', '.join(near)}"] if near else []),
        ]
        before = f"  waiting {self._time(spent, replanning=replanning)} for {who}"
        tail = "".join(f" {glyphs.dot} {part}" for part in behind)
        left = room - width(f"{before}, {tail}")
        said = f", {cut(name, left, glyphs)}" if left >= min(NAMED, width(name)) else ""
        return cut(f"{before}{said}{tail}", room, glyphs)

    def _step(self, call: Call) -> tuple[str, str]:
        again = f" (try {call.attempt})" if call.attempt > 1 else ""
        step = self._steps.get(call.step_id)
        name = title(step) if step is not None else call.tool
        return f"step {call.step_id}{again}", name

    def _planner(self, request: ReplanRequest) -> tuple[str, str]:
        if request.signal is None:
            return "the planner", "the goal changed"
        return "the planner", f"step {request.signal.step_id} failed"

    def _time(self, spent: float, *, replanning: bool) -> str:
        """How long it takes already; of a planner command also how long it may take."""
        patience = f" (of {seconds(self._patience)})" if replanning and self._patience is not None else ""
        return f"{seconds(int(spent))}{patience}"
