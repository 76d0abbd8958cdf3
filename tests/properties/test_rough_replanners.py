"""Whatever a replanner answers, the session obeys every law."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.properties.dice import Dice
from tests.properties.rehearsals import random_rehearsal
from tests.properties.rough import RoughReplanner
from tests.properties.run import Run, run
from tests.properties.sweep import complaints

# Laws that run the session again with other ids: a rough replanner throws its dice anew and answers something else.
ASK_AGAIN = ("a_steps_lineage_does_not_hang_on_its_id",)


def rough(seed: int) -> Run:
    """A random session whose replanner may answer anything."""
    dice = Dice.seeded(seed)
    rehearsal = replace(random_rehearsal(dice), planner=())
    return run(rehearsal, replanner=RoughReplanner(dice, rehearsal.plan))


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_no_answer_breaks_a_session(first: int) -> None:
    reasons = set()
    for seed in range(first, first + 500):
        session = rough(seed)
        assert complaints(session, but=ASK_AGAIN) == [], f"seed {seed}"
        reasons.add(session.end.reason)
    assert {"goal_met", "no_plan", "step_breaker", "replan_budget", "token_budget", "step_budget"} <= reasons
