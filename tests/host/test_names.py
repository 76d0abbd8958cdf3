"""Tools that are given when a session is taken up again are looked at before it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from replanctl import FailureSignal, More, PlanExecuteAgent, Step, UsageError, rehearse, resume
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli

Tools = dict[str, Callable[..., Any]]
PLAN = "goal: g\nsteps: [{id: 1, tool: look}, {id: 2, tool: ask, on_failure: abort}, {id: 3, tool: tell}]\n"
MINE = "def look(): return 1\ndef ask(): raise PermissionError('no')\ndef tell(): return 3\n"


def calm(calls: list[str], *names: str) -> Tools:
    """Tools that answer, and write down that they were called."""
    return {name: lambda name=name, **args: calls.append(name) or name for name in names}


def refusing(calls: list[str], *names: str) -> Tools:
    """The same, but nobody may ask."""

    def ask(**args: Any) -> None:
        raise PermissionError("no")

    return calm(calls, *names) | {"ask": ask}


# Which tools are given when a run of look, ask and tell goes on at ask, and what is said of them.
GIVEN = [
    (("look", "ask", "tell"), ""),
    (("ask", "tell"), ""),  # look is done: its answer is on record
    (("look", "tell"), "there is no tool named ask, which step 2 uses"),
    (("look", "ask"), "there is no tool named tell, which step 3 uses"),
]


@pytest.mark.parametrize(("names", "said"), GIVEN)
def test_a_stored_run_needs_the_tools_of_what_is_left(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    calls: list[str] = []
    rehearse(tmp_path / "plan.yaml", tools=refusing(calls, "look", "tell"), store=tmp_path / "store")
    del calls[:]
    if said:
        with pytest.raises(UsageError, match=said):
            resume(tmp_path / "store", tools=calm(calls, *names))
        assert calls == []
    else:
        assert resume(tmp_path / "store", tools=calm(calls, *names)).status == "completed"
        assert calls == ["ask", "tell"]


def test_on_the_command_line_it_is_exit_2_and_nothing_is_stored(cli: Cli) -> None:
    cli.files({"three.yaml": PLAN, "mine.py": MINE, "fewer.py": "def look(): return 1\ndef tell(): return 3\n"})
    assert cli("run", "three.yaml", "--tools", "mine", "-q").code == 1
    before = cli("show", "--format", "json").out
    done = cli("resume", "--tools", "fewer")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "replanctl: --tools: there is no tool named ask, which step 2 uses"
    assert cli("show", "--format", "json").out == before


def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> list[Step]:
    if last_error is None:
        return [Step(1, "look"), Step(2, "ask"), Step(3, "tell")]
    return [Step(4, "tell")] if len(history) > 2 else [Step(2, "invented"), Step(3, "tell")]


@pytest.mark.parametrize(("names", "said"), GIVEN)
def test_an_agent_needs_the_tools_of_what_is_left(names: tuple[str, ...], said: str) -> None:
    calls: list[str] = []
    stopped = PlanExecuteAgent(planner, refusing(calls, "look", "tell"), max_replans=0).run("g")
    assert stopped.reason == "replan_budget"
    del calls[:]
    other = PlanExecuteAgent(planner, calm(calls, *names))
    if said:
        with pytest.raises(UsageError, match=said):
            other.resume(stopped, limits={"max_replans": 0, "max_steps": More(3)})
        assert calls == []
    else:
        assert other.resume(stopped, limits={"max_replans": More(2)}).status in ("completed", "failed")


def test_a_tool_that_a_planner_invents_is_a_failure_and_no_reason_to_refuse() -> None:
    agent = PlanExecuteAgent(planner, refusing([], "look", "tell"), max_replans=1)
    stopped = agent.run("g")
    assert stopped.signals[-1].error_msg == "no tool named invented"
    assert agent.resume(stopped, limits={"max_replans": More(2)}).status == "completed"


def test_one_function_for_all_has_every_name() -> None:
    stopped = PlanExecuteAgent(planner, refusing([], "look", "tell"), max_replans=0).run("g")
    agent = PlanExecuteAgent(planner, lambda name, args: name)
    assert agent.resume(stopped, limits={"max_replans": More(1)}).status == "completed"


def test_without_a_number_the_latest_run_that_can_be_resumed_goes_on(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "good.yaml").write_text("goal: g\nsteps: [{id: 1, tool: look}]\n")
    rehearse(tmp_path / "plan.yaml", tools=refusing([], "look", "tell"), store=tmp_path / "store")
    rehearse(tmp_path / "good.yaml", store=tmp_path / "store")
    result = resume(tmp_path / "store", tools=calm([], "look", "ask", "tell"))
    assert (result.run, result.status) == (1, "completed")
