"""Effects that are kept quiet about, or made up."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from replanctl.run.engine import Session
from replanctl.run.once import MAKE
from tests.properties.bend import Bend, edited, engine, given, told
from tests.properties.laws import effects
from tests.properties.mutants.attempts import patient
from tests.properties.mutants.shapes import reason
from tests.properties.story import Moment

_unsaid = edited(attempts=lambda attempts: tuple(replace(each, acted=False) for each in attempts))
_made_up = edited(attempts=lambda attempts: tuple(replace(each, acted=True) for each in attempts))
_forgetful = edited(once_only=lambda _: ())


def _reckless(session: Session) -> None:
    """A guard that lets every call through."""
    session.state.once.may = lambda *_, **__: MAKE  # type: ignore[method-assign]


def _sure(session: Session) -> None:
    """A guard that is never in doubt."""
    session.state.once.unsettled = lambda: iter(())  # type: ignore[method-assign]


def _taken(event: e.StepEnd, moment: Moment) -> bool:
    return "taken from" in str(event.warnings)


def _not_again(event: e.StepEnd, moment: Moment) -> bool:
    return event.error is not None and event.error.error_msg.startswith("not made again")


def _of_another(error: Any) -> Any:
    return replace(error, error_msg=error.error_msg.replace("and step ", "and step x"))


EFFECTS: dict[Any, tuple[Bend, ...]] = {
    effects.effects_are_what_the_tools_did: (
        told(e.StepEnd, _unsaid, lambda event, _: bool(event.attempts)),
        told(e.StepEnd, _made_up, lambda event, _: any(not each.acted for each in event.attempts)),
        told(e.SessionStart, _forgetful),
    ),
    effects.no_call_that_acts_is_made_twice: (engine(_reckless), given(patient)),
    effects.what_is_not_made_again_was_made: (
        told(e.StepEnd, edited(value=lambda value: [value]), _taken),
        told(e.StepEnd, edited(warnings=lambda _: ("taken from step x: it acts only once",)), _taken),
        told(e.StepEnd, edited(error=_of_another), _not_again),
    ),
    effects.a_session_in_doubt_never_completes: (engine(_sure), reason("goal_met", instead_of="escalated")),
}
