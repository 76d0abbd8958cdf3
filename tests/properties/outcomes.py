"""Random outcomes and interruptions: what each call comes to, and when the goal changes."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from replanctl.plan.model import Plan, ids
from replanctl.replan.signal import Status
from replanctl.run.interruptions import Interruption
from replanctl.script import Entry, Match, OutcomeRule
from tests.properties.dice import Dice
from tests.properties.plans import GOALS, PREMISES, TOOLS

STATUSES = tuple(Status)
# Failures that no other attempt cures.
TURNING = (Status.SHAPE, Status.SEMANTIC, Status.EMPTY, Status.ERROR, Status.SHAPE, Status.DENIED)
MESSAGES = ("", "no such page", "no such page", "", "too long " * 25)
# What a call that succeeds returns. Left out, it is a sample of the contract; a JSON Schema asks for a value.
VALUES: tuple[Any, ...] = (
    UNSET,
    {"rows": [1, 2], "price": 0.5},
    UNSET,
    {"rows": [{"price": "#E1"}]},
    {"rows": []},
    0,
    False,
    "",
    None,
    "#E1",
    [],
)


def outcomes(dice: Dice, plan: Plan) -> tuple[OutcomeRule, ...]:
    """Rules for some of the plan's calls; the rest succeed."""
    return tuple(_rule(dice, plan, line) for line in range(1, 1 + dice.roll(6)))


def _rule(dice: Dice, plan: Plan, line: int) -> OutcomeRule:
    step = dice.pick(ids(plan.steps)) if dice.chance(75) else None
    match = Match(
        step=step,
        tool=dice.pick(TOOLS) if (step is None or dice.chance(10)) and dice.chance(80) else None,
        args={"q": "x"} if dice.chance(10) else None,
        version=dice.between(1, 3) if dice.chance(15) else None,
    )
    values = VALUES
    if any("schema" in (step.produces or ()) for step in plan.steps):
        values = tuple(value for value in VALUES if value is not UNSET)
    return OutcomeRule(match, tuple(_entry(dice, values) for _ in range(dice.between(1, 3))), line)


def _entry(dice: Dice, values: tuple[Any, ...]) -> Entry:
    """What one attempt comes to."""
    status = dice.pick(TURNING) if dice.chance(50) else dice.pick(STATUSES)
    fails = status is not Status.OK
    return Entry(
        status,
        value=UNSET if fails else dice.pick(values),
        message=dice.pick(MESSAGES) if fails else "",
        latency=dice.pick((None, 0.0, 0.25, 1.5, 3.0, 45.0)) if dice.chance(50) else None,
        retry_after=dice.pick((None, 0.0, 2.5)) if dice.chance(20) else None,
        tokens=dice.pick((0, 17)) if dice.chance(10) else None,
        refutes=dice.some(PREMISES, 2) if fails and dice.chance(60) else (),
        cause="it is by quote only" if fails and dice.chance(20) else "",
    )


def seesaw(dice: Dice, plan: Plan) -> tuple[OutcomeRule, ...]:
    """A step that fails one way, then the other."""
    step = dice.pick(ids(plan.steps))
    return (OutcomeRule(Match(step=step), (Entry(Status.SHAPE), Entry(Status.SEMANTIC), Entry(Status.SHAPE)), 1),)


def doubt(dice: Dice, plan: Plan) -> tuple[OutcomeRule, ...]:
    """Steps in the middle of the plan that fail once or twice, and take premises with them."""
    steps = dice.some(ids(plan.steps)[1:] or ids(plan.steps), 3)
    failed = Entry(dice.pick(TURNING[:5]), refutes=dice.some(PREMISES, 2))
    again = Entry(dice.pick(TURNING[:5]), refutes=dice.some(PREMISES, 2))
    fine = Entry(Status.OK, value={"rows": [1], "price": 2.0})
    return tuple(
        OutcomeRule(Match(step=step), (failed, again, fine) if dice.chance(40) else (failed, fine), line)
        for line, step in enumerate(steps, 1)
    )


def interruptions(dice: Dice, plan: Plan) -> tuple[Interruption, ...]:
    """Now and then the goal changes, mostly to another one."""
    return tuple(_interruption(dice, plan) for _ in range(dice.between(1, 2))) if dice.chance(20) else ()


def _interruption(dice: Dice, plan: Plan) -> Interruption:
    after = dice.pick(ids(plan.steps)) if dice.chance(70) else None
    return Interruption(
        dice.pick((GOALS[1], *GOALS)),
        after=after,
        at=dice.pick((1.0, 0.0, 2.5)) if after is None else None,
        refutes=dice.some(PREMISES, 2) if dice.chance(40) else (),
    )
