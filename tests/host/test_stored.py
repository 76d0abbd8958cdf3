"""Runs from Python: what `run`, `resume`, `replay` and `test` do, as functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replanctl import (
    Granularity,
    InDoubtError,
    More,
    NotGivenError,
    Policy,
    ReplanRequest,
    ReplayDivergedError,
    StoreError,
    UsageError,
    load_rehearsal,
    mismatches,
    rehearse,
    replay,
    resume,
)
from replanctl.cli.app import main
from replanctl.live import Draft
from replanctl.plan import Step
from replanctl.store import Store

PLAN = """\
goal: pay and tell
tools: {pay: {idempotent: false}, look: {}, write: {}}
steps:
  - {id: 1, tool: look}
  - {id: 2, tool: pay, args: {sum: 7}, produces: {paid: bool}}
  - {id: 3, tool: write, args: {text: "#E2.paid"}}
scenarios:
  lost: {outcomes: [{match: {step: 2}, returns: [lost]}]}
"""
BROKEN = "outcomes: [{match: {step: 2}, returns: [shape]}]\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    (tmp_path / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "fine.yaml").write_text("outcomes: []\n", encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_a_run_is_kept_as_the_command_line_keeps_it(plan: Path, store: Path, capsys: Any) -> None:
    told: list[str] = []
    result = rehearse(plan, store=store, on_event=lambda event: told.append(type(event).__name__))
    assert (result.run, result.reason) == (1, "goal_met")
    assert (told[0], told[-1]) == ("SessionStart", "SessionComplete")
    assert replay(store).events == replay(store, 1).events == len(told)
    assert main(["run", str(plan), "--format", "json", "--store", str(store)]) == 0
    with Store.open(store) as kept:
        assert list(kept.event_lines(1)) == list(kept.event_lines(2))
        assert kept.inputs(1) == kept.inputs(2)


def test_without_a_store_nothing_is_kept(plan: Path, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())
    assert rehearse(str(plan), policy=Policy(mode="rewoo")).run is None
    assert set(tmp_path.iterdir()) == before


def test_a_scenario_and_faults_are_the_command_line_s(plan: Path) -> None:
    assert rehearse(plan, scenario="lost").reason == "escalated"
    assert rehearse(plan, faults=["1=denied"]).reason == "escalated"
    with pytest.raises(UsageError, match="fine is no status of a fault"):
        rehearse(plan, faults=["1=fine"])
    with pytest.raises(UsageError, match="exclude each other"):
        rehearse(plan, faults=["1=shape"], tools={"pay": max, "look": max, "write": max})


SETTLED: dict[str, tuple[dict[str, Any], str, Any]] = {
    "done": ({"2": ("done", {"paid": False})}, "goal_met", False),
    "done as text": ({2: 'done:{"paid": false}'}, "goal_met", False),
    "again": ({"2": "again"}, "goal_met", True),
}


@pytest.mark.parametrize(("settle", "reason", "told"), SETTLED.values(), ids=SETTLED)
def test_a_run_is_settled_by_argument(
    plan: Path, store: Path, tmp_path: Path, settle: Any, reason: str, told: bool
) -> None:
    rehearse(plan, scenario="lost", store=store)
    with pytest.raises(InDoubtError, match="run 1 asks for a person's word: step 2's call of pay") as caught:
        resume(store)
    assert [doubt.tool for doubt in caught.value.doubts] == ["pay"]
    answer = {"match": {"step": 2}, "returns": [{"status": "ok", "value": {"paid": True}}]}
    (tmp_path / "paid.yaml").write_text(json.dumps({"outcomes": [answer]}), encoding="utf-8")
    result = resume(store, 1, outcomes=tmp_path / "paid.yaml", settle=settle)
    assert (result.run, result.reason, result.history[-1].args) == (1, reason, {"text": told})
    assert replay(store, 1).run == 1
    assert resume(store, 1) == result  # it is completed, and left alone


def test_a_limit_is_raised_or_lifted(plan: Path, store: Path, tmp_path: Path) -> None:
    kept: dict[str, Any] = {"outcomes": tmp_path / "broken.yaml", "store": store}
    assert rehearse(plan, **kept, policy=Policy()).reason != "goal_met"
    with pytest.raises(UsageError, match="--max-seconds \\+1: there is no limit to raise"):
        resume(store, limits={"max_seconds": More(1)})
    result = resume(store, limits={"per_step": More(1), "max_tokens": None}, granularity="tail")
    with Store.open(store) as stored:
        amendment = stored.inputs(1).amendments[-1]
    assert (amendment.policy.gates.per_step, amendment.policy.gates.max_tokens) == (4, None)
    assert amendment.policy.routing.force is Granularity.TAIL
    assert result.run == 1


NONSENSE: dict[str, tuple[dict[str, Any], str]] = {
    "no gate": ({"limits": {"max_step": 1}}, "there is no gate max_step"),
    "a limit below": ({"limits": {"max_steps": -1}}, "max_steps is a whole number from 0 up or None, not -1"),
    "no null": ({"limits": {"max_replans": None}}, "max_replans is a whole number from 0 up, not None"),
    "at least 1": ({"limits": {"max_repeat": 0}}, "max_repeat is a whole number from 1 up or None, not 0"),
    "a boolean": ({"limits": {"max_steps": True}}, "not True"),
    "text": ({"limits": {"max_steps": "2"}}, "not '2'"),
    "no number": ({"limits": {"max_seconds": float("nan")}}, "max_seconds is a number of seconds from 0 up"),
    "more of nothing": ({"limits": {"max_steps": More(0.5)}}, "max_steps is a whole number"),
    "a depth": ({"granularity": "deep"}, "a granularity is one of"),
    "no goal": ({"goal": ""}, "a goal is text, not ''"),
    "a word": ({"settle": {"2": "maybe"}}, "settle: '2=maybe' is not STEP=done:JSON"),
    "no such run": ({"run": 9}, "there is no run 9"),
    "tools it had not": ({"tools": {"pay": max}}, "run 1 was rehearsed without --tools"),
    "a planner it had not": ({"planner": "cat"}, "run 1 was rehearsed without --planner"),
}


@pytest.mark.parametrize(("given", "said"), NONSENSE.values(), ids=NONSENSE)
def test_what_makes_no_sense_changes_nothing(plan: Path, store: Path, given: dict[str, Any], said: str) -> None:
    rehearse(plan, faults=["1=denied"], store=store)
    before = replay(store)
    with pytest.raises(UsageError) as caught:
        resume(store, **given)
    assert said in str(caught.value)
    assert replay(store) == before


class Asker:
    """A replanner from Python."""

    name = "asker"

    def __init__(self) -> None:
        self.asked = 0

    def replan(self, request: ReplanRequest) -> Draft | None:
        self.asked += 1
        return Draft((Step(4, "write", {"text": "nothing"}),))

    def cause(self, request: ReplanRequest) -> str:
        return ""


def test_python_tools_and_planners_are_recorded_and_given_again(plan: Path, store: Path) -> None:
    calls: list[str] = []

    def look() -> str:
        calls.append("look")
        if len(calls) == 1:
            raise PermissionError("not yet")
        return "seen"

    def pay(**args: int) -> dict[str, Any]:
        return {"paid": None}

    tools: dict[str, Callable[..., Any]] = {"look": look, "pay": pay, "write": lambda text: text}
    first = Asker()
    assert rehearse(plan, tools=tools, planner=first, store=store).reason == "escalated"
    assert replay(store).run == 1
    assert (calls, first.asked) == (["look"], 0)
    with pytest.raises(NotGivenError, match="run 1 had --planner COMMAND --tools MODULE:NAME"):
        resume(store, tools=tools)
    second = Asker()
    result = resume(store, tools=tools, planner=second, granularity="global")  # the answer broke its contract
    assert (result.reason, calls, second.asked) == ("goal_met", ["look", "look"], 1)
    assert replay(store).events > 0
    assert (calls, second.asked) == (["look", "look"], 1)


def test_tools_that_lack_a_name_and_planners_that_are_none_are_refused(plan: Path) -> None:
    with pytest.raises(UsageError, match="there is no tool named pay, which step 2 uses"):
        rehearse(plan, tools={"look": max})
    with pytest.raises(UsageError, match="a replanner has a method replan: a int has none"):
        rehearse(plan, planner=3)  # type: ignore[arg-type]


def test_a_run_that_diverges_says_where(plan: Path, store: Path) -> None:
    rehearse(plan, store=store)
    with Store.open(store, create=True) as kept, kept.reopen(1) as writer:
        lines = list(kept.event_lines(1))
        writer.go_on(kept.inputs(1), [lines[0], lines[2]])
    with pytest.raises(ReplayDivergedError, match="run 1 diverges at event 1: stored "):
        replay(store)
    with pytest.raises(ReplayDivergedError, match="run 1 can't be resumed"):
        resume(store)


def test_a_lesson_book_is_carried(plan: Path, store: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    rehearse(plan, faults=["1=denied"], lessons=book, store=store)
    first = book.read_text(encoding="utf-8")
    assert "denied" in first
    assert rehearse(plan, lessons=book).lessons[0].text in first
    resume(store, 1, outcomes=tmp_path / "fine.yaml", lessons=str(book))
    assert book.read_text(encoding="utf-8") == first


def test_a_store_that_is_none_is_a_store_error(plan: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        rehearse(plan, store=plan)
    with pytest.raises(UsageError, match="there are no runs"):
        replay(tmp_path / "nowhere")


def test_what_is_expected_is_compared(plan: Path) -> None:
    assert load_rehearsal(plan).expect is None
    result = rehearse(plan)
    assert mismatches({"reason": "goal_met", "versions": 1}, result) == []
    assert mismatches({"reason": "aborted"}, result) == ['reason: expected "aborted", got "goal_met"']
