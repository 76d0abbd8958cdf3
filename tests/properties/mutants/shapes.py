"""Changes and conditions that several mutants share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from replanctl.run.engine import Session
from replanctl.run.result import SessionResult
from tests.properties.bend import Bend, edited, told, written
from tests.properties.story import DONE, SKIPPED, Moment


class Forgetful(set[Any]):
    """Calls that were denied, by an engine that does not remember them."""

    def add(self, call: Any) -> None:
        """It is told, and forgets."""


def forget_denials(session: Session) -> None:
    """A session that does not remember which calls were denied."""
    session.state.once.denied = Forgetful()


def set_part(part: str, value: Any) -> Callable[[Session], None]:
    """A session whose state holds something else."""
    return lambda session: setattr(session.state, part, value)


def set_judge(part: str, value: Any) -> Callable[[Session], None]:
    """A session that judges drafts by something else; what judges them is made with the first that comes."""
    return lambda session: setattr(session._replanning._committing, part, value)


def one_more(number: Any) -> Any:
    """A number that is off by one."""
    return number + 1


def reason(given: str, *, instead_of: str) -> Bend:
    """A session that gives another reason for its end."""
    return told(e.SessionComplete, edited(reason=lambda _: given), lambda event, _: event.reason == instead_of)


def admitting(name: str) -> Callable[[Any, Moment], bool]:
    """Where this gate has a limit, and admits."""
    return lambda event, moment: event.gate == name and event.admitted and event.limit is not None


def document(**fields: Callable[[Any], Any]) -> Bend:
    """A document with other fields."""

    def change(result: SessionResult) -> SessionResult:
        return replace(result, **{name: new(getattr(result, name)) for name, new in fields.items()})

    return written(change)


def skipped(event: e.StepEnd, moment: Moment) -> bool:
    """Where a step is skipped."""
    return event.state is SKIPPED


def done(event: e.StepEnd, moment: Moment) -> bool:
    """Where a step is done."""
    return event.state is DONE and bool(event.attempts)
