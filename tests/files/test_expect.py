"""`expect:` blocks that no result can ever meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from replanctl.files import check_plan
from tests.files.case import STEPS, found

POSSIBLE = [
    "{}",
    "{exit: 1, status: failed, reason: escalated}",
    "{versions: 2, replans: 2, gaps: 0, routes: '<= 3'}",
    "{exit: '!= 0', status: '!= failed', seconds: '<= 3.5', goal: anything}",
    "{handover: null, run: null}",
    "{handover: {gate: {gate: max_steps, limit: 7, reading: '> 7'}, clean_results: {E1: {user: rito}}}}",
    "{versions: [{version: v1, steps: [{state: done}, {}]}, {granularity: tail}]}",
    "{variables: {E1: {value: {rows: [1]}, health: '!= void'}}}",
    "{history: [{result: [1, 2], error: {error_type: semantic}}]}",
]
IMPOSSIBLE: list[tuple[str, str, str, str]] = [  # the block, the rule, where, and what is said
    ("{reasn: goal_met}", "unknown-key", "reasn", "did you mean reason?"),
    ("{exit: 99}", "never-met", "99", "it can be 0, 1"),
    ("{exit: true}", "never-met", "true", "it can be 0, 1"),
    ("{reason: goal_mett}", "never-met", "goal_mett", "did you mean goal_met?"),
    ("{status: '!= fail'}", "never-met", "'!= fail'", "did you mean failed?"),
    ("{status: '< failed'}", "never-met", "'< failed'", "it can be completed, failed"),
    ("{versions: -1}", "never-met", "-1", "a list, or how many are in it"),
    ("{versions: two}", "never-met", "two", "a list, or how many are in it"),
    ("{replans: many}", "never-met", "many", "it can be integer"),
    ("{seconds: fast}", "never-met", "fast", "it can be number"),
    ("{seconds: '<= fast'}", "never-met", "'<= fast'", "it can be number"),
    ("{routes: {}}", "never-met", "{}", "a list, or how many are in it"),
    ("{goal: [a]}", "never-met", "[a]", "it can be string"),
    ("{goal: 1}", "never-met", "1", "it can be string"),
    ("{handover: {gates: {}}}", "unknown-key", "gates", "did you mean gate?"),
    ("{versions: [{version: 1}]}", "never-met", "1", "text such as"),
    ("{versions: [{steps: [{sate: done}]}]}", "unknown-key", "sate", "did you mean state?"),
    ("{variables: {E1: {health: bad}}}", "never-met", "bad", "it can be clean, stale, void"),
]


def told(tmp_path: Path, block: str) -> list[tuple[str, int, str]]:
    path = tmp_path / "plan.yaml"
    path.write_text(f"{STEPS}expect: {block}\n", encoding="utf-8")
    return [(each.rule, each.column, f"{each.message} {each.hint}") for each in check_plan(path)]


@pytest.mark.parametrize("block", POSSIBLE)
def test_what_a_result_may_be(block: str, tmp_path: Path) -> None:
    assert told(tmp_path, block) == []


@pytest.mark.parametrize(("block", "rule", "at", "words"), IMPOSSIBLE)
def test_what_it_never_is(block: str, rule: str, at: str, words: str, tmp_path: Path) -> None:
    ((got, column, said),) = told(tmp_path, block)
    assert (got, column) == (rule, len("expect: ") + block.index(at) + 1)
    assert words in said
    assert found(f"{STEPS}expect: {block}\n") == []  # a run asks nothing of its result


def test_a_block_in_a_file_of_outcomes_is_checked_too(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(STEPS, encoding="utf-8")
    (tmp_path / "plan.outcomes.yaml").write_text("outcomes: []\nexpect: {reasn: x}\n", encoding="utf-8")
    ((problem),) = check_plan(tmp_path / "plan.yaml")
    assert (Path(problem.file).name, problem.rule) == ("plan.outcomes.yaml", "unknown-key")
