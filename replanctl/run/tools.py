"""The seam at which tools are called: scripted outcomes, Python functions and subprocesses fit alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from replanctl.errors import UsageError
from replanctl.kinds import ErrorType, Status

Started = tuple[str, int, int]  # one call: its step, version and attempt

CUT_OFF = "cut off when the session was killed: the call may have happened"


class Call(msgspec.Struct, frozen=True, gc=False):
    """One tool call about to be made. `attempt` counts from 1 over the whole execution.

    `lineage` are the ids of the step and of those it replaced, oldest first, so that a script can match a step and
    whatever replaced it; `args` are substituted; `timeout` is in seconds; `produces` is the contract the result will
    be checked against; a call that is not `idempotent` must not be made twice.
    """

    step_id: str
    tool: str
    args: dict[str, Any]
    version: int = 1
    attempt: int = 1
    timeout: float = 30.0
    lineage: tuple[str, ...] = ()
    produces: dict[str, Any] | None = None
    idempotent: bool = True


# The same value for a scripted entry, a Python function and a process: what differs between them ends at this seam, and
# nothing behind it can tell a rehearsal from a real session.
class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What one tool call came to. `latency` and `retry_after` are in seconds, `tokens` in tokens.

    `tokens` None means that the coefficient is booked; `cause` and `refutes` belong to failures.
    """

    status: Status = Status.OK
    value: Any = None
    message: str = ""
    latency: float = 1.0
    retry_after: float | None = None
    tokens: int | None = None
    refutes: tuple[str, ...] = ()
    cause: str = ""


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One tool call of an execution; `latency` in seconds, `tokens` as booked. `acted`: it took effect, as far as its
    tool says, whether the answer was heard or not."""

    tool: str
    status: Status
    latency: float
    tokens: int
    acted: bool = False


class StepError(msgspec.Struct, frozen=True, gc=False):
    """Why an execution failed."""

    error_type: ErrorType
    error_msg: str


class Tools(Protocol):
    """Anything that answers tool calls. A failure is an `Outcome`, never an exception."""

    def call(self, call: Call) -> Outcome:
        """Make the call and say what it came to."""
        ...


# A lost answer is not a time-out: it says that the tool did what it was asked, and nobody heard of it. Both are
# retried, but only one of them has taken effect, which is what the rows of effects are made of.
def unheard(outcome: Outcome, latency: float) -> Outcome:
    """What a call comes to whose answer did not arrive: nothing of what was said, only what it cost."""
    status = Status.LOST if outcome.status is Status.LOST else Status.TIMEOUT
    return Outcome(status, latency=latency, tokens=outcome.tokens)


# Most plans have neither contracts nor schemas of their tools, and need not load what checks them.
def args_fault(schema: dict[str, Any], args: dict[str, Any]) -> str | None:
    """What a tool's schema says against these args, or None."""
    from replanctl.schema import contract

    return contract.check_args(schema, args)


def answer_fault(produces: dict[str, Any], value: Any) -> str | None:
    """What a step's contract says against this answer, or None."""
    from replanctl.schema import contract

    return contract.check(produces, value)


def check_seam(seam: object, method: str, what: str) -> None:
    """Raises UsageError where what stands at a seam can't be asked."""
    if not callable(getattr(seam, method, None)):
        raise UsageError(f"{what} has a method {method}: a {type(seam).__name__} has none")


def listed(said: str, given: Iterable[Any]) -> Iterable[Any]:
    """What was given, which is several things. Raises UsageError where it is none."""
    if not isinstance(given, Iterable):
        raise UsageError(f"{said} are a list, not a {type(given).__name__}")
    return given
