"""What a person gets when a session stops short, and what they could do next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from replanctl.kinds import Health, Reason
from replanctl.run.result import ExecutionView, GateView, HandOver, VariableView

# What to type next, by reason. {run} is the run's number, or nothing for one that was not stored.
_NEXT: dict[Reason, tuple[str, ...]] = {
    Reason.REPLAN_BUDGET: ("replanctl resume {run} --max-replans +2",),
    Reason.TOKEN_BUDGET: ("replanctl resume {run} --max-replan-tokens +10000", "replanctl show {run} --ledger"),
    Reason.STEP_BUDGET: ("replanctl resume {run} --max-steps +6",),
    Reason.TOOL_CALL_BUDGET: ("replanctl resume {run} --max-tool-calls +6",),
    Reason.TIME_BUDGET: ("replanctl resume {run} --max-seconds +{more}",),
    Reason.STEP_BREAKER: (
        "replanctl resume {run} --per-step +1 --granularity tail",
        "replanctl why {step} --run {run}",
    ),
    Reason.OSCILLATION: ("replanctl resume {run} --max-repeat +1", "replanctl show {run} --lessons"),
    Reason.NO_PLAN: ("replanctl prompt {run}", "replanctl resume {run} --granularity global"),
    Reason.ABORTED: ("replanctl why {step} --run {run}", "replanctl resume {run} --outcomes FIXED.yaml"),
    Reason.ESCALATED: ("replanctl why {step} --run {run}", "replanctl resume {run} --outcomes FIXED.yaml"),
    Reason.INSUFFICIENT_EVIDENCE: ("replanctl resume {run} --outcomes FIXED.yaml",),
    Reason.INTERRUPTED: ("replanctl resume {run}",),
}
_NOT_STORED = ("store the run (leave out --no-store) to look into it and go on: replanctl run PLAN",)


def hand_over(
    reason: Reason,
    gate: GateView | None,
    history: Iterable[ExecutionView],
    variables: Mapping[str, VariableView],
    failed_step: str | None,
    run: int | None,
) -> HandOver:
    """Clean results, the path that was taken, and commands that go on from here."""
    clean: dict[str, Any] = {name: v.value for name, v in variables.items() if v.health is Health.CLEAN}
    return HandOver(reason, gate, clean, tuple(map(_line, history)), _next(reason, gate, failed_step, run))


def _line(execution: ExecutionView) -> str:
    error = f": {execution.error.error_type}: {execution.error.error_msg}" if execution.error is not None else ""
    return f"{execution.version} step {execution.step_id} {execution.status}{error}"


def _next(reason: Reason, gate: GateView | None, failed_step: str | None, run: int | None) -> tuple[str, ...]:
    if run is None:
        return _NOT_STORED
    over = gate.reading - gate.limit if gate is not None and gate.limit is not None else 0
    words = {"run": run, "step": failed_step, "more": 60 + math.ceil(over)}
    commands = _NEXT.get(reason, ())
    return tuple(command.format(**words) for command in commands if failed_step or "{step}" not in command)
