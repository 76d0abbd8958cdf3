"""`expect:` blocks, and `replanctl test` that runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from replanctl.host.expect import mismatches
from tests.rehearse import rehearse, settle

PLAN = """
goal: g
steps:
  - {id: 1, tool: a}
  - {id: 2, tool: b}
outcomes:
  - {match: {tool: b}, returns: [semantic, ok]}
"""
RESULT = rehearse(PLAN)[1]


@pytest.mark.parametrize(
    ("expect", "found"),
    [
        ({}, []),
        ({"status": "completed", "reason": "goal_met", "exit": 0}, []),
        ({"status": "failed"}, ['status: expected "failed", got "completed"']),
        ({"exit": 1}, ["exit: expected 1, got 0"]),
        ({"ledger": {"totals": {"all": "<= 5000"}}}, []),
        ({"ledger": {"totals": {"main": "> 5000"}}}, ['ledger.totals.main: expected "> 5000", got 640']),
        ({"seconds": "!= 3"}, ['seconds: expected "!= 3", got 3.0']),
        ({"seconds": 3}, []),
        ({"versions": 2, "replans": 1, "gaps": 0, "history": "<= 3", "signals": "!= 0"}, []),
        ({"replans": 2}, ["replans: expected 2, got 1"]),
        ({"gaps": 1}, ["gaps: expected 1, got 0 entries: []"]),
        ({"gaps": "> 0"}, ['gaps: expected "> 0", got 0 entries: []']),
        ({"status": "!= failed", "routes": [{"granularity": "!= patch"}]}, []),
        ({"status": "!= completed"}, ['status: expected "!= completed", got "completed"']),
        ({"routes": [{"rule": "wrong-decomposition", "granularity": "tail"}]}, []),
        ({"routes": [{"radius": 9}]}, ["routes[0].radius: expected 9, got 0"]),
        ({"gaps": [{}]}, ["gaps: expected 1 entries, got 0: []"]),
        ({"variables": {"E1": {"health": "clean", "value": "ok"}}}, []),
        ({"resaon": "goal_met"}, ["resaon: the result has no such field, did you mean reason?"]),
        ({"variables": {"E1": {"value": True}}}, ['variables.E1.value: expected true, got "ok"']),
    ],
)  # fmt: skip
def test_an_expectation_names_every_difference(expect: dict[str, Any], found: list[str]) -> None:
    assert mismatches(expect, RESULT) == found


def test_a_version_to_go_on_with_is_no_replan() -> None:
    result = settle("goal: g\nsteps: [{id: 1, tool: a}]", "outcomes: [{match: {}, returns: [denied]}]", ())[1]
    assert [version.cause for version in result.versions] == ["start", "resume"]
    assert mismatches({"reason": "goal_met", "replans": 0}, result) == []


def run_test(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "replanctl", "test", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_plans_that_say_what_they_expect_are_run_by_pytest(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(f"{PLAN}expect: {{reason: goal_met}}\n")
    (tmp_path / "bad.yaml").write_text(f"{PLAN}expect: {{reason: no_plan}}\n")
    (tmp_path / "none.yaml").write_text(PLAN)
    (tmp_path / "beside.yaml").write_text(PLAN)
    (tmp_path / "beside.outcomes.yaml").write_text("outcomes: []\nexpect: {revisions: []}\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--no-such-option'\n")
    done = run_test(tmp_path, ".", "--junit", "report.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'reason: expected "no_plan", got "goal_met"' in done.stdout
    assert "1 failed, 2 passed" in done.stdout
    assert 'tests="3"' in (tmp_path / "report.xml").read_text()
    assert run_test(tmp_path, ".", "-k", "good").returncode == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAN, "no rehearsal with an expect: block was found"),
        ("goal: g\nsteps: 3\nexpect: {}\n", "not every rehearsal could be read"),
    ],
)
def test_what_is_no_test_exits_with_2(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "plan.yaml").write_text(text)
    done = run_test(tmp_path, "plan.yaml")
    assert (done.returncode, said in done.stderr) == (2, True), done.stdout + done.stderr


def test_a_path_that_is_not_there_exits_with_2(tmp_path: Path) -> None:
    done = run_test(tmp_path, "nowhere.yaml")
    assert (done.returncode, done.stderr) == (
        2,
        "replanctl: there is no nowhere.yaml\n  name plans with an expect: block, or folders of them\n",
    )


REPLACED = """\
goal: g
steps:
  - {id: 1, tool: a}
  - {id: 2, tool: b}
  - {id: 3, tool: c}
outcomes: [{match: {step: 2}, returns: [semantic, ok]}]
"""
GONE = REPLACED + "planner: [{when: {}, steps: [{id: 2, tool: d, depends_on: [1]}]}]\n"
FAILING = REPLACED.replace("semantic, ok", "semantic") + "policy: {gates: {max_replans: 1}}\n"


@pytest.mark.parametrize(
    ("plan", "asked", "said"),
    [
        (REPLACED, {"E3": {"health": "clean"}},
         "variables.E3: the result has no such field (step 3 was replaced: E4 stands for it now)"),
        (REPLACED, {"E2": {"health": "void"}}, 'variables.E2.health: expected "void", got "clean"'),
        (REPLACED, {"E9": {}}, "variables.E9: the result has no such field"),
        (GONE, {"E3": {"value": "ok"}},
         "variables.E3: the result has no such field (step 3 left the plan in v2)"),
        (FAILING, {"E3": {"value": "ok"}},
         "variables.E3: the result has no such field (step 3 was replaced: step 4 stands for it now, not done)"),
    ],
)  # fmt: skip
def test_a_variable_that_is_not_there_names_what_stands_for_it(plan: str, asked: dict[str, Any], said: str) -> None:
    _, result = rehearse(plan)
    assert mismatches({"variables": asked}, result) == [said]
