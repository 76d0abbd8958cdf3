"""`resume`: after every kind of stop, with the change that a person would make."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from replanctl.store import RunStatus, Store
from tests.cli.conftest import Cli, Done
from tests.test_cases import PLANS

# Three independent looks, and a report that rests on them.
SURVEY = """\
goal: survey
tools: {look: {}, other: {}, slow: {timeout: 100s}, write: {}}
steps:
  - {id: 1, tool: look, args: {at: a}, depends_on: []}
  - {id: 2, tool: look, args: {at: b}, depends_on: []}
  - {id: 3, tool: slow, args: {at: c}, depends_on: []}
  - {id: 4, tool: write, args: {from: ["#E1", "#E2", "#E3"]}, depends_on: [1, 2, 3]}
"""
# Its planner goes back and forth between two tools.
CIRCLES = f"""{SURVEY}
planner:
  - {{when: {{error: dead}}, steps: [{{id: 2, action: look, tool: other, args: {{at: b}}, depends_on: []}}]}}
  - {{when: {{error: gone}}, steps: [{{id: 2, action: look, tool: look, args: {{at: b, again: yes}}, depends_on: []}}]}}
"""
OUTCOMES = {
    "wrong": "[{match: {step: 2}, returns: [{status: shape}, {status: shape}, {status: shape}, {status: shape}, ok]}]",
    "busy": "[{match: {step: 1}, returns: [rate_limited, rate_limited, ok]},"
    " {match: {step: 3}, returns: [{status: ok, latency: 50s}]}]",
    "late": "[{match: {step: 1}, returns: [{status: rate_limited, retry_after: 20s}, ok]},"
    " {match: {step: 2}, returns: [{status: ok, latency: 8s}]},"
    " {match: {step: 3}, returns: [{status: ok, latency: 50s}]}]",
    "turn": "[]\ninterruptions: [{after: 1, goal: another}]",
    "circle": "[{match: {tool: look, args: {at: b}}, returns: [{status: shape, message: dead}, ok]},"
    " {match: {tool: other}, returns: [{status: shape, message: gone}]}]",
}
SIDE_BY_SIDE = ["--max-parallel", "3"]

# The reason of a stop, plan and outcomes, what stops it, what raises the limit, and the same limit from the start.
Gate = tuple[str, str, str, list[str], list[str], list[str]]
GATES: list[Gate] = [
    ("replan_budget", SURVEY, "wrong", ["--max-replans", "2", "--per-step", "9"], ["--max-replans", "+2"],
     ["--max-replans", "4", "--per-step", "9"]),
    ("token_budget", SURVEY, "wrong", ["--max-replan-tokens", "900", "--per-step", "9"],
     ["--max-replan-tokens", "+10000"], ["--max-replan-tokens", "10900", "--per-step", "9"]),
    ("step_budget", SURVEY, "busy", ["--max-steps", "3"], ["--max-steps", "+6"], ["--max-steps", "9"]),
    ("step_budget", SURVEY, "busy", ["--max-steps", "0"], ["--max-steps", "none"], ["--max-steps", "none"]),
    ("step_budget", SURVEY, "wrong", ["--max-steps", "6", "--per-step", "9"], ["--max-steps", "+6"],
     ["--max-steps", "12", "--per-step", "9"]),
    ("tool_call_budget", SURVEY, "busy", ["--max-tool-calls", "4"], ["--max-tool-calls", "+6"],
     ["--max-tool-calls", "10"]),
    ("tool_call_budget", SURVEY, "busy", ["--max-tool-calls", "2"], ["--max-tool-calls", "6"],
     ["--max-tool-calls", "6"]),
    ("tool_call_budget", SURVEY, "busy", ["--max-tool-calls", "4", *SIDE_BY_SIDE], ["--max-tool-calls", "+2"],
     ["--max-tool-calls", "6", *SIDE_BY_SIDE]),
    ("session_token_budget", SURVEY, "busy", ["--max-tokens", "1200"], ["--max-tokens", "+10000"],
     ["--max-tokens", "11200"]),
    ("session_token_budget", SURVEY, "busy", ["--max-tokens", "1200", *SIDE_BY_SIDE], ["--max-tokens", "9000"],
     ["--max-tokens", "9000", *SIDE_BY_SIDE]),
    ("session_token_budget", SURVEY, "busy", ["--max-tokens", "0"], ["--max-tokens", "+9000"],
     ["--max-tokens", "9000"]),
    ("session_token_budget", SURVEY, "turn", ["--max-tokens", "1500"], ["--max-tokens", "+9000"],
     ["--max-tokens", "10500"]),
    ("time_budget", SURVEY, "busy", ["--max-seconds", "6"], ["--max-seconds", "+1m"], ["--max-seconds", "66"]),
    ("time_budget", SURVEY, "busy", ["--max-seconds", "2"], ["--max-seconds", "+1m"], ["--max-seconds", "62"]),
    ("time_budget", SURVEY, "busy", ["--max-seconds", "20"], ["--max-seconds", "none"], ["--max-seconds", "none"]),
    ("time_budget", SURVEY, "late", ["--max-seconds", "10", *SIDE_BY_SIDE], ["--max-seconds", "+1m"],
     ["--max-seconds", "70", *SIDE_BY_SIDE]),
    ("time_budget", SURVEY, "late", ["--max-seconds", "10", "--max-parallel", "2"], ["--max-seconds", "+1m"],
     ["--max-seconds", "70", "--max-parallel", "2"]),
    ("replan_budget", SURVEY, "turn", ["--max-replans", "0"], ["--max-replans", "+1"], ["--max-replans", "1"]),
    ("token_budget", SURVEY, "turn", ["--max-replan-tokens", "0"], ["--max-replan-tokens", "none"],
     ["--max-replan-tokens", "none"]),
    ("step_budget", SURVEY, "turn", ["--max-steps", "4"], ["--max-steps", "5"], ["--max-steps", "5"]),
    ("oscillation", CIRCLES, "circle", ["--granularity", "patch"], ["--max-repeat", "+1"],
     ["--max-repeat", "2", "--granularity", "patch"]),
]  # fmt: skip


@pytest.fixture(autouse=True)
def survey(cli: Cli) -> None:
    cli.files({f"{name}.yaml": f"outcomes: {rules}\n" for name, rules in OUTCOMES.items()})


def document(done: Done) -> dict[str, Any]:
    assert done.err == ""
    found: dict[str, Any] = json.loads(done.out)
    assert done.code == (found["status"] != "completed")
    return found


def story(cli: Cli, run: int) -> list[dict[str, Any]]:
    """The stored events of a run, but for the limits in force."""
    with Store.open(cli.store) as store:
        events = [json.loads(line) for line in store.event_lines(run)]
    return [{name: value for name, value in event.items() if name not in ("limit", "limits")} for event in events]


def unlimited(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result but for its number and the limits in force."""
    gates = [{**gate, "limit": None} for gate in result["gates"]]
    return {**result, "run": None, "gates": gates}


@pytest.mark.parametrize(("reason", "plan", "outcomes", "before", "raised", "whole"), GATES, ids=lambda v: str(v)[:40])
def test_a_raised_limit_goes_on_as_if_it_had_been_there_from_the_start(
    cli: Cli, reason: str, plan: str, outcomes: str, before: list[str], raised: list[str], whole: list[str]
) -> None:
    words = ["run", "-", "--outcomes", f"{outcomes}.yaml", "--format", "json"]
    assert document(cli(*words, *before, stdin=plan))["reason"] == reason
    resumed = document(cli("resume", "--format", "json", *raised))
    uninterrupted = document(cli(*words, *whole, stdin=plan))
    assert (resumed["run"], resumed["status"]) == (1, "completed")
    assert unlimited(resumed) == unlimited(uninterrupted)
    assert story(cli, 1) == story(cli, 2)
    assert cli("replay", "1").code == 0


@pytest.mark.parametrize(("reason", "plan", "outcomes", "before", "raised", "whole"), GATES, ids=lambda v: str(v)[:40])
def test_without_a_change_a_gate_stops_in_the_same_place(
    cli: Cli, reason: str, plan: str, outcomes: str, before: list[str], raised: list[str], whole: list[str]
) -> None:
    stopped = cli("run", "-", "--outcomes", f"{outcomes}.yaml", "--format", "json", *before, stdin=plan)
    assert cli("resume", "--format", "json") == stopped
    assert document(stopped)["reason"] == reason


# Two lines of work that meet at the end; what step 2 finds decides how it ends.
LINES = """\
goal: lines
assumptions: {open: anybody may look}
tools: {look: {}, other: {}, write: {}, send: {}}
steps:
  - {id: 1, tool: look, args: {at: a}, depends_on: []}
  - {id: 2, tool: look, args: {at: b}, depends_on: [], on_failure: FATE}
  - {id: 3, tool: write, args: {from: "#E2"}, depends_on: [2]}
  - {id: 4, tool: look, args: {at: c}, depends_on: [], assumes: [open]}
  - {id: 5, tool: send, args: {both: ["#E1", "#E3"]}, depends_on: [1, 3]}
"""
FATE = LINES.replace
GIVES_UP = f"""{FATE("FATE", "replan")}
planner:
  - {{when: {{granularity: global}}, steps: [{{id: s, tool: other, depends_on: []}}, {{id: t, tool: send}}]}}
  - {{otherwise: give_up}}
policy: {{routing: {{patch_radius: 9}}}}
"""
FORCED = f"{FATE('FATE', 'replan')}policy: {{routing: {{overrides: {{'2': patch}}}}}}\n"
OTHER_WAY = FATE("FATE", "replan, alternatives: [{tool: other}]")
TWO_ABORTS = FATE("FATE", "abort").replace("depends_on: [], assumes", "depends_on: [], on_failure: abort, assumes")
REQUIRED = f"{FATE('FATE', 'skip')}policy: {{solver: {{require: [E3]}}}}\n"
REWOO = f"{FATE('FATE', 'defer')}policy: {{mode: rewoo, solver: {{min_evidence: 4}}}}\n"
FAILS = {
    "denied": "[{match: {step: 2}, returns: [denied]}]",
    "down": "[{match: {step: 2}, returns: [unavailable]}]",
    "broken": "[{match: {step: 2}, returns: [error]}]",
    "fallen": "[{match: {step: 2}, returns: [{status: unavailable, refutes: [open]}]}]",
    "both": "[{match: {step: 2}, returns: [error]}, {match: {step: 4}, returns: [error]}]",
    "twice": "[{match: {step: 2}, returns: [{status: shape}, {status: shape}, ok]}]",
    "nothing": "[{match: {}, returns: [error]}]",
    "fixed": "[]",
}

# Plan, outcomes and flags of the run, its reason; flags of the resume, its reason; what it executes or skips.
Stop = tuple[str, str, list[str], str, list[str], str, str]
STOPS: list[Stop] = [
    (GIVES_UP, "broken", [], "no_plan", ["--granularity", "global"], "goal_met", "v2 s done, v2 t done"),
    (GIVES_UP, "broken", [], "no_plan", [], "no_plan", ""),
    (FORCED, "denied", [], "escalated", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 5 done"),
    (FATE("FATE", "abort"), "broken", [], "aborted", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 4 done, v2 5 done"),
    (FATE("FATE", "abort"), "broken", [], "aborted", [], "aborted", "v2 2 failed"),
    (TWO_ABORTS, "both", ["--max-parallel", "3"], "aborted", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 4 done, v2 3 done, v2 5 done"),
    (FATE("FATE", "replan"), "down", [], "escalated", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 5 done"),
    (FATE("FATE", "replan"), "denied", [], "escalated", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 5 done"),
    (FATE("FATE", "replan"), "denied", [], "escalated", [], "escalated", "v2 2 failed, v2 3 skipped, v2 5 skipped"),
    (FATE("FATE", "replan"), "fallen", [], "escalated", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 4 done, v2 5 done"),
    (OTHER_WAY, "down", [], "escalated", ["--granularity", "patch"], "goal_met",
     "v2 2 failed, v3 2 done, v3 3 done, v3 5 done"),
    (REQUIRED, "down", [], "insufficient_evidence", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 2 done, v2 3 done, v2 5 done"),
    (REWOO, "down", [], "insufficient_evidence", ["--outcomes", "fixed.yaml"], "goal_met_with_gaps",
     "v2 2 done, v2 3 done"),
    (REWOO, "nothing", [], "insufficient_evidence", ["--outcomes", "fixed.yaml"], "goal_met",
     "v2 1 done, v2 2 done, v2 3 done, v2 4 done, v2 5 done"),
    (SURVEY, "twice", ["--per-step", "1"], "step_breaker", ["--per-step", "+1"], "goal_met",
     "v3 2 done, v3 4 done"),
    (SURVEY, "twice", ["--per-step", "1"], "step_breaker", ["--max-replans", "+1"], "step_breaker", ""),
    (SURVEY, "twice", ["--per-step", "0"], "step_breaker", ["--per-step", "+4", "--granularity", "tail"], "goal_met",
     "v2 2 failed, v3 2 done, v3 5 done"),
    (SURVEY, "twice", ["--max-replans", "1"], "replan_budget", ["--max-replans", "+1", "--granularity", "global"],
     "goal_met", "v3 5 done, v3 6 done, v3 7 done, v3 8 done"),
    (SURVEY, "twice", ["--max-replans", "1"], "replan_budget", ["--granularity", "global"], "replan_budget", ""),
    (SURVEY, "twice", ["--max-replans", "1"], "replan_budget", ["--max-replans", "+1", "--goal", "another"],
     "goal_met", "v3 5 done, v3 6 done, v3 7 done, v3 8 done"),
    (SURVEY, "twice", ["--max-replans", "1"], "replan_budget", ["--max-replans", "+1", "--goal", "survey"],
     "goal_met", "v3 2 done, v3 3 done, v3 5 done"),
]  # fmt: skip


def ends(result: Mapping[str, Any]) -> list[str]:
    return [f"{each['version']} {each['step_id']} {each['status']}" for each in result["history"]]


@pytest.mark.parametrize(
    ("plan", "outcomes", "flags", "reason", "change", "after", "went_on"), STOPS, ids=lambda v: str(v)[:40]
)
def test_what_a_stop_gave_up_goes_on_and_nothing_else(
    cli: Cli, plan: str, outcomes: str, flags: list[str], reason: str, change: list[str], after: str, went_on: str
) -> None:
    cli.files({f"{name}.yaml": f"outcomes: {rules}\n" for name, rules in FAILS.items()})
    stopped = document(cli("run", "-", "--outcomes", f"{outcomes}.yaml", "--format", "json", *flags, stdin=plan))
    before = story(cli, 1)
    resumed = document(cli("resume", "1", "--format", "json", *change))
    assert (stopped["reason"], resumed["reason"]) == (reason, after)
    assert ends(resumed)[: len(ends(stopped))] == ends(stopped)
    assert ", ".join(ends(resumed)[len(ends(stopped)) :]) == went_on
    kept = len(before) - 1  # all that happened but for the end
    assert story(cli, 1)[:kept] == before[:kept]
    assert cli("replay", "1").code == 0


# A planner whose answer to a new goal can't be used: it rests on a step that nobody knows.
STUBBORN = f"""{SURVEY}
planner:
  - {{when: {{goal: another}}, steps: [{{id: s, tool: other, depends_on: [nowhere]}}]}}
  - {{when: {{goal: last}}, steps: [{{id: t, tool: other, depends_on: []}}]}}
"""
WAITING_GOALS: list[tuple[str, list[str], str, str]] = [
    (SURVEY, ["--max-replans", "1"], "another goal_met", "v2 5 done, v2 6 done, v2 7 done, v2 8 done"),
    (SURVEY, ["--max-replans", "1", "--granularity", "tail"], "another goal_met",
     "v2 5 done, v2 6 done, v2 7 done, v2 8 done"),
    (SURVEY, ["--max-replans", "1", "--goal", "another"], "another goal_met",
     "v2 5 done, v2 6 done, v2 7 done, v2 8 done"),
    (SURVEY, ["--max-replans", "1", "--goal", "third"], "third goal_met",
     "v2 5 done, v2 6 done, v2 7 done, v2 8 done"),
    (STUBBORN, ["--max-replans", "2"], "another replan_budget", ""),
    (STUBBORN, ["--max-replans", "2", "--goal", "last"], "last goal_met", "v2 t done"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "change", "after", "went_on"), WAITING_GOALS)
def test_a_changed_goal_that_no_version_answered_is_answered(
    cli: Cli, plan: str, change: list[str], after: str, went_on: str
) -> None:
    words = ["run", "-", "--outcomes", "turn.yaml", "--max-replans", "0", "--format", "json"]
    assert document(cli(*words, stdin=plan))["reason"] == "replan_budget"
    resumed = document(cli("resume", "--format", "json", *change))
    assert f"{resumed['goal']} {resumed['reason']}" == after
    assert ", ".join(ends(resumed)[1:]) == went_on
    assert cli("replay").code == 0


def test_a_goal_may_change_where_no_replan_was_refused(cli: Cli) -> None:
    stopped = document(cli("run", "-", "--max-steps", "2", "--format", "json", stdin=SURVEY))
    resumed = document(cli("resume", "--max-steps", "+4", "--goal", "another", "--format", "json"))
    assert (stopped["reason"], resumed["reason"], resumed["goal"]) == ("step_budget", "goal_met", "another")
    assert ends(resumed) == [
        "v1 1 done", "v1 2 done", "v2 5 done", "v2 6 done", "v2 7 done", "v2 8 done",
    ]  # fmt: skip
    assert [gate["gate"] for gate in resumed["gates"]] == [
        "max_replans",
        "max_replan_tokens",
        "max_repeat",
        "max_steps",
    ]


def test_a_run_may_be_resumed_again_and_again(cli: Cli) -> None:
    words = ["run", "-", "--outcomes", "wrong.yaml", "--per-step", "none", "--format", "json"]
    assert document(cli(*words, "--max-replans", "0", stdin=SURVEY))["reason"] == "replan_budget"
    for taken in range(3):
        resumed = document(cli("resume", "--max-replans", "+1", "--format", "json"))
        assert (resumed["reason"], len(resumed["versions"])) == ("replan_budget", taken + 2)
        assert cli("replay").code == 0
    resumed = document(cli("resume", "--max-replans", "+1", "--format", "json"))
    uninterrupted = document(cli(*words, "--max-replans", "4", stdin=SURVEY))
    assert unlimited(resumed) == unlimited(uninterrupted)
    assert story(cli, 1) == story(cli, 2)


def test_outcomes_given_on_the_way_stand_in_for_the_first_ones(cli: Cli) -> None:
    cli.files({
        "down.yaml": "outcomes: [{match: {step: 2}, returns: [denied]}, {match: {args: {at: z}}, returns: [ok]}]\n",
        "up.yaml": "outcomes: [{match: {args: {at: z}}, returns: [ok]}, {match: {step: 3}, returns: [empty, ok]}]\n"
                   "interruptions: [{after: 2, goal: another}, {after: 9, goal: a third}]\n",
    })  # fmt: skip
    cli("run", "-", "--outcomes", "down.yaml", stdin=SURVEY)
    first = document(cli("resume", "--outcomes", "down.yaml", "--format", "json"))
    assert first["reason"] == "escalated"
    assert first["warnings"][-1] == "the outcome rule in line 1 was never used"
    resumed = document(cli("resume", "--outcomes", "up.yaml", "--format", "json"))
    assert (resumed["reason"], resumed["goal"]) == ("goal_met", "another")
    assert [warning for warning in resumed["warnings"] if "never" in warning] == [
        "the outcome rule in line 1 was never used",
        "the interruption after step 9 never came due",
    ]
    assert [route["error_type"] for route in resumed["routes"]] == ["permission", "permission", None, "assumption"]
    with Store.open(cli.store) as store:
        inputs = store.inputs(1)
        assert [source.name for source in inputs.sources] == ["<stdin>", "down.yaml"]
        assert [each.outcomes.name for each in inputs.amendments if each.outcomes] == ["down.yaml", "up.yaml"]
    assert cli("replay").code == 0


def test_a_completed_run_is_left_alone(cli: Cli) -> None:
    cli("run", "plan.yaml", "-q")
    before = story(cli, 1)
    said = "run 1 is completed (goal_met): there is nothing to resume\n"
    for words in ([], ["1", "--max-replans", "+2"], ["1", "--format", "json", "-o", "out"], ["--lessons", "book.yaml"]):
        assert cli("resume", *words) == Done(0, "", said)
    assert story(cli, 1) == before
    assert not (cli.folder / "out").exists()
    assert not (cli.folder / "book.yaml").exists()


def test_a_run_that_is_being_written_is_not_taken_away(cli: Cli) -> None:
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    said = "replanctl: run 1 is being written by another process\n  wait for it to end\n"
    with Store.open(cli.store, create=True) as store:
        with store.reopen(1):
            assert cli("resume", "1") == Done(3, "", said)
        assert store.run(1).status is RunStatus.FAILED
    assert cli("resume", "1", "-q").code == 1


REFUSED: list[tuple[list[str], int, str]] = [
    (["7"], 2, "there is no run 7 in store\n"),
    (["--max-seconds", "+5"], 2, "--max-seconds +5: there is no limit to raise\n"),
    (["--max-tool-calls", "+1"], 2, "--max-tool-calls +1: there is no limit to raise\n  --max-tool-calls 1 sets one\n"),
    (["--max-seconds", "+1_000"], 2, "Invalid value for '--max-seconds': '1_000' is not a number from 0\n"),
    (["--max-seconds", "+\u0663"], 2, "Invalid value for '--max-seconds': '\u0663' is not a number from 0\n"),
    (["--planner", "'x"], 2, "run 1 was rehearsed without --planner\n"),
    (["x" * 5000], 2, f"Invalid value for 'RUN': '{'x' * 400}"),
    (["--max-replans", "none"], 2, "Invalid value for '--max-replans': 'none' is not a whole number from 0\n"),
    (["--max-steps", "+none"], 2, "Invalid value for '--max-steps': 'none' is not a whole number from 0\n"),
    (["--max-steps", "-1"], 2, "Invalid value for '--max-steps': '-1' is not a whole number from 0\n"),
    (["--outcomes", "none.yaml"], 2, "none.yaml: error [unreadable]"),
    (["--outcomes", "broken.yaml"], 2, "broken.yaml:1:21: error [unknown-key]"),
    (["--lessons", "broken.yaml"], 2, "broken.yaml:1:1: error [unknown-key]"),
    (["-o", "no/where"], 2, "no/where can't be written: "),
]


@pytest.mark.parametrize(("words", "code", "said"), REFUSED, ids=lambda value: str(value)[:40])
def test_what_is_refused_changes_nothing(cli: Cli, words: list[str], code: int, said: str) -> None:
    cli.files({"broken.yaml": "outcomes: [{match: {stp: 1}, returns: [ok]}]\n"})
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    before = cli("show", "--format", "json")
    done = cli("resume", *words)
    assert (done.code, done.out) == (code, "")
    assert done.err.removeprefix("replanctl: ").startswith(said), done.err
    assert cli("show", "--format", "json") == before
    assert cli("replay", "1").code == 0


def test_without_a_store_nothing_is_resumed_and_none_is_made(cli: Cli) -> None:
    assert cli("resume").code == 2
    assert not cli.store.exists()


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_resumed_run_is_told_from_its_start(cli: Cli, form: str) -> None:
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    cli.files({"fixed.yaml": "outcomes: []\n"})
    told = cli("resume", "--outcomes", "fixed.yaml", "--format", form, "-o", "out")
    assert told == Done(0, "", "")
    written = (cli.folder / "out").read_text(encoding="utf-8")
    with Store.open(cli.store) as store:
        lines = [line.decode() for line in store.event_lines(1)]
    if form == "jsonl":
        assert written.splitlines() == lines
    else:
        assert cli("show", "--format", form).out == written


def test_a_resumed_run_adds_to_the_lesson_book(cli: Cli) -> None:
    cli.files({
        "other.yaml": "outcomes: [{match: {step: 3}, returns: [{status: shape, message: odd}, ok]}]\n",
        "fixed.yaml": "outcomes: [{match: {step: 2}, returns: [{status: shape, message: bad}, ok]}]\n",
    })  # fmt: skip
    book = ["--lessons", "book.yaml", "--format", "json"]
    assert document(cli("run", "plan.yaml", "--outcomes", "denied.yaml", *book))["reason"] == "escalated"
    assert document(cli("run", "plan.yaml", "--outcomes", "other.yaml", *book))["reason"] == "goal_met"
    assert document(cli("resume", "1", "--outcomes", "fixed.yaml", *book))["reason"] == "goal_met"
    third = document(cli("run", "plan.yaml", *book))
    assert [(each["text"], each["count"]) for each in third["lessons"]] == [
        ("v1 step 3 assumption: expected none, got odd; avoid: write: shape", 1),
        ("v1 step 2 permission: expected none, got denied; avoid: look: denied", 1),
        ("v2 step 2 assumption: expected none, got bad; avoid: look: shape", 1),
    ]


@pytest.mark.parametrize("plan", [plan for plan in PLANS if plan.parent.name == "gates" or plan.stem == "escalation"])
def test_what_a_hand_over_says_can_be_typed(root_cli: Cli, tmp_path: Path, plan: Path) -> None:
    fixed = tmp_path / "fixed.yaml"
    fixed.write_text("outcomes: []\n")
    handover = document(root_cli("run", plan, "--format", "json"))["handover"]
    for command in handover["next"]:
        words = shlex.split(command.replace("FIXED.yaml", str(fixed)))
        done = root_cli(*words[1:])
        assert (words[0], done.err, done.code in (0, 1)) == ("replanctl", "", True)
        assert root_cli("replay", "1").code == 0


@pytest.mark.parametrize(
    ("outcomes", "change"),
    [
        ("wrong", ["--max-replans", "1", "--granularity", "tail"]),
        ("turn", ["--max-replans", "1", "--granularity", "tail"]),
        ("turn", ["--max-replans", "1", "--goal", "another"]),
    ],
)
def test_a_failure_that_is_routed_again_is_one_lesson(cli: Cli, outcomes: str, change: list[str]) -> None:
    words = ["run", "-", "--outcomes", f"{outcomes}.yaml", "--max-replans", "0", "--format", "json"]
    stopped = document(cli(*words, stdin=SURVEY))
    resumed = document(cli("resume", "--format", "json", *change))
    assert [lesson["count"] for lesson in stopped["lessons"]] == [1]
    failures = 1 if outcomes == "turn" else len(resumed["signals"])  # each of them says the same, and is counted once
    assert {lesson["text"]: lesson["count"] for lesson in resumed["lessons"]}[stopped["lessons"][0]["text"]] == failures
    assert [route["rule"] for route in resumed["routes"]][:2] == [
        stopped["routes"][0]["rule"], "override" if outcomes == "wrong" else "goal-changed"
    ]  # fmt: skip


def test_the_limits_in_force_stand_in_the_head_of_a_session_that_was_taken_up(cli: Cli) -> None:
    first = cli("run", "-", "--max-steps", "2", stdin=SURVEY).out
    heads = [text.splitlines()[1] for text in (first, cli("resume", "--max-steps", "+7").out, cli("show").out)]
    assert [head.rpartition(" · ")[2] for head in heads] == [
        "gates max_steps 2",
        "gates max_steps 9",
        "gates max_steps 9",
    ]
