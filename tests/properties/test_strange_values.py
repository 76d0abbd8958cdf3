"""Whatever a Python tool returns, the session goes on: data is passed on, told in text, compared, and denied."""

from __future__ import annotations

import dataclasses
import datetime
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from replanctl import PlanExecuteAgent, Policy, SessionResult, Step


class Thing:
    """A value that JSON knows nothing of."""


class Unspeakable:
    """A value whose own words end the program."""

    def __repr__(self) -> str:
        sys.exit(3)

    __str__ = __repr__


class Whole(int):
    """A whole number that can't be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


class Words(str):
    """Text of a class of its own."""


@dataclasses.dataclass
class Point:
    """A value with fields."""

    x: int
    y: int


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)

# What a tool returns, and what the session keeps of it: the same as JSON says it.
DATA: dict[str, tuple[Any, Any]] = {
    "a set": ({1}, [1]),
    "bytes": (b"\xff", "/w=="),
    "a date": (datetime.date(2020, 2, 29), "2020-02-29"),
    "a tuple": ((1, (2,)), [1, [2]]),
    "not a number": (float("nan"), None),
    "infinity": ({"a": float("inf")}, {"a": None}),
    "a huge number": (10**400, 10**400),
    "numbers as keys": ({1: 2}, {"1": 2}),
    "a whole number of another class": (Whole(3), 3),
    "text of another class": (Words("so"), "so"),
    "a dataclass": (Point(1, 2), {"x": 1, "y": 2}),
}
# What is no data, and what the failure says.
NO_DATA: dict[str, tuple[Any, str]] = {
    "an object": (Thing(), "a Thing, which is no data"),
    "an object that can't be shown": (Unspeakable(), "a Unspeakable, which is no data"),
    "a class": (Thing, "a type, which is no data"),
    "a function": (len, "a builtin_function_or_method, which is no data"),
    "a generator": ((n for n in [1]), "a generator, which is no data"),
    "a huge number of too many digits": (10**5000, "a int that JSON can't say (ValueError)"),
    "half a surrogate pair": ("\ud800", "text with half a surrogate pair in it"),
    "half a pair inside": ({"a": ["\ud800"]}, "text with half a surrogate pair in it"),
    "half a pair as a key": ({"\ud800": 1}, "text with half a surrogate pair in it"),
    "nothing as a key": ({None: 3}, "a NoneType, which is no data"),
    "a tuple as a key": ({("a", "b"): 1}, "a tuple, which is no data"),
    "itself": (ENDLESS, "a list nested too deep, or in itself"),
}
ARGS = ({"x": "#E1"}, {"x": "see #E1!"}, {"x": "#E1.a"}, {"x": ["#E1", {"y": "#E1"}]})


def refuse(x: Any) -> None:
    """A tool that nobody may call."""
    raise PermissionError("not you")


@pytest.mark.parametrize("policy", [None, Policy(max_parallel=2)], ids=["plain", "whole"])
@pytest.mark.parametrize("args", ARGS, ids=[str(args["x"]) for args in ARGS])
@pytest.mark.parametrize(("value", "kept"), DATA.values(), ids=DATA)
def test_any_data_is_passed_on_as_a_copy(value: Any, kept: Any, args: dict[str, Any], policy: Policy | None) -> None:
    result = used(value, args, policy)
    assert (result.variables["E1"].value, type(result.variables["E1"].value)) == (kept, type(kept))
    assert [row.status for row in result.history][:2] == ["done", "failed"]
    assert result.reason in ("goal_met", "replan_budget", "step_breaker", "escalated")


@pytest.mark.parametrize(("value", "said"), NO_DATA.values(), ids=NO_DATA)
@pytest.mark.parametrize("policy", [None, Policy()], ids=["plain", "whole"])
def test_what_is_no_data_is_a_failure_that_says_so(value: Any, said: str, policy: Policy | None) -> None:
    result = used(value, {"x": "#E1"}, policy)
    assert "E1" not in result.variables
    assert (result.signals[0].error_type, result.signals[0].error_msg) == ("unknown", f"the tool returned {said}")


def used(value: Any, args: dict[str, Any], policy: Policy | None) -> SessionResult:
    """A session in which a step returns this value and two others use it, one of them in vain."""

    def planner(goal: str, history: Sequence[Step], last_error: object) -> list[Step]:
        refused = Step("2", "refuse", args)
        return (
            [Step("1", "make"), refused] if last_error is None else [Step("2", "keep", args), Step("3", "keep", args)]
        )

    tools: dict[str, Callable[..., Any]] = {"make": lambda: value, "refuse": refuse, "keep": lambda x: "kept"}
    return PlanExecuteAgent(planner, tools, policy=policy).run("use it")
