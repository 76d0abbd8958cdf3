"""A replanner that anything may come from: exceptions, nothing, steps twice, circles, places that do not exist."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from replanctl.live.draft import Draft
from replanctl.plan.model import Plan, Step
from replanctl.replan.prompt import ReplanRequest
from tests.properties.dice import Dice
from tests.properties.planners import draft, verdicts

Spoil = Callable[[Dice, list[Step]], list[Step]]


class RoughReplanner:
    """Answers whatever the dice say, a little to the point."""

    name = "rough"

    def __init__(self, dice: Dice, plan: Plan) -> None:
        self._dice, self._plan = dice, plan

    def replan(self, request: ReplanRequest) -> Draft | None:
        """A draft with something wrong, most of the time."""
        dice = self._dice
        if dice.chance(10):
            raise ValueError("no idea")
        if dice.chance(15):
            return dice.pick((None, Draft()))
        steps = list(request.remaining) if dice.chance(30) else list(draft(dice, self._plan))
        return Draft(tuple(dice.pick(SPOILS)(dice, steps)) if steps else (), verdicts(dice, self._plan))

    def cause(self, request: ReplanRequest) -> str:
        """It knows nothing beforehand."""
        return ""


def _as_it_is(dice: Dice, steps: list[Step]) -> list[Step]:
    return steps


def _twice(dice: Dice, steps: list[Step]) -> list[Step]:
    return [*steps, dice.pick(steps)]


def _circle(dice: Dice, steps: list[Step]) -> list[Step]:
    return [replace(steps[0], depends_on=(steps[-1].id,)), *steps[1:]]


def _on_nothing(dice: Dice, steps: list[Step]) -> list[Step]:
    return [*steps[:-1], replace(steps[-1], depends_on=("ghost",))]


def _in_place_of_anything(dice: Dice, steps: list[Step]) -> list[Step]:
    place = dice.pick((*(step.id for step in steps), "ghost"))
    return [*steps[:-1], replace(steps[-1], id=dice.pick(("n7", steps[-1].id)), replaces=place)]


def _renamed(dice: Dice, steps: list[Step]) -> list[Step]:
    return [replace(step, id=f"w{place}", depends_on=None) for place, step in enumerate(steps)]


def _under_one_name(dice: Dice, steps: list[Step]) -> list[Step]:
    return [replace(step, id=steps[0].id) for step in steps]


def _without_end(dice: Dice, steps: list[Step]) -> list[Step]:
    return [replace(steps[place % len(steps)], id=f"m{place}", depends_on=None) for place in range(30)]


SPOILS: tuple[Spoil, ...] = (
    _as_it_is, _twice, _circle, _on_nothing, _in_place_of_anything, _renamed, _under_one_name, _without_end,
)  # fmt: skip
