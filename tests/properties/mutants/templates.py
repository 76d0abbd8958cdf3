"""Templates that draft something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from replanctl.plan.model import Step
from replanctl.run import events as e
from tests.properties.bend import Bend, edited, told
from tests.properties.laws import templates
from tests.properties.story import Moment


def _last(change: Callable[[Step], Step]) -> Callable[[Any, Moment], Any]:
    """The last step of a draft otherwise."""
    return edited(steps=lambda steps: (*steps[:-1], change(steps[-1])))


def _at(granularity: str) -> Callable[[Any, Moment], bool]:
    return lambda event, moment: event.replanner == "template" and event.granularity == granularity


def _mended(event: e.PlanDraft, moment: Moment) -> bool:
    return event.replanner == "template" and bool(event.warnings)


def _with_gaps(event: e.PlanCommit, moment: Moment) -> bool:
    return bool(event.steps and event.steps[-1].gaps)


TEMPLATES: dict[Any, tuple[Bend, ...]] = {
    templates.the_template_drafts_what_is_agreed: (
        told(e.PlanDraft, _last(lambda step: replace(step, action=step.action[:-1])), _at("patch")),
        told(e.PlanDraft, _last(lambda step: replace(step, id="404")), _at("tail")),
        told(e.PlanDraft, edited(steps=lambda steps: steps[:-1]), _at("global")),
        told(e.PlanDraft, _last(lambda step: replace(step, depends_on=())), _mended),
    ),
    templates.a_step_that_was_mended_holds_its_gaps: (
        told(e.PlanCommit, _last(lambda step: replace(step, args={"q": "plain"})), _with_gaps),
    ),
}
