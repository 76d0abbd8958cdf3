"""Engines that take whatever comes."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.run import events as e
from tests.properties.bend import Bend, edited, given, told
from tests.properties.laws import contracts
from tests.properties.mutants.shapes import done
from tests.properties.run import Run
from tests.properties.story import FAILED


def _promising(bend: Bend) -> Bend:
    """A session whose steps promise something, run by an engine that is not told."""

    def told_more(rehearsal: Rehearsal) -> Run:
        bent = bend(rehearsal)
        plan = rehearsal.plan
        promised = {step.id: step.produces for step in plan.steps}
        for place, event in enumerate(bent.events):
            if type(event) is e.PlanCommit and event.parent is None:
                steps = tuple(replace(step, produces=promised[step.id]) for step in event.steps)
                bent.events[place] = replace(event, steps=steps)
        return bent

    return told_more


def _promising_nothing(rehearsal: Rehearsal) -> Rehearsal:
    steps = tuple(replace(step, produces=None) for step in rehearsal.plan.steps)
    return replace(rehearsal, plan=replace(rehearsal.plan, steps=steps))


CONTRACTS: dict[Any, tuple[Bend, ...]] = {
    contracts.a_result_is_held_to_its_contract: (
        _promising(given(_promising_nothing)),
        told(e.StepEnd, edited(state=lambda _: FAILED), done),
        told(e.StepEnd, edited(value=lambda _: "something else"), done),
    ),
}
