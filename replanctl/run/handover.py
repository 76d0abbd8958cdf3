"""What a person gets when a session stops short, and what they could do next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replanctl.kinds import Health, Reason
from replanctl.replan import GATE, GATES, Unit
from replanctl.run.result import ExecutionView, GateView, HandOver, VariableView
from replanctl.run.settlements import ways
from replanctl.run.settling import Doubt

# What to type next, by reason; at a gate its row says what. {run} is the run's number, {step} the step at issue,
# {more} what a gate's reading lacked, {steps} and {tokens} no less than that.
_FIXED = "replanctl resume {run} --outcomes FIXED.yaml"
NEXT: dict[Reason, tuple[str, ...]] = {
    **{row.reason: (f"replanctl resume {{run}} {row.raises}", *row.look) for row in GATES},
    Reason.NO_PLAN: ("replanctl prompt {run}",),
    Reason.ABORTED: ("replanctl why {step} --run {run}", _FIXED),
    Reason.ESCALATED: ("replanctl why {step} --run {run}", _FIXED),
    Reason.INSUFFICIENT_EVIDENCE: (_FIXED,),
    Reason.INTERRUPTED: ("replanctl resume {run}",),
}
# More than a reading lacked, so that the session comes a little further than to the next refusal.
_MARGIN = {Unit.SECONDS: 60, Unit.TOKENS: 10_000, Unit.COUNT: 0}
_NOT_STORED = ("store the run (leave out --no-store) to look into it and go on: replanctl run PLAN",)


def hand_over(
    reason: Reason,
    gate: GateView | None,
    history: Iterable[ExecutionView],
    variables: Mapping[str, VariableView],
    failed_step: str | None,
    run: int | None,
    doubts: Sequence[Doubt] = (),
) -> HandOver:
    """Clean results, the path that was taken, and commands that go on from here."""
    clean: dict[str, Any] = {name: v.value for name, v in variables.items() if v.health is Health.CLEAN}
    return HandOver(reason, gate, clean, tuple(map(_line, history)), _next(reason, gate, failed_step, run, doubts))


def _line(execution: ExecutionView) -> str:
    error = f": {execution.error.error_type}: {execution.error.error_msg}" if execution.error is not None else ""
    return f"{execution.version} step {execution.step_id} {execution.status}{error}"


def _next(
    reason: Reason, gate: GateView | None, failed_step: str | None, run: int | None, doubts: Sequence[Doubt]
) -> tuple[str, ...]:
    if run is None:
        return _NOT_STORED
    lacking = _lacking(gate)  # with less than it, the same gate would stop the run where it stands
    words = {"run": run, "step": failed_step, "more": lacking}
    words |= {"steps": max(6, lacking), "tokens": max(10_000, lacking)}
    commands = NEXT.get(reason, ())
    told = tuple(command.format(**words) for command in commands if failed_step or "{step}" not in command)
    return _settling(told, run, doubts) if doubts else told


def _settling(commands: Sequence[str], run: int, doubts: Sequence[Doubt]) -> tuple[str, ...]:
    """The commands with what a person has to say of calls that may have happened; without it none goes on."""
    resume = f"replanctl resume {run}"
    first = next((each for each in commands if each.startswith(resume) and "FIXED" not in each), resume)
    others = (each for each in commands if not each.startswith(resume))
    return (*(f"{first} {way}" for way in ways(doubts)), *others)


def _lacking(gate: GateView | None) -> int:
    """What to raise a gate's limit by, so that what it refused is inside."""
    if gate is None or gate.limit is None:
        return 0
    return _MARGIN[GATE[gate.gate].unit] + math.ceil(gate.reading - gate.limit)
