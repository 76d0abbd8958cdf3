"""No replan helps: everything else runs first, then a person takes over, unless something else ends the session."""

from __future__ import annotations

import pytest

from replanctl.run.events import SolverCalled
from tests.rehearse import rehearse
from tests.run.telling import ending, gates, history, routes, states

PLAN = """
goal: g
assumptions: {p: premise}
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 3, tool: c, depends_on: [2]}
  - {id: 4, tool: d, depends_on: []}
  - {id: 5, tool: e, depends_on: [4], assumes: [p]}
  - {id: 6, tool: f, depends_on: [4]}
"""


def test_everything_that_does_not_rest_on_the_step_runs_and_then_a_person_takes_over() -> None:
    _, result = rehearse(PLAN, "outcomes: [{match: {step: 1}, returns: [denied]}]")
    assert history(result) == [
        "v1 1 failed 0-1 a:denied (permission: denied)",
        "v1 2 skipped 1-1",
        "v1 3 skipped 1-1",
        "v1 4 done 1-2 d:ok",
        "v1 5 done 2-3 e:ok",
        "v1 6 done 3-4 f:ok",
    ]
    assert (ending(result), result.detail) == ("failed escalated 4s", "step 1 needs a person: permission")
    # nobody was asked, so nothing was counted; what was learned stays
    assert (gates(result), [line.kind for line in result.ledger.lines if line.kind == "replan"]) == ([], [])
    assert [lesson.text for lesson in result.lessons] == [
        "v1 step 1 permission: expected none, got denied; avoid: a: denied"
    ]


def test_what_rests_on_a_premise_that_fell_is_skipped_too() -> None:
    _, result = rehearse(
        PLAN + "policy: {routing: {overrides: {'1': none}}}",
        "outcomes: [{match: {step: 1}, returns: [{status: shape, refutes: [p]}]}]",
    )
    assert states(result) == "1 failed, 2 skipped, 3 skipped, 4 done, 5 skipped, 6 done"
    assert (routes(result), result.reason) == (["v1 1 assumption radius 3 override → none"], "escalated")


def test_a_failure_with_retries_spent_is_handed_over() -> None:
    _, result = rehearse(PLAN, "outcomes: [{match: {step: 4}, returns: [tool_error]}]")
    assert (ending(result), states(result)) == (
        "failed escalated 9s",
        "1 done, 2 done, 3 done, 4 failed, 5 skipped, 6 skipped",
    )


def test_the_first_of_several_is_named() -> None:
    _, result = rehearse(
        PLAN, "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 4}, returns: [denied]}]"
    )
    assert (ending(result), result.detail, len(result.routes)) == (
        "failed escalated 2s",
        "step 1 needs a person: permission",
        2,
    )


@pytest.mark.parametrize(
    ("sections", "first", "then", "end"),
    [
        # the goal changes: the step leaves the plan, nothing is handed over any more
        ("interruptions: [{after: 4, goal: other}]", "unavailable", "", "completed goal_met 13s"),
        # so it does in a global
        (
            "policy: {routing: {overrides: {'6': global}}}",
            "unavailable",
            "{match: {step: 6, version: 1}, returns: [shape]},",
            "completed goal_met 15s",
        ),
        # but a call that was denied stays denied
        ("interruptions: [{after: 4, goal: other}]", "denied", "", "failed escalated 5s"),
        # and a tail beside it changes nothing
        ("", "denied", "{match: {step: 5, version: 1}, returns: [semantic]},", "failed escalated 5s"),
        # what ends the session first is the reason
        ("policy: {gates: {max_steps: 3}}", "denied", "", "failed step_budget 3s"),
        ("policy: {gates: {max_tool_calls: 2}}", "denied", "", "failed tool_call_budget 2s"),
        ("policy: {gates: {max_seconds: 2s}}", "denied", "", "failed time_budget 2s"),
        (
            "policy: {gates: {max_replans: 0}}",
            "denied",
            "{match: {step: 5}, returns: [shape]},",
            "failed replan_budget 3s",
        ),
        ("planner: [{otherwise: give_up}]", "denied", "{match: {step: 6}, returns: [shape]},", "failed no_plan 4s"),
    ],
)
def test_what_comes_before_the_hand_over(sections: str, first: str, then: str, end: str) -> None:
    _, result = rehearse(PLAN + sections, f"outcomes: [{then} {{match: {{tool: a, version: 1}}, returns: [{first}]}}]")
    assert ending(result) == end


def test_abort_comes_before_it() -> None:
    _, result = rehearse(
        PLAN.replace("tool: e,", "tool: e, on_failure: abort,"),
        "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 5}, returns: [shape]}]",
    )
    assert ending(result) == "failed aborted 3s"


def test_the_solver_is_not_called() -> None:
    events, result = rehearse(
        PLAN.replace("tool: f,", "tool: f, on_failure: defer,"),
        "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 6}, returns: [shape]}]",
    )
    assert not any(isinstance(event, SolverCalled) for event in events)
    assert (result.reason, [gap.step_id for gap in result.gaps]) == ("escalated", ["6"])


def test_the_rest_of_its_wave_is_finished_and_answered() -> None:
    _, result = rehearse(
        PLAN,
        "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 4, version: 1}, returns: [shape]}]",
        max_parallel=2,
    )
    assert routes(result) == [
        "v1 1 permission radius 2 permission → none",
        "v1 4 assumption radius 2 wide-radius → tail",
    ]
    assert (result.reason, states(result)) == (
        "escalated",
        "1 failed, 2 skipped, 3 skipped, 4 done, 7 done, 8 done",
    )
    assert gates(result)[-1] == "v1 4 max_steps 5/12"  # what was handed over is not open any more


def test_a_failure_of_its_wave_is_answered_even_where_it_rests_on_the_same_premise() -> None:
    _, result = rehearse(
        PLAN.replace("{id: 4, tool: d, depends_on: []}", "{id: 4, tool: d, depends_on: [], assumes: [p]}")
        + "policy: {routing: {overrides: {'1': none}}}",
        "outcomes: [{match: {step: 1}, returns: [{status: shape, refutes: [p]}]},"
        " {match: {step: 4, version: 1}, returns: [shape]}]",
        max_parallel=2,
    )
    assert (result.reason, states(result)) == (
        "escalated",
        "1 failed, 2 skipped, 3 skipped, 5 skipped, 6 skipped, 4 done",
    )


def test_a_later_draft_can_not_rest_on_what_was_handed_over() -> None:
    """Its step that does is skipped as soon as the draft is in force."""
    _, result = rehearse(
        PLAN + "planner: [{steps: [{id: 6, tool: g, depends_on: [4]}, {id: x, tool: h, depends_on: [1, 6]}]}]",
        "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {tool: f}, returns: [shape]}]",
    )
    assert (result.reason, states(result)) == (
        "escalated",
        "1 failed, 2 skipped, 3 skipped, 4 done, 5 done, 6 done, x skipped",
    )


def test_a_person_gets_what_is_clean_the_way_it_went_and_what_to_do_next() -> None:
    _, result = rehearse(
        PLAN,
        "outcomes: [{match: {step: 1}, returns: [denied]}, {match: {tool: d}, returns: [{status: ok, value: 4}]}]",
    )
    handover = result.handover
    assert handover is not None
    assert (handover.reason, handover.gate, handover.clean_results) == (
        "escalated",
        None,
        {"E4": 4, "E5": "ok", "E6": "ok"},
    )
    assert handover.trajectory == (
        "v1 step 1 failed: permission: denied",
        "v1 step 2 skipped",
        "v1 step 3 skipped",
        "v1 step 4 done",
        "v1 step 5 done",
        "v1 step 6 done",
    )


BREAKER = f"{PLAN}policy: {{gates: {{per_step: 0}}}}\n"
FAILS = "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}, {match: {step: 4, version: 1}, returns: [%s]}]"


def test_a_refusal_of_the_breaker_hands_its_step_over_and_the_rest_runs() -> None:
    _, result = rehearse(BREAKER, FAILS % "ok")
    assert (ending(result), states(result)) == (
        "failed step_breaker 4s",
        "1 failed, 2 skipped, 3 skipped, 4 done, 5 done, 6 done",
    )
    assert (result.detail, gates(result)) == ("per_step comes to 0, the limit is 0", ["v1 1 per_step 0/0!"])
    assert result.handover is not None
    assert (result.handover.gate, [lesson.step_id for lesson in result.lessons]) == (result.gates[0], ["1"])


@pytest.mark.parametrize(
    ("sections", "four", "end"),
    [
        # the first one's reason
        (BREAKER, "denied", "failed step_breaker 2s"),
        (BREAKER.replace("{id: 4, tool: d, depends_on: []}", "{id: 4, tool: d, depends_on: [], granularity: none}"),
         "shape", "failed step_breaker 2s"),
        (BREAKER.replace("{id: 1, tool: a,", "{id: 1, granularity: none, tool: a,"), "shape", "failed escalated 2s"),
        # the step leaves the plan, and the hand-over
        (BREAKER + "interruptions: [{after: 4, goal: other}]", "ok", "completed goal_met 8s"),
        # what comes first is the reason
        (PLAN + "policy: {gates: {per_step: 0, max_steps: 2}}", "ok", "failed step_budget 2s"),
        (BREAKER.replace("tool: d,", "tool: d, on_failure: abort,"), "shape", "failed aborted 2s"),
        (BREAKER.replace("tool: d,", "tool: d, on_failure: defer,"), "shape", "failed step_breaker 2s"),
    ],
)  # fmt: skip
def test_how_a_session_ends_whose_breaker_handed_a_step_over(sections: str, four: str, end: str) -> None:
    events, result = rehearse(sections, FAILS % four)
    assert ending(result) == end
    assert not any(isinstance(event, SolverCalled) for event in events)


def test_the_hand_over_says_what_each_replan_changed_and_what_was_never_run() -> None:
    _, result = rehearse(
        PLAN + "policy: {gates: {max_tool_calls: 4}}",
        "outcomes: [{match: {step: 1}, returns: [semantic, shape, timeout]}]",
    )
    assert result.handover is not None
    assert (result.reason, result.handover.open) == ("tool_call_budget", ("9", "10", "4", "5", "6"))
    assert result.handover.trajectory == (
        "v1 step 1 failed: semantic: semantic",
        "v2 tail for semantic@1: removed 2, 3; added 7, 8; revised 1",
        "v2 step 1 failed: assumption: shape",
        "v3 tail for assumption@1: removed 7, 8; added 9, 10; revised 1",
        "v3 step 1 failed: abandoned, last: timeout",
    )
    assert [lesson.step_id for lesson in result.handover.lessons] == ["1", "1"]
    assert result.handover.next
