"""`test` and `validate` where changes are looked at: what is written into files, annotations, SARIF, Markdown."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from replanctl.cli.verbs.test import Options, _arguments
from tests.cli.conftest import PLAN, Cli

DENIED = "outcomes: [{match: {step: 2}, returns: [denied]}]"
WRITTEN = f"""\
# what this is for
{PLAN}{DENIED}
expect:   # by hand
  status: completed   # it was
  reason: "goal_met"
  replans:
  gates: [ ]
  routes:
    - {{rule: permission}}
    - {{rule: small-radius}}   # then a patch
  ledger: {{totals: {{all: "> 5000"}}}}   # dear
  variables:
    E1: {{value: ok}}
scenarios:
  plain:
    outcomes: []
    expect: {{}}   # to be filled
"""
UPDATED = f"""\
# what this is for
{PLAN}{DENIED}
expect:   # by hand
  status: failed   # it was
  reason: escalated
  replans: 0
  gates: [ ]
  routes: [{{"rule": "permission"}}]   # then a patch
  ledger: {{totals: {{all: 700}}}}   # dear
  variables:
    E1: {{value: ok}}
scenarios:
  plain:
    outcomes: []
    expect: {{"exit": 0, "reason": "goal_met", "replans": 0}}   # to be filled
"""


def test_what_came_is_written_into_the_expectation(cli: Cli, capfd: pytest.CaptureFixture[str]) -> None:
    (path,) = cli.files({"plan.yaml": WRITTEN})
    assert cli("test", "plan.yaml", "-q").code == 1
    done = cli("test", "plan.yaml", "--update")
    assert path.read_text() == UPDATED
    assert done.code == 0
    assert done.err.splitlines() == [
        "updated plan.yaml: plan: status, reason, replans, routes, ledger.totals.all",
        "updated plan.yaml: plan[plain]: all of it",
    ]
    assert cli("test", "plan.yaml").code == 0
    assert cli("test", "plan.yaml", "--update").err == ""


def test_the_expectation_is_updated_where_it_stands(cli: Cli) -> None:
    beside, scenario, whole = cli.files({
        "plan.outcomes.yaml": f"{DENIED}\nexpect: {{exit: 0}}  # beside\n",
        "plan.late.outcomes.yaml": "outcomes: []\nexpect: {exit: 1}  # late\n",
        "json.yaml": json.dumps({"goal": "g", "steps": [{"id": 1, "tool": "t"}], "expect": {"reason": "aborted"}}),
    })  # fmt: skip
    assert cli("test", ".", "--update").code == 0
    assert beside.read_text() == f"{DENIED}\nexpect: {{exit: 1}}  # beside\n"
    assert scenario.read_text() == "outcomes: []\nexpect: {exit: 0}  # late\n"
    assert json.loads(whole.read_text())["expect"] == {"reason": "goal_met"}


def test_what_can_not_be_written_down_still_fails(cli: Cli) -> None:
    text = f"{PLAN}expect: {{variables: {{E9: {{health: clean}}}}}}\n"
    (path,) = cli.files({"plan.yaml": text})
    assert cli("test", "plan.yaml", "--update", "-q").code == 1
    cli.files({"made.yaml": f"{PLAN}{DENIED}\nrecorded: {{end: completed}}\n"})
    assert cli("test", "made.yaml", "--update", "-q").code == 1
    anchored = f"{PLAN}{DENIED}\nexpect: {{exit: &e 0, replans: *e}}\n"
    (shared,) = cli.files({"shared.yaml": anchored})
    assert cli("test", "shared.yaml", "--update", "-q").code == 1
    assert (path.read_text(), shared.read_text()) == (text, anchored)
    assert cli("test", "plan.yaml", "--update", "-n", "2").code == 2


TOOLS = "def look(at): return at.upper()\ndef write(text): return f'about {text}'\n"
GIVES_UP = "import sys\nsys.stdin.read()\nprint('[]')\n"


def test_real_tools_and_a_planner_stand_in_for_the_script(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    cli.files({
        "ci_tools.py": TOOLS, "gives_up.py": GIVES_UP,
        "real.yaml": f"{PLAN}{DENIED}\nexpect: {{variables: {{E3: {{value: about B}}}}}}\n",
        "given.yaml": f"{PLAN}outcomes: [{{match: {{step: 2}}, returns: [shape]}}]\nexpect: {{reason: no_plan}}\n",
    })  # fmt: skip
    assert cli("test", "real.yaml", "-q").code == 1
    assert cli("test", "real.yaml", "--tools", "ci_tools", "-q").code == 0
    assert cli("test", "given.yaml", "-q").code == 1
    planner = f"{sys.executable} gives_up.py"
    assert cli("test", "given.yaml", "--planner", planner, "--planner-timeout", "30s").code == 0
    for given, said in (("--tools", "no_such_module"), ("--planner", "no-such-command")):
        done = cli("test", "real.yaml", given, said)
        assert done.code == 2 and said in done.err
    capfd.readouterr()
    cli.files({"ci_tools.py": "def look(at): return 1\n"})
    sys.modules.pop("ci_tools")
    assert cli("test", "real.yaml", "--tools", "ci_tools").code == 1
    assert "there is no tool named write" in capfd.readouterr().out


def test_processes_hear_of_tools_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    cli.files({"more_ci_tools.py": TOOLS, "real.yaml": f"{PLAN}expect: {{variables: {{E1: {{value: A}}}}}}\n"})
    assert cli("test", "real.yaml", "-n", "2", "-q").code == 1
    assert cli("test", "real.yaml", "-n", "2", "-q", "--tools", "more_ci_tools").code == 0


def test_a_slip_of_the_finger_starts_no_thousands() -> None:
    words = _arguments(Options(paths=("plan.yaml",), parallel=99_999))
    assert int(words[words.index("-n") + 1]) <= 4 * (os.cpu_count() or 1)


WRONG = f"{PLAN}{DENIED}\nexpect: {{reason: goal_met}}\n"


@pytest.mark.parametrize("processes", ["1", "2"])
def test_failures_are_annotations(cli: Cli, processes: str, capfd: pytest.CaptureFixture[str]) -> None:
    cli.files({"wrong.yaml": WRONG, "broken.yaml": f"{PLAN}expect: {{}}\npolicy: {{mode: fa%st}}\n"})
    done = cli("test", "wrong.yaml", "--format", "github", "-n", processes)
    assert done.code == 1
    said = 'wrong: reason: expected "goal_met", got "escalated"'
    assert done.out == f"::error file=wrong.yaml,line=7,title=expectation::{said}\n"
    unread = cli("test", "broken.yaml", "--format", "github", "-n", processes)
    assert unread.code == 2
    assert "::error file=broken.yaml,line=7,col=16,title=bad-choice::expected one of" in unread.out
    assert "got text (fa%25st)" in unread.out


def test_a_step_summary_is_all_that_is_on_standard_output(cli: Cli, capfd: pytest.CaptureFixture[str]) -> None:
    cli.files({"wrong.yaml": WRONG, "fine.yaml": f"{PLAN}expect: {{exit: 0}}\n"})
    done = cli("test", "wrong.yaml", "fine.yaml", "--format", "markdown")
    assert done.code == 1
    head, table, *rest = done.out.split("\n\n")[1:]
    assert head == "1 passed, 1 failed."
    assert table.splitlines()[2].startswith("| wrong.yaml&#58;7 wrong | reason&#58; expected")
    assert "step 2: failed" in "\n".join(rest)
    heard = capfd.readouterr()
    assert "test session starts" in heard.err and heard.out == ""


# -- validate ----------------------------------------------------------------------------------------------------------

BAD = "goal: g\nsteps:\n  - {id: 1, tool: t, needs: []}\n  - {id: 2, tool: t, args: {q: '#E7'}}\n"


def test_problems_as_annotations(cli: Cli) -> None:
    cli.files({"bad.yaml": BAD})
    done = cli("validate", "bad.yaml", "--format", "github")
    assert done.code == 1
    first, second = done.out.splitlines()
    assert first.startswith("::error file=bad.yaml,line=3,col=22,title=unknown-key::needs is not known here (")
    assert second.startswith("::warning file=bad.yaml,line=4,col=")


def test_problems_as_sarif(cli: Cli) -> None:
    cli.files({"bad one.yaml": BAD})
    log = json.loads(cli("validate", "bad one.yaml", "none.yaml", "--format", "sarif").out)
    (run,) = log["runs"]
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "replanctl")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = [(each["ruleId"], each["level"], rules[each["ruleIndex"]]) for each in run["results"]]
    names = [("unknown-key", "error"), ("unknown-reference", "warning"), ("unreadable", "error")]
    assert results == [(rule, level, rule) for rule, level in names]
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    assert places[0] == {
        "artifactLocation": {"uri": "bad%20one.yaml"}, "region": {"startLine": 3, "startColumn": 22}
    }  # fmt: skip
    assert places[2] == {"artifactLocation": {"uri": "none.yaml"}}
    assert json.loads(cli("validate", "plan.yaml", "--format", "sarif").out)["runs"][0]["results"] == []


def test_problems_as_a_summary(cli: Cli) -> None:
    cli.files({"bad.yaml": "goal: g\nsteps: [{id: 1, tool: t, '<b>|x': 1}]\n"})
    told = cli("validate", "bad.yaml", "--format", "markdown").out
    assert told.startswith("## replanctl validate\n\n1 error and 0 warnings in 1 file.\n\n| place |")
    assert "<b>" not in told and told.splitlines()[-1].count("|") == 4


def test_a_file_that_is_named_beside_its_plan_is_told_once(cli: Cli) -> None:
    cli.files({"plan.outcomes.yaml": "outcomes: [{returns: [no]}]\n"})
    assert cli("validate", "plan.yaml", "plan.outcomes.yaml").out.count("bad-choice") == 1
