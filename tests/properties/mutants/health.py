"""Variables whose health is wrong."""

from __future__ import annotations

from typing import Any

from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, told, twice
from tests.properties.laws import health
from tests.properties.mutants.shapes import done

HEALTH: dict[Any, tuple[Bend, ...]] = {
    health.health_follows_from_what_fell: (told(e.VariableHealth, dropped),),
    health.health_is_told_when_it_changes: (
        told(e.VariableHealth, twice, lambda event, _: event.verdict is None),
        told(e.VariableHealth, edited(health=lambda _: "stale"), lambda event, _: event.verdict is not None),
    ),
    health.variables_carry_what_they_rest_on: (told(e.StepEnd, edited(assumptions=lambda _: ("luck",)), done),),
}
