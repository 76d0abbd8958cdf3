"""Drafts that are laid over wrongly, and checks that let things pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.plan.model import Tool
from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, engine, given, told
from tests.properties.laws import drafts
from tests.properties.mutants.shapes import forget_denials, set_judge


def _all_known(rehearsal: Rehearsal) -> Rehearsal:
    """A plan that has every tool."""
    tools = rehearsal.plan.tools
    known = {**tools, "nobody": Tool()} if tools is not None else None
    return replace(rehearsal, plan=replace(rehearsal.plan, tools=known))


class _Blind:
    """Open steps, by an engine that does not see that a draft lists one that stays under another id."""

    def like(self, *asked: object) -> Iterator[Any]:
        """Nothing is alike."""
        return iter(())

    calling = like


DRAFTS: dict[Any, tuple[Bend, ...]] = {
    drafts.drafts_are_laid_over_the_plan_as_agreed: (
        told(e.PlanDraft, edited(mapping=lambda _: {"1": "404"})),
        told(e.PlanCommit, edited(steps=lambda steps: steps[::-1]), lambda event, _: event.granularity == "tail"),
        told(e.PlanCommit, edited(amended=lambda _: ()), lambda event, _: bool(event.amended)),
        told(
            e.PlanCommit,
            edited(steps=lambda steps: tuple(replace(step, replaces=None) for step in steps)),
            lambda event, _: event.granularity == "global",
        ),
        engine(set_judge("_open_steps", _Blind())),
    ),
    drafts.exactly_the_bad_drafts_are_refused: (
        given(_all_known),
        engine(forget_denials),
        told(e.PlanRejected, dropped),
    ),
}
