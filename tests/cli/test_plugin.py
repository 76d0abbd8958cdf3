"""The pytest plugin, in a project of its own: what it collects, what it leaves alone, and the fixture `rehearse`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import PLAN, SHAPE
from tests.conftest import ROOT
from tests.pace import PATIENCE
from tests.pages import read

# Where the package was installed before it had the entry point, the module is named instead.
NAMED = [] if entry_points(group="pytest11", name="replanctl") else ["-p", "replanctl.cli.plugin"]
DENIED = "outcomes: [{match: {step: 2}, returns: [denied]}]"
SCENARIO = f"scenarios: {{denied: {{{DENIED}, expect: {{exit: 1}}}}}}\n"

PROJECT = {
    "plans/good.yaml": f"{PLAN}expect: {{reason: goal_met}}\n{SCENARIO}",
    "plans/wrong.yaml": f"{PLAN}{DENIED}\nexpect: {{reason: goal_met}}\n",
    "plans/silent.yaml": PLAN,
    "plans/made.yaml": f"{PLAN}recorded: {{kind: messages, end: completed}}\n",
    "plans/endless.yaml": f"{PLAN}recorded: {{kind: messages}}\n",
}
FOREIGN = {
    "ci.yaml": "on: push\njobs: {test: {steps: [{run: pytest}], expect: {goal: x}}}\n",
    "api.tavern.yaml": "goal: [ not, our, goal\nexpect: {status: 200}\n",
    "values.yml": "plan: gold\nexpect: {seats: 3}\noutcomes_of: x\n",
    "broken.yaml": "expect: [\n",
    "compose.yaml": "services: {db: {expect: 1}}\n",
    "bytes.yaml": "x: \udcff\nexpect: 1\n",
}


class Done(NamedTuple):
    code: int
    out: str

    @property
    def counts(self) -> str:
        """The last line without its rule and its time."""
        return self.out.strip().splitlines()[-1].strip("= ").partition(" in ")[0]


class Project:
    """A project of somebody who uses pytest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="surrogateescape")

    def pytest(self, *words: str) -> Done:
        """Run pytest in it, as a user would."""
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *NAMED, *words]
        done = subprocess.run(command, cwd=self.folder, env=environ, capture_output=True, text=True, timeout=PATIENCE)
        return Done(done.returncode, done.stdout + done.stderr)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write({"pytest.ini": "[pytest]\n", **PROJECT})
    return made


def test_rehearsals_are_collected_and_known_by_name(project: Project) -> None:
    done = project.pytest("plans", "-v", "-p", "no:xdist")
    assert (done.code, done.counts) == (1, "1 failed, 3 passed")
    for name in ("good.yaml::good", "good.yaml::good[denied]", "made.yaml::made"):
        assert f"plans/{name} PASSED" in done.out
    assert project.pytest("plans", "-k", "good and not denied").counts == "1 passed, 3 deselected"
    assert project.pytest("plans/good.yaml::good[denied]").counts == "1 passed"
    assert project.pytest("plans/silent.yaml").code == 5


def test_a_failure_tells_what_came_and_the_story_behind_it(project: Project) -> None:
    done = project.pytest("plans/wrong.yaml")
    assert 'reason: expected "goal_met", got "escalated"' in done.out
    assert "  ✗ step 2: failed" in done.out
    assert "class   permission: denied" in done.out
    assert "Traceback" not in done.out


def test_the_usual_flags_work(project: Project) -> None:
    stopped = project.pytest("plans", "-x", "--junitxml", "report.xml")
    assert "1 failed" in stopped.counts and "stopping after 1 failures" in stopped.out
    assert '<testcase classname="plans.wrong.yaml" name="wrong"' in (project.folder / "report.xml").read_text()
    assert project.pytest("plans", "-n", "2").counts == "1 failed, 3 passed"


def test_what_is_not_ours_is_left_alone(project: Project) -> None:
    project.write({f"data/{name}": text for name, text in FOREIGN.items()})
    project.write({"test_own.py": "def test_own(): pass\n"})
    assert project.pytest("data", "test_own.py").counts == "1 passed"
    assert project.pytest(".", "--ignore=plans").counts == "1 passed"


def test_one_of_ours_that_is_wrong_is_an_error_with_its_place(project: Project) -> None:
    project.write({"plans/broken.yaml": f"{PLAN}expect: {{status: completed}}\npolicy: {{mode: fast}}\n"})
    done = project.pytest("plans/broken.yaml")
    assert done.code == 2
    assert "broken.yaml:7:16: error [bad-choice]" in done.out


def test_a_project_without_rehearsals_loads_nothing_of_us(project: Project) -> None:
    seen = "print('LOADED', sorted(m for m in sys.modules if m.startswith(('replanctl', 'yaml', 'msgspec', 'rich'))))"
    project.write({"tests/ci.yaml": FOREIGN["ci.yaml"], "tests/values.yaml": "steps: [a]\nexpect: 1\n"})
    project.write({"tests/test_own.py": f"import sys\ndef test_own():\n    {seen}\n"})
    done = project.pytest("tests", "-s")
    loaded = next(line for line in done.out.splitlines() if "LOADED" in line)
    assert "['replanctl', 'replanctl.cli', 'replanctl.cli.plugin']" in loaded


def test_the_entry_point_is_the_plugin() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nreplanctl = "replanctl.cli.plugin"\n' in text


TESTS = """\
import pytest
from replanctl import InputError, UsageError

def test_plain(rehearse):
    session = rehearse("plans/silent.yaml")
    session.expect(reason="goal_met", replans=0)
    assert session.status == "completed"
    assert session == {"exit": 0}
    assert session != {"exit": 1}

def test_under_a_policy(rehearse):
    rehearse("plans/silent.yaml", outcomes="shape.yaml").expect(replans=1)
    rehearse("plans/silent.yaml", outcomes="shape.yaml", max_replans=0).expect(reason="replan_budget")
    rehearse("plans/silent.yaml", faults=["1=timeout:always"]).expect(reason="escalated")
    rehearse("plans/good.yaml", scenario="denied", mode="replan").expect(exit=1)

def test_what_is_wrong(rehearse):
    with pytest.raises(UsageError, match="max_replan is no limit"):
        rehearse("plans/silent.yaml", max_replan=1)
    with pytest.raises(UsageError, match="has no scenario late"):
        rehearse("plans/good.yaml", scenario="late")
    with pytest.raises(InputError):
        rehearse("plans/none.yaml")

def test_real_tools(rehearse):
    rehearse("plans/silent.yaml", tools="mytools:TOOLS").expect(variables={"E1": {"value": "seen a"}})
"""
TOOLS = "TOOLS = {'look': lambda at: f'seen {at}', 'write': lambda text: text}\n"


def test_a_plan_is_rehearsed_in_a_test(project: Project) -> None:
    project.write({"test_it.py": TESTS, "shape.yaml": SHAPE, "mytools.py": TOOLS})
    assert project.pytest("test_it.py").counts == "4 passed"


FAILING = """\
def test_expect(rehearse):
    rehearse("plans/wrong.yaml").expect(variables={"E1": {"value": 7}})

def test_equal(rehearse):
    assert rehearse("plans/wrong.yaml") == {"reason": "goal_met"}
"""


def test_an_assertion_that_fails_tells_the_steps_story(project: Project) -> None:
    project.write({"test_it.py": FAILING})
    done = project.pytest("test_it.py")
    assert done.counts == "2 failed"
    first, second = done.out.split("test_equal", 1)
    assert 'variables.E1.value: expected 7, got "ok"' in first and "step 1: done" in first
    assert 'reason: expected "goal_met", got "escalated"' in second and "step 2: failed" in second
    assert "rehearsed.py" not in done.out  # the lines shown are the test's own


def test_the_example_of_the_page_on_testing_is_true(project: Project) -> None:
    example = read("testing").partition("# file: test_vendors.py\n")[2].partition("```")[0]
    project.write({f"plans/{path.name}": path.read_text(encoding="utf-8") for path in ROOT.glob("plans/vendors*.yaml")})
    project.write({"test_vendors.py": example})
    assert project.pytest("test_vendors.py").counts == "1 passed"
