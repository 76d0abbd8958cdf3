"""`coupling`: the table, and the file it is put into."""

from __future__ import annotations

import json

import pytest

from replanctl.files import load_plan
from tests.cli.conftest import Cli, Done

# Two sources of one summary; step 2 says more than the test calls for.
PLAN = """\
goal: compare  # two
steps:
  - id: 1  # the first
    tool: look
    depends_on: []

  - {id: 2, tool: look, depends_on: [], on_failure: abort}
  - {id: summary, tool: write,
     depends_on: [1, 2]}
"""
WRITTEN = """\
goal: compare  # two
steps:
  - id: 1  # the first
    tool: look
    depends_on: []
    on_failure: defer

  - {id: 2, tool: look, depends_on: [], on_failure: abort}
  - {id: summary, tool: write,
     depends_on: [1, 2], on_failure: replan}
"""
TABLE = """\
  step     rest on it  paralysed  coupling    calls for   the file says
  1                 1          0  weak        defer       –
  2                 1          0  weak        defer       abort
  summary           0          0  strong      replan      –
"""


@pytest.fixture
def cli_with_plan(cli: Cli) -> Cli:
    cli.files({"pair.yaml": PLAN})
    return cli


def test_the_table(cli_with_plan: Cli) -> None:
    note = "2 steps say nothing: --write puts the answer into the file\n"
    assert cli_with_plan("coupling", "pair.yaml") == Done(0, TABLE, note)
    assert cli_with_plan("coupling", "-", stdin=PLAN) == Done(0, TABLE, note)
    assert cli_with_plan("coupling", "pair.yaml", "-q") == Done(0, TABLE, "")
    assert (cli_with_plan.folder / "pair.yaml").read_text() == PLAN


def test_the_document(cli_with_plan: Cli) -> None:
    done = cli_with_plan("coupling", "pair.yaml", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == {
        "schema_version": 1,
        "steps": [
            {"step_id": "1", "dependents": 1, "paralysed": 0, "coupling": "weak", "on_failure": "defer", "said": None},
            {"step_id": "2", "dependents": 1, "paralysed": 0, "coupling": "weak", "on_failure": "defer",
             "said": "abort"},
            {"step_id": "summary", "dependents": 0, "paralysed": 0, "coupling": "strong", "on_failure": "replan",
             "said": None},
        ],
    }  # fmt: skip


def test_what_is_written_is_written_once(cli_with_plan: Cli) -> None:
    file = cli_with_plan.folder / "pair.yaml"
    assert cli_with_plan("coupling", "pair.yaml", "--write") == Done(
        0, TABLE, "wrote on_failure into 2 steps of pair.yaml\n"
    )
    assert file.read_text() == WRITTEN
    assert [step.on_failure for step in load_plan(file).steps] == ["defer", "abort", "replan"]
    before = file.stat().st_mtime_ns, file.stat().st_ino
    again = cli_with_plan("coupling", "pair.yaml", "--write")
    assert (again.code, again.err) == (0, "every step says its on_failure: there is nothing to write\n")
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "denied.yaml",
        "pair.yaml",
        "plan.yaml",
        "shape.yaml",
    ]


def test_a_plan_that_is_wrong_is_not_touched(cli_with_plan: Cli) -> None:
    cli_with_plan.files({"bad.yaml": PLAN.replace("[1, 2]", "[1, 3]")})
    done = cli_with_plan("coupling", "bad.yaml", "--write")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bad.yaml:9:22: error [unknown-dependency] step summary depends on 3")


def test_standard_input_can_not_be_written(cli_with_plan: Cli) -> None:
    assert cli_with_plan("coupling", "-", "--write", stdin=PLAN) == Done(
        2, "", "replanctl: standard input can't be written to\n  name the plan's file\n"
    )
