"""`diff 1 2`: two runs as wholes, verdict, routes and cost beside their last plans."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import DENIED, Cli
from tests.show.golden import assert_golden

CHINESE = """\
goal: 比较三家云厂商
steps:
  - {id: 1, action: 查询厂商甲的单价, tool: 查价}
  - {id: 2, action: 查询厂商乙的单价, tool: 查价}
  - {id: 3, action: 写一份带小数的报告, tool: 写, args: {正文: "#E2"}}
outcomes:
  - match: {step: 2}
    returns: [{status: semantic, message: 不是单价}, {status: ok, value: 7}]
  - match: {step: 3}
    returns: [{status: shape, message: 表太长, cause: 表格超过了一页}, {status: ok, value: 好}]
"""


@pytest.fixture
def stored(cli: Cli) -> Cli:
    """A store with five runs: as planned, replanned, handed over, the second once more, and a Chinese one."""
    cli.files({"中文计划-很长的文件名.yaml": CHINESE, "denied.yaml": DENIED})
    for words in (
        ("plan.yaml",),
        ("plan.yaml", "--outcomes", "shape.yaml"),
        ("plan.yaml", "--outcomes", "denied.yaml"),
        ("plan.yaml", "--outcomes", "shape.yaml"),
        ("中文计划-很长的文件名.yaml",),
    ):
        cli("run", *words, "-q")
    return cli


PAIRS = {"replanned": ("1", "2"), "handed-over": ("2", "3"), "same": ("2", "4"), "chinese": ("2", "5")}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("name", PAIRS)
def test_text(stored: Cli, name: str, columns: int) -> None:
    stored.environ["COLUMNS"] = str(columns)
    done = stored("diff", *PAIRS[name])
    assert (done.code, done.err) == (0, "")
    assert_golden(f"diff-runs-{name}-{columns}", done.out)


def test_markdown(stored: Cli) -> None:
    assert_golden("diff-runs-markdown", stored("diff", "2", "5", "--format", "markdown").out)


def test_json_has_both_sides_and_the_routes(stored: Cli) -> None:
    document = json.loads(stored("diff", "2", "3", "--format", "json").out)
    keys = ("run", "plan", "status", "reason", "tokens")
    assert [[side[key] for key in keys] for side in document["runs"]] == [
        [2, "plan.yaml", "completed", "goal_met", 1505],
        [3, "plan.yaml", "failed", "escalated", 700],
    ]
    assert document["routes"] == [
        {"mark": "-", "step_id": "2", "error_type": "assumption", "rule": "small-radius", "granularity": "patch"},
        {"mark": "+", "step_id": "2", "error_type": "permission", "rule": "permission", "granularity": "none"},
    ]
    assert (document["from"], document["to"]) == ("2:v2", "3:v1")
    for side in document["runs"]:
        result = json.loads(stored("show", str(side["run"]), "--format", "json").out)
        assert side["main"] + side["remedy"] == side["tokens"] == result["ledger"]["totals"]["all"]
        assert side["executions"] == sum(row["status"] != "skipped" for row in result["history"])
        assert side["seconds"] == result["seconds"]


# A run is compared as a whole only with another one that is named so too.
ALONE = [("1", "2:v1"), ("1:v1", "2"), ("v1", "2"), ("1", "plan.yaml")]


@pytest.mark.parametrize("sides", ALONE)
def test_beside_a_version_or_a_file_a_run_is_its_last_plan(stored: Cli, sides: tuple[str, str]) -> None:
    assert "runs" not in json.loads(stored("diff", *sides, "--format", "json").out)
    assert "tokens" not in stored("diff", *sides).out


CODES = [("1", "2", 1), ("2", "4", 0), ("1", "1", 0), ("2:v2", "4:v2", 0)]


@pytest.mark.parametrize(("old", "new", "code"), CODES)
def test_exit_code(stored: Cli, old: str, new: str, code: int) -> None:
    assert stored("diff", old, new, "--exit-code").code == code


def test_runs_with_the_same_last_plan_differ_by_what_they_came_to(cli: Cli) -> None:
    cli.files({"slow.yaml": "outcomes: [{match: {step: 1}, returns: [{status: ok, latency: 9s}]}]\n"})
    cli("run", "plan.yaml", "-q")
    cli("run", "plan.yaml", "--outcomes", "slow.yaml", "-q")
    assert cli("diff", "1:v1", "2:v1", "--exit-code").code == 0
    assert cli("diff", "1", "2", "--exit-code").code == 1
