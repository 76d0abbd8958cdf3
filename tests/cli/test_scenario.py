"""`run --scenario`, and what becomes of it in the store and in tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, Cli

SCENARIOS = """\
scenarios:
  denied:
    outcomes: [{match: {step: 2}, returns: [denied]}]
    expect: {reason: escalated}
  stubborn:
    outcomes: [{match: {step: 2}, returns: [shape]}]
    policy: {gates: {max_replans: 1}}
    expect: {reason: goal_met}
  late: {interruptions: [{at: 1s, goal: find another price}]}
"""


@pytest.fixture
def scripted(cli: Cli) -> Cli:
    cli.files({"plan.yaml": f"{PLAN}expect: {{reason: goal_met}}\n{SCENARIOS}"})
    return cli


def head_of(screen: str) -> str:
    return screen.splitlines()[1].strip()


def test_a_run_says_which_scenario_it_is(scripted: Cli) -> None:
    done = scripted("run", "plan.yaml", "--scenario", "denied")
    assert done.code == 1
    assert head_of(done.out) == "run 1 · 3 steps · scenario denied · mode hybrid · default gates"
    assert head_of(scripted("show", "1").out) == head_of(done.out)
    given = scripted("run", "plan.yaml", "--scenario", "denied", "--outcomes", "shape.yaml")
    assert given.code == 0
    assert head_of(given.out) == "run 2 · 3 steps · scenario denied · outcomes shape.yaml · mode hybrid ·"


@pytest.mark.parametrize("where", ["plan", "beside", "file"])
def test_a_stored_scenario_is_run_again_and_taken_up(cli: Cli, where: str) -> None:
    files = {
        "plan": {"plan.yaml": f"{PLAN}{SCENARIOS}"},
        "beside": {"plan.outcomes.yaml": SCENARIOS},
        "file": {"plan.denied.outcomes.yaml": "outcomes: [{match: {step: 2}, returns: [denied]}]\n"},
    }[where]
    written = cli.files(files)
    assert cli("run", "plan.yaml", "--scenario", "denied", "-q").code == 1
    for path in written:
        path.write_text("what is run again is not read again")
    assert cli("replay", "1").code == 0
    resumed = cli("resume", "1", "--outcomes", "shape.yaml", "--format", "json")
    assert (resumed.code, json.loads(resumed.out)["reason"]) == (0, "goal_met")
    assert cli("replay", "1").code == 0


def test_outcomes_given_later_leave_the_rest_of_the_scenario(scripted: Cli) -> None:
    stopped = json.loads(scripted("run", "plan.yaml", "--scenario", "stubborn", "--format", "json").out)
    assert stopped["reason"] == "replan_budget"
    scripted.files({"fine.yaml": "outcomes: []\n"})
    again = json.loads(scripted("resume", "1", "--outcomes", "shape.yaml", "--format", "json").out)
    assert again["reason"] == "replan_budget"  # the scenario's limit holds on, whatever the outcomes
    assert scripted("resume", "1", "--outcomes", "fine.yaml", "--max-replans", "+1", "-q").code == 0


def test_a_scenario_that_is_not_there(scripted: Cli) -> None:
    done = scripted("run", "plan.yaml", "--scenario", "denid")
    assert (done.code, done.out) == (2, "")
    assert done.err == "replanctl: plan.yaml has no scenario denid\n  did you mean denied?\n"
    assert not scripted.store.exists()
    unknown = scripted("run", "-", "--scenario", "denid", stdin=PLAN)
    assert (unknown.code, unknown.err.splitlines()[0]) == (2, "replanctl: <stdin> has no scenario denid")


def test_a_scenario_of_standard_input(scripted: Cli) -> None:
    text = Path("plan.yaml").read_text()
    assert scripted("run", "-", "--scenario", "denied", "-q", stdin=text).code == 1
    assert scripted("replay").code == 0


def test_each_scenario_that_expects_something_is_a_test(scripted: Cli, capfd: pytest.CaptureFixture[str]) -> None:
    assert scripted("test", "plan.yaml", "--junit", "report.xml").code == 1
    told = capfd.readouterr().out
    assert "1 failed, 2 passed" in told
    assert 'reason: expected "goal_met", got "replan_budget"' in told
    report = Path("report.xml").read_text()
    assert [name in report for name in ("plan", "plan[denied]", "plan[stubborn]", "plan[late]")] == [True] * 3 + [False]
    assert scripted("test", "plan.yaml", "-k", "denied").code == 0


FOLDER = {
    "plans/a.yaml": PLAN,
    "plans/a.denied.outcomes.yaml": "outcomes: [{match: {step: 2}, returns: [denied]}]\nexpect: {exit: 1}\n",
    "plans/a.outcomes.yaml": "scenarios: {late: {expect: {exit: 0}}}\n",
    "plans/more/b.yaml": "plan: ../a.yaml\nexpect: {exit: 0}\nscenarios: {late2: {expect: {exit: 0}}}\n",
    "plans/nobodys.outcomes.yaml": "outcomes: []\nexpect: {exit: 1}\n",
}


def test_a_folder_has_the_scripts_of_every_plan_once(cli: Cli, capfd: pytest.CaptureFixture[str]) -> None:
    Path("plans/more").mkdir(parents=True)
    cli.files(FOLDER)
    assert cli("test", "plans").code == 0
    assert "4 passed" in capfd.readouterr().out
    assert cli("test", "plans/a.yaml", "plans/a.denied.outcomes.yaml", "plans/a.outcomes.yaml").code == 0
    assert "2 passed" in capfd.readouterr().out
    assert cli("test", "plans/a.denied.outcomes.yaml").code == 0
    assert "1 passed" in capfd.readouterr().out
    assert cli("run", "plans/more/b.yaml", "--no-store", "-q").code == 0
    assert cli("validate", "plans").code == 0
