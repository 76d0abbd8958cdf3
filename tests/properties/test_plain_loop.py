"""Without a policy the engine is the plain two-budget loop, which is written down here in a dozen lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from replanctl import PlanExecuteAgent, Step
from tests.properties.dice import Dice

Answer = list[Step] | None  # None: the planner raises


class World(NamedTuple):
    """What a planner answers, call by call, which tools are down, and the two budgets."""

    answers: list[Answer]
    down: frozenset[str]
    max_steps: int
    max_replans: int


class Told(NamedTuple):
    """How a session went: what ran and how, how often the planner was asked, and why it ended."""

    ran: list[tuple[str, dict[str, Any], bool]]
    asked: int
    reason: str


def world(dice: Dice) -> World:
    """A planner that does not know when to stop, over tools that are not all up."""
    answers = [_answer(dice) for _ in range(dice.between(1, 6))]
    return World(answers, frozenset(dice.some(("a", "b", "c", "d"), 2)), dice.roll(9), dice.roll(5))


def _answer(dice: Dice) -> Answer:
    if dice.chance(8):
        return None
    ids = dice.some(("1", "2", "3", "4", "s1"), 4) if not dice.chance(8) else ()
    return [Step(id_, dice.pick(("a", "b", "c", "d")), {"q": dice.roll(2)}, dice.pick(("x", "y"))) for id_ in ids]


def plain_loop(world: World) -> Told:
    """Run the plan; on a failure ask for the rest; stop at a budget, or when there is nothing to run."""
    ran: list[tuple[str, dict[str, Any], bool]] = []
    done: list[Step] = []
    asked, rest = 1, list(world.answers[0] or ())
    if not rest:
        return Told(ran, asked, "no_plan")
    while rest:
        if len(ran) >= world.max_steps:
            return Told(ran, asked, "step_budget")
        step = rest.pop(0)
        up = step.tool not in world.down
        ran.append((step.tool, step.args, up))
        if up:
            done.append(step)
            continue
        answer: Answer = None
        while answer is None:
            if asked > world.max_replans:
                return Told(ran, asked, "replan_budget")
            answer = world.answers[min(asked, len(world.answers) - 1)]
            asked += 1
        if not answer:
            return Told(ran, asked, "no_plan")
        rest = [step for step in answer if not any(_same(step, other) for other in done)]
        if len(ran) + len(rest) > world.max_steps:  # it can't fit in what is left
            return Told(ran, asked, "step_budget")
    return Told(ran, asked, "goal_met")


def _same(step: Step, done: Step) -> bool:
    """Whether this is finished work: the same call under its id, or under another with the same action."""
    call = (step.tool, step.args) == (done.tool, done.args)
    return call and (step.id == done.id or step.action == done.action)


def engine(world: World) -> Told:
    """The same, by the engine."""
    asked = 0

    def planner(goal: str, history: Sequence[Step], last_error: object) -> list[Step]:
        nonlocal asked
        answer = world.answers[min(asked, len(world.answers) - 1)]
        asked += 1
        if answer is None:
            raise ValueError("no idea")
        return answer

    def tools(name: str, args: dict[str, Any]) -> str:
        if name in world.down:
            raise ConnectionError(f"{name} is down")
        return name

    agent = PlanExecuteAgent(planner, tools, max_steps=world.max_steps, max_replans=world.max_replans)
    result = agent.run("anything")
    return Told([(row.tool, row.args, row.status == "done") for row in result.history], asked, result.reason)


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_the_engine_is_the_plain_loop(first: int) -> None:
    reasons = set()
    for seed in range(first, first + 500):
        random = world(Dice.seeded(seed))
        expected = plain_loop(random)
        assert engine(random) == expected, f"seed {seed}"
        reasons.add(expected.reason)
    assert reasons == {"goal_met", "no_plan", "step_budget", "replan_budget"}
