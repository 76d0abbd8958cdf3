"""Python tools that act on the world: `specs` says so, the plain loop keeps to it, and a session can be settled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replanctl import NewInputs, Plan, PlanExecuteAgent, Session, Settle, Settlement, Step, Tool, fold
from replanctl.host.functions import FunctionTools
from replanctl.replan.signal import FailureSignal

ONCE = {"pay": Tool(idempotent=False)}


class Till:
    """A tool that pays, and then says, or raises, what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.paid: list[int] = []
        self._answers = list(answers)

    def pay(self, amount: int) -> Any:
        answer = self._answers.pop(0) if self._answers else "paid"
        self.paid.append(amount)
        if isinstance(answer, Exception):
            raise answer
        return answer


def stubborn(goal: str, history: Any, last_error: FailureSignal | None) -> list[Step]:
    """A planner that pays whatever happens, and gives up once it hears that it may not."""
    if last_error is not None and "not made again" in last_error:
        return []
    return [Step(len(history) + 1, "pay", {"amount": 7}), Step(len(history) + 2, "look")]


@pytest.mark.parametrize(
    ("raised", "reason", "paid"),
    [
        (TimeoutError("no answer"), "no_plan", 1),
        (ConnectionResetError("cut"), "no_plan", 1),
        (LookupError("broke"), "no_plan", 1),
        (ConnectionRefusedError("nobody there"), "goal_met", 2),  # it did not act: the tool says so
    ],
)
def test_the_plain_loop_pays_once(raised: Exception, reason: str, paid: int) -> None:
    till = Till(raised)
    agent = PlanExecuteAgent(stubborn, {"pay": till.pay, "look": lambda: 1}, specs=ONCE)
    result = agent.run("pay")
    assert (result.reason, len(till.paid)) == (reason, paid)


def test_a_call_in_doubt_is_for_a_person_in_the_plain_loop_too() -> None:
    till = Till(TimeoutError("no answer"))

    def planner(goal: str, history: Any, last_error: FailureSignal | None) -> list[Step]:
        return [Step("ask", "look")] if last_error else [Step(1, "pay", {"amount": 7})]

    result = PlanExecuteAgent(planner, {"pay": till.pay, "look": lambda: 1}, specs=ONCE).run("pay")
    assert (result.status, result.reason, till.paid) == ("failed", "escalated", [7])
    assert result.effects == ()  # nobody knows


@pytest.mark.parametrize(
    ("word", "paid", "value"),
    [(Settlement("1", Settle.DONE, "paid"), 1, "paid"), (Settlement("1", Settle.AGAIN), 2, "paid")],
)
def test_a_session_is_settled_by_argument(word: Settlement, paid: int, value: str) -> None:
    till = Till(TimeoutError("no answer"))
    plan = Plan.of("g", [Step(1, "pay", {"amount": 7}), Step(2, "look", {"at": "#E1"})], tools={**ONCE, "look": Tool()})
    tools: dict[str, Callable[..., Any]] = {"pay": till.pay, "look": lambda at: at}
    session = Session(plan, tools=FunctionTools(tools))
    session.amend(NewInputs(settled=(word,)), behind_stop=True)
    result = fold(session.events())
    assert (result.reason, len(till.paid), result.variables["E2"].value) == ("goal_met", paid, value)
