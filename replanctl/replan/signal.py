"""A failure as a value: what a tool's status means, and the structured signal a replan works from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from replanctl.kinds import ErrorType, Status, Unreadable
from replanctl.plan import shortened

# A tool's text may be a page of HTML or a stack trace, and it goes into prompts, lessons and screens.
MESSAGE_LIMIT = 200  # characters of a tool's own text that a signal carries


# Only the status decides the class, never the text of a message.
ERROR_TYPES: dict[Status, ErrorType] = {
    Status.TIMEOUT: ErrorType.ENVIRONMENTAL,
    Status.LOST: ErrorType.ENVIRONMENTAL,
    Status.RATE_LIMITED: ErrorType.ENVIRONMENTAL,
    Status.UNAVAILABLE: ErrorType.ENVIRONMENTAL,
    Status.TOOL_ERROR: ErrorType.ENVIRONMENTAL,
    Status.SHAPE: ErrorType.ASSUMPTION,
    Status.EMPTY: ErrorType.ASSUMPTION,
    Status.SEMANTIC: ErrorType.SEMANTIC,
    Status.DENIED: ErrorType.PERMISSION,
    Status.ERROR: ErrorType.UNKNOWN,
}


class FailureSignal(msgspec.Struct, frozen=True, gc=False):
    """The structured description of one failed execution.

    `error_msg` is at most 200 characters; `attempted` lists every call made, in order, as
    `tool: status`; `evidence` holds what the routing decision uses: `reference` and `state` of a
    missing variable, `refuted` assumptions, `radius`.
    """

    step_id: str
    error_type: ErrorType
    error_msg: str
    attempted: tuple[str, ...] = ()
    evidence: dict[str, Any] = {}

    def __str__(self) -> str:
        """The message: a signal reads as text where a planner takes its last error for one."""
        return self.error_msg

    def __contains__(self, text: object) -> bool:
        """Whether the message holds this text."""
        return isinstance(text, str) and text in self.error_msg


class Missing(msgspec.Struct, frozen=True, gc=False):
    """A reference that can't be resolved: as written, the step it names, and what stands in the way."""

    reference: str
    step_id: str
    state: Unreadable


def classify(
    step_id: str,
    status: Status,
    message: str = "",
    *,
    attempted: Sequence[str] = (),
    missing: Missing | None = None,
    refuted: Sequence[str] = (),
    radius: int = 0,
) -> FailureSignal:
    """The signal for one failed execution: a pure function of what happened.

    Only `status` decides the class (a `missing` reference outranks it, since it is found before the call); the text
    of `message` never does. An empty message reads as the status.
    """
    evidence: dict[str, Any] = {"radius": radius}
    if refuted:
        evidence["refuted"] = list(refuted)
    if missing is not None:
        evidence |= {"reference": missing.reference, "referenced_step": missing.step_id, "state": missing.state}
        text = f"{missing.reference}: {missing.state}"
        return FailureSignal(step_id, ErrorType.MISSING_VAR, shortened(text, MESSAGE_LIMIT), tuple(attempted), evidence)
    # As heard: an agent can't tell an answer that was lost from one that never came, and its planner is not to know
    # better.
    text = shortened(message or status.as_heard.value, MESSAGE_LIMIT)
    return FailureSignal(step_id, ERROR_TYPES[status], text, tuple(attempted), evidence)
