"""A session told in a few short lines, so that a test can compare the whole of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from replanctl.run.events import Event, StepFallback, StepRetry
from replanctl.run.result import ExecutionView, GateView, SessionResult


def ending(result: SessionResult) -> str:
    """`completed goal_met 3s`."""
    return f"{result.status} {result.reason} {result.seconds:g}s"


def history(result: SessionResult) -> list[str]:
    """One line an execution: `v1 3 failed 2-5 price:timeout price:ok (assumption: no rows)`."""
    return [_execution(one) for one in result.history]


def _execution(one: ExecutionView) -> str:
    calls = "".join(f" {a.tool}:{a.status}" for a in one.attempts)
    error = f" ({one.error.error_type}: {one.error.error_msg})" if one.error else ""
    return f"{one.version} {one.step_id} {one.status} {one.started:g}-{one.ended:g}{calls}{error}"


def states(result: SessionResult) -> str:
    """The states at the end of the final version, in list order: `1 done, 2 failed`."""
    return ", ".join(f"{step.id} {step.state}" for step in result.versions[-1].steps)


def signals(result: SessionResult) -> list[str]:
    """`v1 3 assumption: no rows`."""
    return [f"{s.version} {s.step_id} {s.error_type}: {s.error_msg}" for s in result.signals]


def routes(result: SessionResult) -> list[str]:
    """`v1 3 assumption radius 2 wide-radius → tail (from patch)`."""
    return [
        f"{r.version} {r.step_id} {r.error_type} radius {r.radius} {r.rule} → {r.granularity}"
        + (f" (from {r.escalated_from})" if r.escalated_from else "")
        for r in result.routes
    ]


def gates(result: SessionResult) -> list[str]:
    """`v1 3 max_replans 1/5`, with an `!` where it refused; `-` is no limit."""
    return [_gate(gate) for gate in result.gates]


def _gate(gate: GateView) -> str:
    limit = "-" if gate.limit is None else f"{gate.limit:g}"
    return f"{gate.version} {gate.step_id} {gate.gate} {gate.reading:g}/{limit}{'' if gate.admitted else '!'}"


def versions(result: SessionResult) -> list[str]:
    """`v2 tail wide-radius assumption@3: 1 2 3 6`, with the steps in list order."""
    return [
        f"{v.version} {v.granularity} {v.rule} {v.cause}: {' '.join(step.id for step in v.steps)}"
        for v in result.versions
    ]


def calls_again(events: Iterable[Event]) -> list[str]:
    """Retries and fallbacks when their call is made: `3s look again after 2s`, `4s web instead of look`."""
    return list(_calls_again(events))


def _calls_again(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        if isinstance(event, StepRetry):
            yield f"{event.at:g}s {event.tool} again after {event.wait:g}s"
        elif isinstance(event, StepFallback):
            yield f"{event.at:g}s {event.tool} instead of {event.instead_of}"


def args_of(result: SessionResult, step_id: str) -> Any:
    """What the last execution of a step was called with."""
    return next(one.args for one in reversed(result.history) if one.step_id == step_id)
