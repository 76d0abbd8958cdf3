"""Warnings that are not given, or given for nothing."""

from __future__ import annotations

from typing import Any

from replanctl.run import events as e
from tests.properties.bend import Bend, edited, told
from tests.properties.laws import warnings
from tests.properties.mutants.shapes import done
from tests.properties.story import Moment

_silent = edited(warnings=lambda _: ())


def _warned(event: Any, moment: Moment) -> bool:
    return bool(event.warnings)


def _taken(event: e.PlanDraft, moment: Moment) -> bool:
    return any(warning.startswith("taken from step") for warning in event.warnings)


def _idle(event: e.PlanDraft, moment: Moment) -> bool:
    return any(warning.startswith("no-progress") for warning in event.warnings)


WARNINGS: dict[Any, tuple[Bend, ...]] = {
    warnings.a_call_that_may_have_happened_is_told: (
        told(e.StepEnd, _silent, _warned),
        told(e.StepEnd, edited(warnings=lambda _: ("beware",)), done),
    ),
    warnings.a_stale_variable_is_told_when_it_is_read: (
        told(e.StepStart, _silent, _warned),
        told(e.StepStart, edited(warnings=lambda _: ("beware",))),
    ),
    warnings.a_call_that_is_not_made_again_is_told: (told(e.PlanDraft, _silent, _taken),),
    warnings.a_draft_that_makes_the_failed_call_again_is_told: (told(e.PlanDraft, _silent, _idle),),
}
