"""A call that may have happened is settled by a person's word, and a session with one that is not never completes."""

from __future__ import annotations

import msgspec
import pytest

from replanctl.kinds import Settle
from replanctl.replan.gates import GateLimits
from replanctl.run.accounts import doubts
from replanctl.run.amendments import Settlement
from replanctl.run.events import Event, StepSettled
from replanctl.run.fold import fold
from tests.rehearse import rehearse, settle
from tests.run.telling import history, states, versions

TOOLS = "tools: {pay: {idempotent: false, timeout: 5s}, look: {}, write: {}}"
DONE, AGAIN, SKIP = Settle


def plan(on_failure: str = "replan", more: str = "", pay: str = "") -> str:
    """Step 2 pays, 3 writes about it, 4 stands alone."""
    return f"""
goal: g
{TOOLS}
steps:
  - {{id: 1, tool: look}}
  - {{id: 2, tool: pay, args: {{sum: 7}}, on_failure: {on_failure}{pay}}}
  - {{id: 3, tool: write, args: {{text: "#E2"}}, depends_on: [2]}}
  - {{id: 4, tool: look, depends_on: [1]}}
{more}
"""


PAYS = "outcomes: [{{match: {{tool: pay}}, returns: [{}]}}]"


def in_doubt(events: list[Event]) -> list[str]:
    """`2.1 pay`."""
    return [f"{doubt.step.id}.{doubt.call} {doubt.tool}" for doubt in doubts(events)]


def settled(events: list[Event]) -> list[str]:
    """`2.1 done stands`."""
    return [
        f"{e.step_id}.{e.call} {e.how}{' stands' if e.stands else ''}" for e in events if isinstance(e, StepSettled)
    ]


# -- never completes ---------------------------------------------------------------------------------------------------

ALTERNATIVE = ", granularity: patch, alternatives: [{tool: look}]"


@pytest.mark.parametrize(
    ("text", "returns", "states_"),
    [
        (plan("replan"), "timeout", "1 done, 2 failed, 3 skipped, 4 done"),
        (plan("replan"), "error", "1 done, 2 failed, 3 skipped, 4 done"),
        (plan("skip"), "timeout", "1 done, 2 failed, 3 skipped, 4 done"),
        (plan("skip"), "lost", "1 done, 2 failed, 3 skipped, 4 done"),
        (plan("defer"), "tool_error", "1 done, 2 failed, 3 skipped, 4 done"),
        (plan("replan", pay=ALTERNATIVE), "timeout", "1 done, 2 done, 3 done, 4 done"),
        (
            plan("skip", "interruptions: [{after: 4, goal: h}]\nplanner: [{steps: []}]"),
            "error",
            "1 done, 2 failed, 4 done",
        ),
    ],
)
def test_where_it_would_complete_it_is_escalated(text: str, returns: str, states_: str) -> None:
    events, result = rehearse(text, PAYS.format(returns))
    assert result.reason == "escalated"
    assert in_doubt(events) == ["2.1 pay"]
    assert set(states(result).split(", ")) >= set(states_.split(", ")) - {"3 skipped"}


def test_the_solver_answers_before() -> None:
    events, result = rehearse(plan("defer"), PAYS.format("error"))
    assert [event.answered for event in events if type(event).__name__ == "SolverCalled"] == [True]
    assert (result.reason, result.detail) == (
        "escalated", "may have happened, and a person has to say so: step 2's call of pay"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "policy", "returns", "reason"),
    [
        (plan("abort"), {}, "timeout", "aborted"),
        (plan("skip"), {"gates": GateLimits(max_steps=2)}, "lost", "step_budget"),
        (plan(), {"gates": GateLimits(max_seconds=3.0)}, "{status: ok, latency: 4s}", "time_budget"),
    ],
)
def test_however_it_stopped_the_hand_over_says_how_to_settle(
    text: str, policy: dict[str, GateLimits], returns: str, reason: str
) -> None:
    events, result = rehearse(text, PAYS.format(returns), **policy)
    assert result.reason == reason
    handover = fold(events, run=7).handover
    assert handover is not None
    told = [command for command in handover.next if "--settle" in command]
    assert [command.split("--settle ")[1] for command in told] == ["2=done", "2=again", "2=skip"]
    assert [command for command in handover.next if command.startswith("replanctl resume 7")] == told


def test_the_command_gives_an_answer_that_keeps_the_contract() -> None:
    events, _ = rehearse(plan(pay=", produces: {paid: bool}"), PAYS.format("error"))
    handover = fold(events, run=7).handover
    assert handover is not None
    assert handover.next[0] == """replanctl resume 7 --settle '2=done:{"paid": true}'"""


# -- by a person's word ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("returns", ["timeout", "lost", "tool_error", "error"])
@pytest.mark.parametrize("on_failure", ["replan", "skip", "abort"])
def test_it_happened_and_this_is_the_answer(on_failure: str, returns: str) -> None:
    events, result = settle(plan(on_failure), PAYS.format(returns), [Settlement("2", DONE, {"paid": True})])
    assert settled(events) == ["2.1 done stands"]
    assert states(result).split(", ")[:2] == ["1 done", "2 done"]
    assert result.variables["E2"].value == {"paid": True}
    assert [line.partition(" (")[0].split()[1:3] for line in history(result)].count(["2", "failed"]) == 1
    assert next(row.args for row in result.history if row.step_id == "3" and row.attempts) == {"text": {"paid": True}}
    assert (result.reason, in_doubt(events)) == ("goal_met", [])


@pytest.mark.parametrize("on_failure", ["replan", "skip", "abort", "defer"])
def test_it_did_not_happen_and_is_made(on_failure: str) -> None:
    events, result = settle(plan(on_failure), PAYS.format("timeout"), [Settlement("2", AGAIN)])
    assert settled(events) == ["2.1 again stands"]
    assert [a.status for row in result.history if row.step_id == "2" for a in row.attempts] == ["timeout", "ok"]
    assert states(result).count("done") == 4
    assert (result.reason, in_doubt(events)) == ("goal_met", [])
    assert versions(result)[1].startswith("v2 None resume resume: ")


@pytest.mark.parametrize("on_failure", ["replan", "skip", "abort"])
def test_it_is_let_be(on_failure: str) -> None:
    events, result = settle(plan(on_failure), PAYS.format("timeout"), [Settlement("2", SKIP)])
    assert settled(events) == ["2.1 skip stands"]
    assert sorted(states(result).split(", ")) == ["1 done", "2 failed", "3 skipped", "4 done"]
    assert (result.reason, in_doubt(events)) == ("goal_met_with_gaps", [])


def test_without_a_word_it_is_not_made_again() -> None:
    events, result = settle(plan(), PAYS.format("timeout"), [])
    assert history(result)[-2:] == [
        "v2 2 failed 7-7 (permission: not made again: pay acts only once, and step 2's call may have)",
        "v2 3 skipped 7-7",
    ]
    assert (result.reason, in_doubt(events)) == ("escalated", ["2.1 pay"])


def test_a_step_that_went_another_way_only_has_its_call_settled() -> None:
    text = plan(pay=ALTERNATIVE)
    for how in Settle:
        events, result = settle(text, PAYS.format("timeout"), [Settlement("2", how)])
        assert settled(events) == [f"2.1 {how}"]
        assert (result.reason, len(result.versions)) == ("goal_met", 2)


def test_again_for_a_step_that_left_lets_the_call_be_made() -> None:
    text = plan(
        "skip",
        "interruptions: [{after: 4, goal: h}]\n"
        "planner: [{when: {goal: h}, steps: [{id: 9, tool: look}]},"
        " {steps: [{id: 11, tool: pay, args: {sum: 7}, action: pay at last}]}]",
    )
    events, result = settle(text, PAYS.format("error"), [Settlement("2", AGAIN)])
    assert settled(events) == ["2.1 again"]
    assert result.reason == "goal_met"


def test_several_calls_of_a_step_are_told_apart() -> None:
    """Step 2 pays 7, and, patched, 8; nobody knows of either."""
    text = plan(pay=", granularity: patch, alternatives: [{args: {sum: 8}}]")
    first = rehearse(text, PAYS.format("error"))
    assert in_doubt(first[0]) == ["2.1 pay", "2.2 pay"]
    events, result = settle(text, PAYS.format("error"), [Settlement("2", SKIP), Settlement("2", DONE, 8, 2)])
    assert settled(events) == ["2.1 skip", "2.2 done stands"]
    assert (result.variables["E2"].value, result.reason) == (8, "goal_met")


def test_a_call_that_is_let_be_is_not_made_by_a_draft_either() -> None:
    drafts = "planner: [{when: {type: assumption}, steps: [{id: 4, tool: write}, {id: 9, tool: pay, args: {sum: 7}}]}]"
    first = PAYS.format("timeout")[:-1] + ", {match: {step: 4}, returns: [denied]}]"
    events, result = settle(
        plan("skip", drafts),
        first,
        [Settlement("2", SKIP)],
        fixed="outcomes: [{match: {step: 4}, returns: [shape, ok]}]",
    )
    assert in_doubt(events) == []
    assert "step 9 makes a call of pay that is not made again" in result.lessons[-1].text
    assert [a.tool for row in result.history for a in row.attempts].count("pay") == 1


def test_a_step_that_time_cut_off_is_settled_and_the_rest_goes_on() -> None:
    text = plan(more="policy: {max_parallel: 2, gates: {max_seconds: 3s}}")
    outcomes = (
        "outcomes: [{match: {tool: pay}, returns: [{status: ok, latency: 4s}]},"
        " {match: {step: 4}, returns: [{status: ok, latency: 9s}, ok]}]"
    )
    events, result = settle(text, outcomes, [Settlement("2", DONE, 7)], fixed="outcomes: []")
    assert (settled(events), result.reason) == (["2.1 done stands"], "time_budget")
    assert "4 pending" in states(result)  # what the gate had cut off with it is pending again


def test_what_was_settled_is_told_alike_again() -> None:
    words = [Settlement("2", DONE, {"paid": True})]
    first, second = (settle(plan(), PAYS.format("timeout"), words)[0] for _ in range(2))
    assert list(map(msgspec.json.encode, first)) == list(map(msgspec.json.encode, second))


def test_a_step_that_failed_another_way_since_only_has_its_call_settled() -> None:
    """Its call of pay happened; but what it failed at is the look that it tried instead."""
    outcomes = PAYS.format("timeout")[:-1] + ", {match: {step: 2, tool: look}, returns: [denied]}]"
    events, result = settle(plan(pay=ALTERNATIVE), outcomes, [Settlement("2", DONE, 7)])
    assert settled(events) == ["2.1 done"]
    assert [a.tool for row in result.history if row.step_id == "2" for a in row.attempts] == ["pay", "look", "look"]
    assert result.reason == "goal_met"
