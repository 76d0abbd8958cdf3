"""Every reason a session can end with, each reached by a session."""

from __future__ import annotations

import pytest

from replanctl.kinds import Ending, Reason
from replanctl.run.handover import NEXT
from tests.rehearse import rehearse
from tests.run.telling import ending

ONE = "goal: g\nsteps: [{id: 1, tool: t}]\n"
FAILS = "outcomes: [{returns: [shape]}]"

# reason -> plan, outcomes, policy, the end
SESSIONS = {
    "goal_met": (ONE, "", "", "completed goal_met 1s"),
    "goal_met_with_gaps": (
        "goal: g\nsteps: [{id: 1, tool: t, on_failure: defer}, {id: 2, tool: u, depends_on: []}]\n",
        "outcomes: [{match: {tool: t}, returns: [shape]}]",
        "",
        "completed goal_met_with_gaps 2s",
    ),
    "no_plan": (f"{ONE}planner: [{{otherwise: give_up}}]", FAILS, "", "failed no_plan 1s"),
    "step_budget": (ONE, "", "policy: {gates: {max_steps: 0}}", "failed step_budget 0s"),
    "replan_budget": (ONE, FAILS, "policy: {gates: {max_replans: 2}}", "failed replan_budget 3s"),
    "step_breaker": (ONE, FAILS, "", "failed step_breaker 4s"),
    "token_budget": (ONE, FAILS, "policy: {gates: {max_replan_tokens: 400}}", "failed token_budget 1s"),
    "tool_call_budget": (ONE, "", "policy: {gates: {max_tool_calls: 0}}", "failed tool_call_budget 0s"),
    "session_token_budget": (ONE, "", "policy: {gates: {max_tokens: 0}}", "failed session_token_budget 0s"),
    "time_budget": (ONE, "", "policy: {gates: {max_seconds: 500ms}}", "failed time_budget 0.5s"),
    "oscillation": (
        f"{ONE}planner:\n"
        "  - {when: {error: one}, steps: [{id: 1, tool: u}]}\n"
        "  - {when: {error: two}, steps: [{id: 1, tool: t}]}\n",
        "outcomes: [{returns: [{status: shape, message: one}, {status: shape, message: two}]}]",
        "",
        "failed oscillation 2s",
    ),
    "aborted": ("goal: g\nsteps: [{id: 1, tool: t, on_failure: abort}]", FAILS, "", "failed aborted 1s"),
    "escalated": (ONE, "outcomes: [{returns: [denied]}]", "", "failed escalated 1s"),
    "insufficient_evidence": (
        "goal: g\nsteps: [{id: 1, tool: t, on_failure: skip}]",
        FAILS,
        "",
        "failed insufficient_evidence 1s",
    ),
}


@pytest.mark.parametrize("reason", SESSIONS)
def test_every_reason_is_reached(reason: str) -> None:
    plan, outcomes, policy, end = SESSIONS[reason]
    _, result = rehearse(plan, outcomes or None, policy or None)
    assert (result.reason, ending(result)) == (reason, end)
    assert (result.handover is None) is (result.status == "completed")
    assert result.handover is None or result.handover.reason == reason


def test_there_are_fourteen_and_a_person_can_do_something_about_each_that_stops_short() -> None:
    assert len(SESSIONS) == 14
    assert SESSIONS.keys() == set(Reason) - {Reason.INTERRUPTED}
    assert NEXT.keys() == {reason for reason in Reason if reason.ending is Ending.FAILED}
