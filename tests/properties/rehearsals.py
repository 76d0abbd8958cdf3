"""Whole random rehearsals, from a seed or from any other dice."""

from __future__ import annotations

from replanctl.files import Rehearsal
from tests.properties import outcomes, planners
from tests.properties.dice import Dice
from tests.properties.plans import plan
from tests.properties.policies import policy

# What a planner answers to what happens: mostly anything to anything, now and then something rare on purpose.
THEMES = (
    *((planners.planner, outcomes.outcomes),) * 22,
    (planners.seesaw, outcomes.seesaw),
    (planners.doubt, outcomes.doubt),
    (planners.doubt, outcomes.doubt),
)


def random_rehearsal(dice: Dice) -> Rehearsal:
    """Everything one session starts from."""
    made = plan(dice)
    planned, happens = dice.pick(THEMES)
    return Rehearsal(
        made,
        policy(dice, made),
        planner=planned(dice, made),
        outcomes=happens(dice, made),
        interruptions=outcomes.interruptions(dice, made),
    )


def of_seed(seed: int) -> Rehearsal:
    """The rehearsal that belongs to a seed."""
    return random_rehearsal(Dice.seeded(seed))
