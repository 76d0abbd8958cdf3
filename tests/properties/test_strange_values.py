"""Whatever a Python tool returns, the session goes on: the value is passed on, told in text, compared, and denied."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from replanctl import PlanExecuteAgent, Policy, Step


class Thing:
    """A value that JSON knows nothing of."""


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)

VALUES: dict[str, Any] = {
    "an object": Thing(),
    "a class": Thing,
    "a function": len,
    "a set": {1, 2},
    "bytes": b"\xff",
    "a date": datetime.date(2020, 2, 29),
    "a tuple": (1, (2,)),
    "not a number": float("nan"),
    "infinity": {"a": float("inf")},
    "a huge number": 10**400,
    "half a surrogate pair": "\ud800",
    "half a pair inside": {"a": ["\ud800"]},
    "half a pair as a key": {"\ud800": 1},
    "numbers as keys": {1: 2, None: 3},
    "a tuple as a key": {("a", "b"): 1},
    "itself": ENDLESS,
}
ARGS = ({"x": "#E1"}, {"x": "see #E1!"}, {"x": "#E1.a"}, {"x": ["#E1", {"y": "#E1"}]})


def refuse(x: Any) -> None:
    """A tool that nobody may call."""
    raise PermissionError("not you")


@pytest.mark.parametrize("policy", [None, Policy(max_parallel=2)], ids=["plain", "whole"])
@pytest.mark.parametrize("args", ARGS, ids=[str(args["x"]) for args in ARGS])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_any_value_is_passed_on(value: Any, args: dict[str, Any], policy: Policy | None) -> None:
    def planner(goal: str, history: Sequence[Step], last_error: object) -> list[Step]:
        refused = Step("2", "refuse", args)
        return (
            [Step("1", "make"), refused] if last_error is None else [Step("2", "keep", args), Step("3", "keep", args)]
        )

    tools: dict[str, Callable[..., Any]] = {"make": lambda: value, "refuse": refuse, "keep": lambda x: "kept"}
    result = PlanExecuteAgent(planner, tools, policy=policy).run("use it")
    assert result.variables["E1"].value is value
    assert [row.status for row in result.history][:2] == ["done", "failed"]
    assert result.reason in ("goal_met", "replan_budget", "step_breaker", "escalated")
