"""What a failure does once nothing is left to try: replan, skip, abort; and that finished work is never repeated."""

from __future__ import annotations

import pytest

from replanctl.run.events import SolverCalled
from tests.rehearse import rehearse
from tests.run.telling import args_of, ending, history, routes, states, versions

CASCADE = """
goal: g
steps:
  - {id: 1, tool: a, on_failure: skip, depends_on: []}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 3, tool: c, depends_on: []}
  - {id: 4, tool: d, depends_on: [2, 3]}
  - {id: 5, tool: e, depends_on: [3]}
outcomes: [{match: {step: 1}, returns: [shape]}]
"""


def test_a_skipped_failure_takes_what_rests_on_it_along_and_nothing_else() -> None:
    events, result = rehearse(CASCADE)
    assert history(result) == [
        "v1 1 failed 0-1 a:shape (assumption: shape)",
        "v1 2 skipped 1-1",
        "v1 4 skipped 1-1",
        "v1 3 done 1-2 c:ok",
        "v1 5 done 2-3 e:ok",
    ]
    assert (ending(result), states(result)) == (
        "completed goal_met_with_gaps 3s",
        "1 failed, 2 skipped, 3 done, 4 skipped, 5 done",
    )
    # no gap, no Solver, no route: only the failure itself is told
    assert (result.gaps, result.routes, result.lessons, len(result.signals)) == ((), (), (), 1)
    assert not any(isinstance(event, SolverCalled) for event in events)


def test_a_step_can_be_skipped_once_only() -> None:
    _, result = rehearse(
        CASCADE.replace("{id: 3, tool: c,", "{id: 3, tool: c, on_failure: skip,"), "outcomes: [{returns: [shape]}]"
    )
    assert history(result) == [
        "v1 1 failed 0-1 a:shape (assumption: shape)",
        "v1 2 skipped 1-1",
        "v1 4 skipped 1-1",
        "v1 3 failed 1-2 c:shape (assumption: shape)",
        "v1 5 skipped 2-2",
    ]
    assert ending(result) == "failed insufficient_evidence 2s"


@pytest.mark.parametrize("returns", ["shape", "timeout", "semantic", "denied", "error"])
def test_the_class_of_a_failure_does_not_matter_to_skip(returns: str) -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, on_failure: skip}, {id: 2, tool: b, depends_on: []}]",
        f"outcomes: [{{match: {{tool: a}}, returns: [{returns}]}}]",
    )
    assert (result.reason, states(result)) == ("goal_met_with_gaps", "1 failed, 2 done")


def test_abort_ends_the_session_and_leaves_the_rest_pending() -> None:
    _, result = rehearse(CASCADE.replace("skip", "abort"))
    assert (ending(result), result.detail) == (
        "failed aborted 1s",
        "step 1 failed, and its on_failure is abort",
    )
    assert states(result) == "1 failed, 2 pending, 3 pending, 4 pending, 5 pending"
    assert (result.routes, result.gates, result.lessons) == ((), (), ())


def test_abort_leaves_other_failures_of_its_wave_unanswered() -> None:
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: [], on_failure: abort}]
outcomes: [{match: {step: 1}, returns: [shape]}, {match: {step: 2}, returns: [{status: shape, latency: 2s}]}]
"""
    )
    assert (ending(result), len(result.signals), result.routes) == ("failed aborted 2s", 2, ())


def test_replan_is_what_a_step_says_that_says_nothing() -> None:
    said, silent = (
        rehearse(f"goal: g\nsteps: [{{id: 1, tool: a{text}}}]", "outcomes: [{returns: [shape, ok]}]")[1]
        for text in (", on_failure: replan", "")
    )
    assert said == silent
    assert routes(said) == ["v1 1 assumption radius 0 small-radius → patch"]


# -- what is done stays done -------------------------------------------------------------------------------------------

DONE = """
goal: g
steps:
  - {id: 1, action: export, tool: a, args: {q: 1}, depends_on: []}
  - {id: 2, action: import, tool: b, depends_on: [1], granularity: GRANULARITY}
  - {id: 3, action: report, tool: c, args: {from: "#E2"}, depends_on: [2]}
outcomes:
  - {match: {step: 2, tool: b}, returns: [shape, ok]}
  - {match: {tool: a}, returns: [{status: ok, value: first}, {status: ok, value: again}]}
planner:
  - steps: [STEPS]
"""


@pytest.mark.parametrize("granularity", ["patch", "tail"])
@pytest.mark.parametrize(
    ("drafted", "ran", "first"),
    [
        # not listed at all
        ("{id: 2, tool: b2, depends_on: [1]}", "v2 2", "first"),
        # under its id, with the same tool and args, whatever its action says now
        ("{id: 1, tool: a, args: {q: 1}}, {id: 2, tool: b2, depends_on: [1]}", "v2 2", "first"),
        ("{id: 1, action: export it, tool: a, args: {q: 1}}, {id: 2, tool: b2, depends_on: [1]}", "v2 2", "first"),
        # under another id, with the same action, tool and args: the reference means the done one
        (
            '{id: x, action: export, tool: a, args: {q: 1}}, {id: 2, tool: b2, args: {in: "#Ex"}, depends_on: [x]}',
            "v2 2",
            "first",
        ),
        # the same call by another action is other work
        (
            "{id: x, action: export more, tool: a, args: {q: 1}, depends_on: []},"
            ' {id: 2, tool: b2, args: {in: "#Ex"}, depends_on: [x]}',
            "v2 x|v2 2",
            "again",
        ),
        # its id may not be used for another call: a new id is made, and the draft's own names follow
        (
            "{id: 1, action: export, tool: a, args: {q: 2}, depends_on: []},"
            ' {id: 2, tool: b2, args: {in: "#E1"}, depends_on: [1]}',
            "v2 4|v2 2",
            "again",
        ),
    ],
)
def test_a_step_that_is_done_stays_done(granularity: str, drafted: str, ran: str, first: str) -> None:
    if granularity == "tail":  # where all that rests on the failure is to be listed
        drafted += ', {id: 3, action: report, tool: c, args: {from: "#E2"}, depends_on: [2]}'
    _, result = rehearse(DONE.replace("STEPS", drafted).replace("GRANULARITY", granularity))
    after = [f"{one.version} {one.step_id}" for one in result.history if one.version == "v2"]
    assert after == [*ran.split("|"), "v2 3"]
    assert (result.variables["E1"].value, result.reason) == ("first", "goal_met")
    read = args_of(result, "2").get("in")
    assert read is None or read == first


def test_only_a_global_runs_finished_work_again() -> None:
    _, result = rehearse(
        DONE.split("planner:")[0].replace("GRANULARITY", "global"),
    )
    assert versions(result) == [
        "v1 None None start: 1 2 3",
        "v2 global override assumption@2: 4 5 6",
    ]
    assert [f"{one.version} {one.step_id}" for one in result.history] == ["v1 1", "v1 2", "v2 4", "v2 5", "v2 6"]
    assert [line.kind for line in result.ledger.lines] == [
        "planning",
        "execution",
        "execution",
        "replan",
        "re-execution",
        "re-execution",
        "execution",
    ]


def test_of_two_that_abort_the_earliest_is_named() -> None:
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps: [{id: 1, tool: a, depends_on: [], on_failure: abort}, {id: 2, tool: b, depends_on: [], on_failure: abort}]
outcomes: [{match: {step: 1}, returns: [{status: shape, latency: 2s}]}, {returns: [shape]}]
"""
    )
    assert (ending(result), result.detail) == ("failed aborted 2s", "step 2 failed, and its on_failure is abort")
