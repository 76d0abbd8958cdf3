"""A failure as a value: what a tool's status means, and the structured signal a replan works from."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

MESSAGE_LIMIT = 200  # characters of a tool's own text that a signal carries


class Status(StrEnum):
    """How one tool call ended."""

    OK = "ok"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    TOOL_ERROR = "tool_error"
    SHAPE = "shape"
    EMPTY = "empty"
    SEMANTIC = "semantic"
    DENIED = "denied"
    ERROR = "error"


class ErrorType(StrEnum):
    """The class of a failure. The last two never come from a tool: they are lessons' and breakers' classes."""

    ENVIRONMENTAL = "environmental"
    ASSUMPTION = "assumption"
    SEMANTIC = "semantic"
    PERMISSION = "permission"
    MISSING_VAR = "missing_var"
    UNKNOWN = "unknown"
    INVALID_DRAFT = "invalid_draft"
    GOAL_CHANGED = "goal-changed"


# Only the status decides the class, never the text of a message.
ERROR_TYPES: dict[Status, ErrorType] = {
    Status.TIMEOUT: ErrorType.ENVIRONMENTAL,
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
