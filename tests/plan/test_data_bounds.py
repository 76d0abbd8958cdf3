"""What Python hands over is counted as it would be written: a value counts as often as it is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from replanctl import PlanExecuteAgent, Step
from replanctl.plan import NoDataError, data
from replanctl.plan.data import data_of


class Listed(list[Any]):
    """A list that does not say what it holds."""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Any:
        return iter(())


class Held(msgspec.Struct):
    value: Any


@dataclass
class Kept:
    value: Any = field(default_factory=list)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are soon reached: the count goes on up to them."""
    monkeypatch.setattr(data, "MOST_ANSWERED", 100_000)
    monkeypatch.setattr(data, "MOST_TEXT", 100_000_000)


def grown(value: Any, times: int = 30, levels: int = 6) -> Any:
    """A value that is small in memory, and thirty times itself for each of six levels when it is written."""
    for _ in range(levels):
        value = [value] * times
    return value


FAR_TOO_MUCH: dict[str, Any] = {
    "lists": grown([1]),
    "mappings": {"rows": grown({"a": {"b": 1}})},
    "tuples": tuple(grown((1, 2))),
    "a list of a class of its own": Listed([grown([1])]),
    "structs": Held(grown(Held([1]))),
    "dataclasses": Kept(grown(Kept())),
    "texts": grown("x" * 10_000),
}


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("value", FAR_TOO_MUCH.values(), ids=FAR_TOO_MUCH)
def test_a_value_without_end_is_no_data(value: Any) -> None:
    with pytest.raises(NoDataError, match="of more than 10,000,000 values or 512 MB of text"):
        data_of(value)


@pytest.mark.usefixtures("few")
def test_a_tool_that_answers_with_one_has_failed() -> None:
    def planner(goal: str, history: list[Step], last_error: Any) -> list[Step]:
        return [] if history or last_error else [Step(1, "grow", {}, "a list")]

    result = PlanExecuteAgent(planner, {"grow": lambda: grown([1])}).run("grow")
    assert result.history[0].status == "failed"
    assert "more than 10,000,000 values" in str(result.history[0].error)


def test_what_is_inside_the_bounds_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_ANSWERED", 30)
    shared = [1, 2, 3]
    assert data_of([shared] * 7) == [shared] * 7  # 7 and 21
    with pytest.raises(NoDataError, match="more than"):
        data_of([shared] * 8)


def test_a_value_in_itself_says_so() -> None:
    itself: list[Any] = []
    itself.append(itself)
    with pytest.raises(NoDataError, match="a list nested too deep, or in itself"):
        data_of(itself)
