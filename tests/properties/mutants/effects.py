"""Effects that are kept quiet about, or made up."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from tests.properties.bend import Bend, edited, told
from tests.properties.laws import effects

_unsaid = edited(attempts=lambda attempts: tuple(replace(each, acted=False) for each in attempts))
_made_up = edited(attempts=lambda attempts: tuple(replace(each, acted=True) for each in attempts))
_forgetful = edited(once_only=lambda _: ())

EFFECTS: dict[Any, tuple[Bend, ...]] = {
    effects.effects_are_what_the_tools_did: (
        told(e.StepEnd, _unsaid, lambda event, _: bool(event.attempts)),
        told(e.StepEnd, _made_up, lambda event, _: any(not each.acted for each in event.attempts)),
        told(e.SessionStart, _forgetful),
    ),
}
