"""What several laws ask of an event or a session."""

from __future__ import annotations

from replanctl.plan.model import Tool
from replanctl.run.events import Gate, PlanRejected, Route, Signal, StepEnd
from tests.properties.run import Run

ABANDONED = "abandoned"


def is_abort(event: object) -> bool:
    """Whether a failure ends the session."""
    return type(event) is Signal and event.on_failure == "abort"


def is_abandoned(event: object) -> bool:
    """Whether a gate ended an execution."""
    return type(event) is StepEnd and event.error is not None and event.error.error_type == ABANDONED


def stopped(run: Run) -> bool:
    """Whether something ended the session before its plan had run to its end."""
    return run.end.reason not in (
        "goal_met", "goal_met_with_gaps", "insufficient_evidence", "escalated", "step_breaker"
    )  # fmt: skip


def not_made(event: object) -> bool:
    """Whether an execution ended without one more call because that was denied, or is made only once."""
    said = event.error.error_msg if type(event) is StepEnd and event.error is not None else ""
    return said == "denied before" or said.startswith("not made again: ")


def is_handed_over(event: object) -> bool:
    """Whether a step is left to a person: no replan helps, or its breaker refuses one more."""
    if type(event) is PlanRejected:
        return event.handed_over
    if type(event) is Route:
        return event.granularity == "none" and event.step_id is not None
    return type(event) is Gate and event.gate == "per_step" and not event.admitted


def tool(run: Run, name: str) -> Tool:
    """What the plan says of a tool."""
    return (run.rehearsal.plan.tools or {}).get(name, Tool())
