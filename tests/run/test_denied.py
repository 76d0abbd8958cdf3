"""A call that was refused for lack of rights is not made again, by no step and no draft."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.run.telling import ending, gates, history, routes

DENIED_BEFORE = "(permission: denied before)"


@pytest.mark.parametrize(
    ("second", "line"),
    [
        ("tool: t, args: {a: 1, b: [x]}", f"v1 2 failed 1-1 {DENIED_BEFORE}"),
        ("tool: t, args: {b: [x], a: 1}", f"v1 2 failed 1-1 {DENIED_BEFORE}"),
        ('tool: t, args: {a: "#E0", b: [x]}', f"v1 2 failed 1-1 {DENIED_BEFORE}"),  # as substituted
        ("tool: t, args: {a: 2, b: [x]}", "v1 2 done 1-2 t:ok"),
        ("tool: t, args: {a: '1', b: [x]}", "v1 2 done 1-2 t:ok"),
        ("tool: u, args: {a: 1, b: [x]}", "v1 2 done 1-2 u:ok"),
    ],
)
def test_a_call_that_was_denied_is_not_made_again(second: str, line: str) -> None:
    _, result = rehearse(
        f"""
goal: g
steps:
  - {{id: 0, tool: n, depends_on: []}}
  - {{id: 1, tool: t, args: {{a: 1, b: [x]}}, on_failure: skip, depends_on: []}}
  - {{id: 2, {second}, on_failure: skip, depends_on: [0]}}
outcomes:
  - {{match: {{tool: t}}, returns: [denied, ok]}}
  - {{match: {{tool: n}}, returns: [{{status: ok, value: 1, latency: 0}}]}}
"""
    )
    assert history(result)[2] == line


def test_nor_is_it_tried_again_once_it_was_denied_to_another_step() -> None:
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: t, depends_on: [], on_failure: skip}
  - {id: 2, tool: t, depends_on: [], on_failure: skip}
outcomes: [{match: {step: 1}, returns: [unavailable, ok]}, {match: {step: 2}, returns: [denied]}]
"""
    )
    assert history(result) == [
        "v1 2 failed 0-1 t:denied (permission: denied)",
        "v1 1 failed 0-2 t:unavailable (permission: denied before)",
    ]


def test_a_denied_call_has_no_remedy_but_a_person() -> None:
    _, result = rehearse("goal: g\nsteps: [{id: 1, tool: t}]", "outcomes: [{returns: [denied]}]")
    assert (ending(result), routes(result)) == (
        "failed escalated 1s",
        ["v1 1 permission radius 0 permission → none"],
    )


def test_a_fallback_whose_call_was_denied_before_is_passed_over() -> None:
    _, result = rehearse(
        """
goal: g
tools: {t: {fallback: [x, y]}, x: {}, y: {}}
steps:
  - {id: 1, tool: x, args: {a: 1}, on_failure: skip, depends_on: []}
  - {id: 2, tool: t, args: {a: 1}, depends_on: []}
  - {id: 3, tool: t, args: {a: 2}, depends_on: []}
policy: {retry: {max_attempts: 1}}
outcomes:
  - {match: {tool: x}, returns: [denied, ok]}
  - {match: {tool: t}, returns: [unavailable]}
"""
    )
    assert history(result) == [
        "v1 1 failed 0-1 x:denied (permission: denied)",
        "v1 2 done 1-3 t:unavailable y:ok",
        "v1 3 done 3-5 t:unavailable x:ok",
    ]


@pytest.mark.parametrize(
    ("more", "end", "ran"),
    [
        # the same call again is no draft, and the template has no other: a person takes over
        ("", "failed escalated 1s", []),
        ("alternatives: [{tool: t}]", "failed escalated 1s", []),
        ("alternatives: [{args: {a: 2}}]", "completed goal_met 2s", ["v2 1 done 1-2 t:ok"]),
        ("alternatives: [{tool: u}]", "completed goal_met 2s", ["v2 1 done 1-2 u:ok"]),
    ],
)
def test_a_person_may_have_the_step_patched_but_not_the_call_repeated(more: str, end: str, ran: list[str]) -> None:
    _, result = rehearse(
        f"goal: g\nsteps: [{{id: 1, tool: t, args: {{a: 1}}, granularity: patch, {more}}}]",
        "outcomes: [{match: {tool: t}, returns: [denied, ok]}]",
    )
    assert (ending(result), history(result)[1:]) == (end, ran)


def test_a_draft_that_makes_it_is_refused_and_the_planner_is_asked_again() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: t, on_failure: skip}, {id: 2, tool: u, depends_on: []}]
planner:
  - {when: {type: invalid_draft}, steps: [{id: 2, tool: w}]}
  - {steps: [{id: 2, tool: t}]}
outcomes: [{match: {tool: t}, returns: [denied, ok]}, {match: {tool: u}, returns: [shape]}]
"""
    )
    assert history(result)[1:] == [
        "v1 2 failed 1-2 u:shape (assumption: shape)",
        "v2 2 done 2-3 w:ok",
    ]
    # the second time under the type of a bad draft, one replan and one lesson later
    assert gates(result) == [
        "v1 2 per_step 0/3",
        "v1 2 max_replans 0/5",
        "v1 2 max_replan_tokens 432/20000",
        "v1 2 per_step 0/3",
        "v1 2 max_replans 1/5",
        "v1 2 max_replan_tokens 864/20000",
        "v1 2 max_repeat 0/1",
        "v1 2 max_steps 3/12",
    ]
    assert [lesson.text for lesson in result.lessons] == [
        "v1 step 2 assumption: expected none, got shape; avoid: u: shape",
        "v1 step 2 invalid_draft: step 2 makes a call of t that was denied before; avoid: u: shape",
    ]
