"""`run`: where its inputs come from, what the flags change, and where the result goes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl import __version__
from replanctl.plan.model import Granularity
from replanctl.replan.gates import GateLimits, Preset
from replanctl.run.policy import Mode, Policy
from replanctl.run.result import SessionResult
from replanctl.store import RunRow, RunStatus, SourceText, Store
from tests.cli.conftest import DENIED, NOW, PLAN, SHAPE, Cli, Done

# Flags, and what they make of the default policy.
FLAGS: list[tuple[list[str], Mapping[str, Any]]] = [
    ([], {}),
    (["--mode", "rewoo"], {"mode": Mode.REWOO}),
    (["--max-parallel", "4"], {"max_parallel": 4}),
    (["--granularity", "global"], {"routing": {"force": Granularity.GLOBAL}}),
    (["--preset", "anchored"], {"gates": {"preset": Preset.ANCHORED}}),
    (["--per-step", "1"], {"gates": {"per_step": 1}}),
    (["--max-replans", "0"], {"gates": {"max_replans": 0}}),
    (["--max-replan-tokens", "none"], {"gates": {"max_replan_tokens": None}}),
    (["--max-steps", "9", "--max-tool-calls", "8"], {"gates": {"max_steps": 9, "max_tool_calls": 8}}),
    (["--max-seconds", "2m"], {"gates": {"max_seconds": 120.0}}),
    (["--max-seconds", "90.5"], {"gates": {"max_seconds": 90.5}}),
    (["--max-repeat", "2"], {"gates": {"max_repeat": 2}}),
]


def changed(changes: Mapping[str, Any]) -> Policy:
    policy = Policy()
    parts = {
        name: msgspec.structs.replace(getattr(policy, name), **value) if isinstance(value, dict) else value
        for name, value in changes.items()
    }
    return msgspec.structs.replace(policy, **parts)


@pytest.mark.parametrize(("flags", "changes"), FLAGS, ids=lambda value: str(value)[:40])
def test_flags_go_on_top_of_the_policy(cli: Cli, flags: list[str], changes: Mapping[str, Any]) -> None:
    assert cli("run", "plan.yaml", "-q", *flags).code == 0
    with Store.open(cli.store) as store:
        assert store.inputs(1).policy == changed(changes)


def test_a_policy_file_replaces_the_plans_own_and_flags_go_on_top(cli: Cli) -> None:
    cli.files({
        "strict.yaml": "policy: {gates: {max_steps: 3, max_replans: 1}}\n",
        "own.yaml": f"{PLAN}policy: {{gates: {{max_steps: 50, per_step: 9}}}}\n",
    })  # fmt: skip
    assert cli("run", "own.yaml", "--policy", "strict.yaml", "--max-replans", "2", "-q").code == 0
    with Store.open(cli.store) as store:
        assert store.inputs(1).policy.gates == GateLimits(max_steps=3, max_replans=2)


def document(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_outcomes_come_from_a_file_from_beside_or_from_nowhere(cli: Cli) -> None:
    own = document(cli("run", "plan.yaml", "--format", "json"))
    given = document(cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--format", "json"))
    cli.files({"plan.outcomes.yaml": DENIED})
    beside = document(cli("run", "plan.yaml", "--format", "json"))
    assert [(each["run"], each["reason"], len(each["versions"])) for each in (own, given, beside)] == [
        (1, "goal_met", 1),
        (2, "goal_met", 2),
        (3, "escalated", 1),
    ]


def test_a_run_is_kept_with_all_it_came_from(cli: Cli) -> None:
    done = cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--format", "json", "--max-replans", "4")
    assert done.err == ""
    with Store.open(cli.store) as store:
        result = store.result(1)
        assert store.document(1) == done.out.encode().rstrip(b"\n")
        assert store.runs() == [
            RunRow(
                1, NOW, "find the price", RunStatus.COMPLETED, "goal_met", result.seconds, 2, result.ledger.totals.all
            )
        ]
        inputs = store.inputs(1)
        assert inputs.sources == (SourceText("plan.yaml", "plan", PLAN), SourceText("shape.yaml", "outcomes", SHAPE))
        assert (inputs.policy.gates, inputs.lessons, inputs.made_by) == (GateLimits(max_replans=4), (), __version__)


def test_the_lines_are_the_stored_events_and_make_the_document(cli: Cli) -> None:
    lines = cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--format", "jsonl").out.splitlines()
    with Store.open(cli.store) as store:
        assert [line.decode() for line in store.event_lines(1)] == lines
        assert msgspec.json.decode(store.document(1) or b"", type=SessionResult).status == "completed"
    assert [json.loads(line)["seq"] for line in lines] == list(range(len(lines)))


def test_the_same_inputs_give_the_same_bytes(cli: Cli) -> None:
    words = ["run", "plan.yaml", "--outcomes", "shape.yaml", "--no-store", "--format"]
    for form in ("json", "jsonl", "text"):
        assert cli(*words, form) == cli(*words, form)
    assert not cli.store.exists()


def test_a_plan_from_standard_input(cli: Cli) -> None:
    done = cli("run", "-", "--format", "json", stdin=PLAN)
    assert (done.code, document(done)["goal"]) == (0, "find the price")
    refused = cli("run", "-", stdin="goal: x\nsteps: {}\n")
    assert refused.code == 2
    assert refused.err.startswith("<stdin>:2:8: error [")


def test_lessons_carry_from_run_to_run(cli: Cli) -> None:
    words = ["run", "plan.yaml", "--outcomes", "shape.yaml", "--lessons", "book.yaml", "--format", "json"]
    first, second = document(cli(*words)), document(cli(*words))
    assert [lesson["count"] for lesson in first["lessons"]] == [1]
    assert [lesson["count"] for lesson in second["lessons"]] == [2]
    with Store.open(cli.store) as store:
        assert [lesson.count for lesson in store.inputs(2).lessons] == [1]


def test_quiet_is_one_line(cli: Cli) -> None:
    done = cli("run", "plan.yaml", "-q")
    assert done.out.startswith("Goal met")
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_result_goes_into_a_file_whole(cli: Cli, form: str) -> None:
    expected = cli("run", "plan.yaml", "--no-store", "--format", form).out
    Path("out").write_text("before")
    Path("out").chmod(0o640)
    Path("link").symlink_to("out")
    assert cli("run", "plan.yaml", "--no-store", "--format", form, "-o", "link") == Done(0, "", "")
    assert Path("link").is_symlink()
    assert (Path("out").read_text(encoding="utf-8"), Path("out").stat().st_mode & 0o777) == (expected, 0o640)
    assert not list(Path().glob(".*draft"))


def test_a_result_that_fails_leaves_the_file_as_it_was(cli: Cli) -> None:
    def stumble() -> str:
        raise RuntimeError

    Path("out").write_text("before")
    cli.now = stumble
    assert cli("run", "plan.yaml", "-o", "out").code == 70
    assert Path("out").read_text() == "before"
    assert not list(Path().glob(".*draft"))


def test_a_result_can_go_to_what_is_no_file(cli: Cli) -> None:
    assert cli("run", "plan.yaml", "--no-store", "-o", os.devnull) == Done(0, "", "")
    assert cli("run", "plan.yaml", "--no-store", "--format", "json", "-o", "-").out.startswith("{")


def test_nothing_is_kept_of_an_invalid_run(cli: Cli) -> None:
    cli.files({"bad.yaml": "goal: x\nsteps: [{id: 1}]\n", "worse.yaml": "outcomes: [{match: {stp: 1}}]\n"})
    for words in (["bad.yaml"], ["plan.yaml", "--outcomes", "worse.yaml"], ["plan.yaml", "--policy", "none.yaml"]):
        done = cli("run", *words)
        assert (done.code, done.out) == (2, "")
        assert done.err
    assert not cli.store.exists()
