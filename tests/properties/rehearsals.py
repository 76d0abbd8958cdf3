"""Whole random rehearsals, from a seed or from any other dice."""

from __future__ import annotations

from replanctl.files import Rehearsal
from tests.properties import outcomes, planners
from tests.properties.dice import Dice
from tests.properties.plans import plan
from tests.properties.policies import policy


def random_rehearsal(dice: Dice) -> Rehearsal:
    """Everything one session starts from."""
    made = plan(dice)
    swings = dice.chance(4)
    return Rehearsal(
        made,
        policy(dice, made),
        planner=planners.seesaw(dice, made) if swings else planners.planner(dice, made),
        outcomes=outcomes.seesaw(dice, made) if swings else outcomes.outcomes(dice, made),
        interruptions=outcomes.interruptions(dice, made),
    )


def of_seed(seed: int) -> Rehearsal:
    """The rehearsal that belongs to a seed."""
    return random_rehearsal(Dice.seeded(seed))
