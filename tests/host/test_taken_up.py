"""An agent's session goes on from where it stopped: settled, under raised limits, towards another goal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from replanctl import (
    FailureSignal,
    InDoubtError,
    More,
    Plan,
    PlanExecuteAgent,
    Policy,
    ReplayDivergedError,
    RetryPolicy,
    ScriptedTools,
    Session,
    SessionResult,
    Step,
    Tool,
    UsageError,
    fold,
)

ONCE = {"pay": Tool(idempotent=False)}
Tools = dict[str, Callable[..., Any]]


class World:
    """A planner and tools that say how often they were asked. The first so many payments go without an answer."""

    def __init__(self, unanswered: int = 0) -> None:
        self.asked: list[str] = []
        self.looked = 0
        self.paid = 0
        self._unanswered = unanswered

    def planner(self, goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
        self.asked.append(goal)
        if last_error is None:
            return [Step(1, "look"), Step(2, "pay", {"amount": 7}), Step(3, "tell", {"what": "#E2"})]
        return []

    def look(self) -> int:
        self.looked += 1
        return self.looked

    def pay(self, amount: int) -> str:
        self.paid += 1
        if self.paid <= self._unanswered:
            raise TimeoutError("no answer")
        return f"paid {amount}"

    @property
    def tools(self) -> Tools:
        return {"look": self.look, "pay": self.pay, "tell": lambda what: f"told: {what}"}

    def agent(self, **more: Any) -> PlanExecuteAgent:
        return PlanExecuteAgent(self.planner, self.tools, specs=ONCE, **more)


WORDS: dict[str, tuple[Any, str, int, Any]] = {
    "done": (("done", "paid by hand"), "goal_met", 1, "told: paid by hand"),
    "done as text": ('done:"paid"', "goal_met", 1, "told: paid"),
    "again": ("again", "goal_met", 2, "told: paid 7"),
    "skip": ("skip", "goal_met_with_gaps", 1, None),
}


@pytest.mark.parametrize("policy", [None, Policy()], ids=["plain", "whole"])
@pytest.mark.parametrize(("said", "reason", "paid", "told"), WORDS.values(), ids=WORDS)
def test_a_call_in_doubt_is_settled_by_argument(
    policy: Policy | None, said: Any, reason: str, paid: int, told: Any
) -> None:
    world = World(unanswered=1)
    agent = world.agent(policy=policy)
    stopped = agent.run("g") if policy else _waiting(world, agent)
    with pytest.raises(InDoubtError, match="the session asks for a person's word: step 2's call of pay") as caught:
        agent.resume(stopped)
    assert [doubt.step.id for doubt in caught.value.doubts] == ["2"]
    result = agent.resume(stopped, settle={2: said})
    assert result.reason in (reason, "insufficient_evidence" if told is None else reason)
    assert (world.looked, world.paid) == (1, paid)
    assert result.variables.get("E3", _NONE).value == told
    assert [type(event).__name__ for event in result.events].count("StepSettled") == 1
    assert fold(result.events) == result
    assert agent.resume(result) is result or result.status == "failed"


_NONE = msgspec.defstruct("_NONE", [("value", Any, None)])()


def _waiting(world: World, agent: PlanExecuteAgent) -> SessionResult:
    """The plain loop asks its planner at every failure; this one has nothing to offer, and the session stops."""
    stopped = agent.run("g")
    assert stopped.reason in ("no_plan", "escalated")
    return stopped


def test_a_settled_word_stays_through_a_second_stop() -> None:
    world = World(unanswered=2)
    agent = world.agent(policy=Policy())
    once = agent.resume(agent.run("g"), settle={"2": "again"})
    assert (once.reason, world.paid) == ("escalated", 2)
    with pytest.raises(InDoubtError):
        agent.resume(once)
    twice = agent.resume(once, settle={"2": "again"})
    assert (twice.reason, world.paid, world.looked) == ("goal_met", 3, 1)
    assert agent.resume(once, settle={"2": ("done", "x")}).reason == "goal_met"  # a result can be taken up twice
    assert world.paid == 3


def test_limits_are_raised() -> None:
    world = World()
    agent = world.agent(max_steps=1)
    stopped = agent.run("g")
    assert (stopped.reason, world.looked, world.paid) == ("step_budget", 1, 0)
    further = agent.resume(stopped, limits={"max_steps": More(1)})
    assert (further.reason, world.looked, world.paid) == ("step_budget", 1, 1)
    result = agent.resume(further, limits={"max_steps": None})
    assert (result.reason, world.looked, world.paid, world.asked) == ("goal_met", 1, 1, ["g"])
    assert [row.step_id for row in result.history] == ["1", "2", "3"]
    whole = World().agent().run("g")
    assert [row.args for row in result.history] == [row.args for row in whole.history]


def test_a_planner_that_gave_up_is_asked_once_more_for_another_goal() -> None:
    goals: list[str] = []

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
        goals.append(goal)
        if len(goals) == 1:
            return [Step(1, "break")]
        return [Step(2, "mend")] if goal == "another" else []

    def broken() -> None:
        raise LookupError("no")

    agent = PlanExecuteAgent(planner, {"break": broken, "mend": lambda: "ok"}, policy=Policy())
    stopped = agent.run("the one")
    assert (stopped.reason, goals) == ("no_plan", ["the one", "the one"])
    result = agent.resume(stopped, goal="another")
    assert (result.reason, result.goal, goals[2:]) == ("goal_met", "another", ["another"])


def test_a_goal_that_a_tool_changed_is_changed_again_without_the_tool() -> None:
    calls: list[str] = []

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
        return [Step(1, "turn"), Step(2, "turn")] if goal == "g" else [Step(3, "go"), Step(4, "go", {"n": 1})]

    def turn() -> str:
        calls.append("turn")
        agent.change_goal("another")
        return "ok"

    def go(n: int = 0) -> str:
        calls.append("go")
        return "ok"

    agent = PlanExecuteAgent(planner, {"turn": turn, "go": go}, policy=Policy(), max_steps=2)
    stopped = agent.run("g")
    assert (stopped.reason, calls) == ("step_budget", ["turn"])
    result = agent.resume(stopped, limits={"max_steps": 5})
    assert (result.reason, result.goal, calls) == ("goal_met", "another", ["turn", "go", "go"])


def test_an_async_agent_is_taken_up_from_its_loop() -> None:
    world = World(unanswered=1)

    async def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
        return world.planner(goal, history, last_error)

    async def pay(amount: int) -> str:
        await asyncio.sleep(0)
        return world.pay(amount)

    async def main() -> SessionResult:
        agent = PlanExecuteAgent(planner, {**world.tools, "pay": pay}, specs=ONCE, policy=Policy())
        stopped = await agent.arun("g")
        return await agent.aresume(await agent.aresume(stopped, settle={"2": "again"}))

    assert (asyncio.run(main()).reason, world.paid, world.looked) == ("goal_met", 2, 1)


def test_another_agent_may_go_on_with_a_mended_tool() -> None:
    def broken() -> None:
        raise TimeoutError

    policy = Policy(retry=RetryPolicy(max_attempts=1))
    planner = lambda goal, history, last_error: [Step(1, "a"), Step(2, "b")] if last_error is None else []  # noqa: E731
    stopped = PlanExecuteAgent(planner, {"a": lambda: 1, "b": broken}, policy=policy).run("g")
    assert stopped.reason == "escalated"
    result = PlanExecuteAgent(planner, {"a": broken, "b": lambda: 2}, policy=policy).resume(stopped)
    assert (result.reason, result.variables["E2"].value) == ("goal_met", 2)


def test_what_is_done_to_a_result_does_not_reach_what_goes_on() -> None:
    calls: list[str] = []
    agent = PlanExecuteAgent(
        lambda goal, history, last_error: [Step(1, "a"), Step(2, "b", {"x": "#E1"})],
        {"a": lambda: calls.append("a") or [1], "b": lambda x: x},
        max_steps=1,
    )
    stopped = agent.run("g")
    stopped.variables["E1"].value.append(2)
    result = agent.resume(stopped, limits={"max_steps": 5})
    assert (result.variables["E2"].value, calls) == ([1], ["a"])
    with pytest.raises(ReplayDivergedError, match="event 0 does not come out as it was"):
        agent.resume(stopped.with_events(stopped.events[1:], stopped.source), limits={"max_steps": 5})


REFUSED: dict[str, tuple[Callable[[], SessionResult], dict[str, Any], str]] = {
    "of a session": (
        lambda: fold(Session(Plan.of("g", [Step(1, "a")]), tools=ScriptedTools(())).events()),
        {},
        "this is no result of a PlanExecuteAgent's session",
    ),
    "no plan": (lambda: World().agent(max_steps=0).run("g"), {"limits": {"max_step": 3}}, "there is no gate max_step"),
    "a first plan that was none": (
        lambda: PlanExecuteAgent(lambda *asked: [], {}).run("g"),
        {},
        "there is no plan to go on with: the planner returned no steps",
    ),
    "no such call": (
        lambda: World().agent(max_steps=1).run("g"),
        {"settle": {"2": "again"}},
        "--settle 2=…: no such call is in question",
    ),
    "an answer against the contract": (
        lambda: PlanExecuteAgent(
            lambda *asked: [Step(1, "pay", {"amount": 1}, produces={"paid": "bool"})],
            World(unanswered=9).tools,
            specs=ONCE,
            policy=Policy(),
        ).run("g"),
        {"settle": {"1": ("done", {"paid": 3})}},
        "paid: expected bool, got int",
    ),
}


@pytest.mark.parametrize(("result", "given", "said"), REFUSED.values(), ids=REFUSED)
def test_what_can_not_be_taken_up(result: Callable[[], SessionResult], given: dict[str, Any], said: str) -> None:
    agent = World().agent()
    with pytest.raises(UsageError) as caught:
        agent.resume(result(), **given)
    assert said in str(caught.value)


def test_a_step_that_a_planner_made_of_its_history_is_a_step() -> None:
    """What came of it is no part of a plan, whatever it is."""

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
        step = Step(1 + len(history), "a", {"x": len(history)}, result=object(), error=3)  # type: ignore[arg-type]
        return [step, *([Step(9, "b")] if last_error is None else [])]

    def b() -> None:
        raise LookupError

    agent = PlanExecuteAgent(planner, {"a": lambda x: x, "b": b})
    result = agent.run("g")
    assert (result.reason, [row.step_id for row in result.history]) == ("goal_met", ["1", "9", "3"])
