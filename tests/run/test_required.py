"""Required lineages: no draft may drop one, nothing else stands for one, and at the end each must have been done."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rehearse import rehearse
from tests.replan.listing import changes, ending, refusals
from tests.run.telling import history

# 2 is required and fails; 3 rests on it.
PLAN = """
goal: g
steps:
  - {id: 1, tool: look, args: {q: a}}
  - {id: 2, tool: pay, action: settle the bill, args: {of: "#E1"}, required: true}
  - {id: 3, tool: tell}
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
"""
DROPPED = "step 2 is required and nothing stands for it: the step that takes its place says replaces: 2"


def answered(steps: str, plan: str = PLAN) -> str:
    return f"{plan}\nplanner: [{{when: {{type: semantic}}, steps: {steps}}}, {{otherwise: give_up}}]\n"


# what the planner lists -> what stands for step 2, or nothing
STANDS: dict[str, tuple[str, str | None]] = {
    "itself": ("[{id: 2, tool: other}]", "~2"),
    "it says so": ("[{id: 9, tool: other, replaces: 2}]", "+9"),
    "its call under another id": ('[{id: 9, tool: pay, action: settle the bill, args: {of: "#E1"}}]', "+9"),
    "its tool and its written action": ("[{id: 9, tool: pay, action: settle the bill}]", "+9"),
    "its tool and args": ('[{id: 9, tool: pay, action: another way, args: {of: "#E1"}}]', "+9"),
    "its tool alone": ("[{id: 9, tool: pay, action: another way}]", None),
    "its action alone": ("[{id: 9, tool: other, action: settle the bill}]", None),
    "its args alone": ('[{id: 9, tool: other, args: {of: "#E1"}}]', None),
    "the only one there is": ("[{id: 9, tool: other}]", None),
    "finished work under its id": ("[{id: 2, tool: look, action: look, args: {q: a}}, {id: 9, tool: x}]", None),
}


@pytest.mark.parametrize(("steps", "change"), STANDS.values(), ids=STANDS)
def test_what_stands_for_a_required_step(steps: str, change: str | None) -> None:
    events, result = rehearse(answered(steps))
    if change is None:
        assert (refusals(events), ending(result)[0]) == ([(DROPPED,)], "no_plan")
    else:
        assert change in changes(result)[0]
        assert (refusals(events), ending(result)[0]) == ([], "goal_met")


# An action that is not written and args that are none say nothing: the tool's name alone would be left.
SILENT = """
goal: g
steps: [{id: 2, tool: pay, required: true}, {id: 3, tool: tell}]
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
"""


@pytest.mark.parametrize(("steps", "refused"), [("[{id: 9, tool: pay}]", True), ("[{id: 2, tool: pay}]", False)])
def test_a_tool_alone_does_not_do_a_required_steps_work(steps: str, refused: bool) -> None:
    events, _ = rehearse(answered(steps, SILENT))
    assert refusals(events) == ([(DROPPED,)] if refused else [])


def test_the_first_of_two_that_may_is_taken_and_the_required_one_waits_for_its_own() -> None:
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: pay, args: {q: a}}
          - {id: 2, tool: pay, args: {q: b}, required: true}
          - {id: 3, tool: pay, args: {q: c}}
        planner: [{steps: [{id: 7, tool: pay, args: {q: x}}, {id: 8, tool: pay, action: now, args: {q: b}},
                           {id: 9, tool: pay, args: {q: y}}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [semantic]}]
        """
    )
    assert [(step.id, step.replaces) for step in result.versions[-1].steps] == [("7", "1"), ("8", "2"), ("9", "3")]


def test_required_holds_for_what_came_of_the_step() -> None:
    """9 stands for 2 and does not say `required` again; a later draft may not drop it either."""
    events, result = rehearse(
        PLAN.partition("outcomes:")[0]
        + """
planner:
  - {when: {step: 2, type: semantic}, steps: [{id: 9, tool: ask, replaces: 2}]}
  - {when: {type: invalid_draft}, steps: [{id: 11, tool: ask, replaces: 9}]}
  - {steps: [{id: 10, tool: other}]}
outcomes:
  - {match: {step: 2, version: 1}, returns: [semantic]}
  - {match: {step: 9, version: 2}, returns: [shape]}
""",
    )
    assert refusals(events) == [(DROPPED.replace("2", "9"),)]
    assert (history(result)[-1].split()[1], ending(result)[0]) == ("11", "goal_met")


def test_a_changed_goal_does_not_lift_it() -> None:
    events, _ = rehearse(
        """
goal: g
steps: [{id: 1, tool: a}, {id: 2, tool: b, required: true}]
interruptions: [{after: 1, goal: h}]
planner:
  - {when: {goal: h}, steps: [{id: 9, tool: ask, replaces: 2}]}
  - {when: {type: semantic}, steps: [{id: 10, tool: other}]}
  - {otherwise: give_up}
outcomes: [{match: {tool: ask}, returns: [semantic]}]
"""
    )
    assert refusals(events) == [(DROPPED.replace("2", "9"),)]


# plan, what comes after -> reason, detail
ENDS: dict[str, tuple[str, tuple[str, str]]] = {
    "done in the final version": (
        "steps: [{id: 1, tool: a, required: true}]",
        ("goal_met", ""),
    ),
    "given up": (
        """
        steps: [{id: 1, tool: a, required: true, on_failure: skip}, {id: 2, tool: b, depends_on: []}]
        outcomes: [{match: {step: 1}, returns: [semantic]}]
        """,
        ("insufficient_evidence", "required and not done: E1"),
    ),
    "required by the policy and by itself is said once": (
        """
        steps: [{id: 1, tool: a, required: true, on_failure: skip}, {id: 2, tool: b, depends_on: []}]
        outcomes: [{match: {step: 1}, returns: [semantic]}]
        policy: {solver: {require: [E1, E9]}}
        """,
        ("insufficient_evidence", "required and not done: E1, E9"),
    ),
    "done, and left the plan at a changed goal": (
        """
        steps: [{id: 1, tool: a, required: true}, {id: 2, tool: b}]
        interruptions: [{after: 1, goal: h}]
        planner: [{steps: [{id: 8, tool: c}]}]
        """,
        ("goal_met", ""),
    ),
    "done, left, and void since": (
        """
        steps: [{id: 1, tool: a, required: true}, {id: 2, tool: b}]
        interruptions: [{after: 1, goal: h}]
        planner: [{steps: [{id: 8, tool: c}], verdicts: {E1: discard}}]
        """,
        ("insufficient_evidence", "required and not done: E1"),
    ),
    "done, and what stands for it now is not": (
        """
        steps: [{id: 1, tool: a, action: do it, required: true}, {id: 2, tool: b}]
        interruptions: [{after: 1, goal: h}]
        planner: [{steps: [{id: 8, tool: a, action: do it, on_failure: skip}, {id: 9, tool: c, depends_on: []}]}]
        outcomes: [{match: {step: 8}, returns: [semantic]}]
        """,
        ("insufficient_evidence", "required and not done: E1"),
    ),
    "what the policy requires follows its lineage, whatever stands for it": (
        """
        steps: [{id: 1, tool: a}, {id: 2, tool: b, depends_on: []}]
        planner: [{steps: [{id: 8, tool: c}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [semantic]}]
        policy: {solver: {require: [E1]}}
        """,
        ("goal_met", ""),
    ),
}


@pytest.mark.parametrize(("plan", "end"), ENDS.values(), ids=ENDS)
def test_at_the_end(plan: str, end: tuple[str, str]) -> None:
    _, result = rehearse("goal: g\n" + dedent(plan))
    assert ending(result) == end


CHANGED = """
goal: g
steps: [{id: 1, tool: a}, {id: 2, tool: b, required: true}]
interruptions: [{after: 1, goal: h}]
"""


def test_an_empty_answer_to_a_changed_goal_may_not_drop_a_required_step_either() -> None:
    events, result = rehearse(
        CHANGED + "planner: [{when: {type: invalid_draft}, steps: [{id: 2, tool: b}]}, {steps: []}]\n"
    )
    assert refusals(events) == [(DROPPED,)]
    assert ([(step.id, step.replaces) for step in result.versions[-1].steps], result.reason) == (
        [("3", "2")],
        "goal_met",
    )


def test_in_answer_to_a_failure_an_empty_one_is_no_plan() -> None:
    events, result = rehearse(PLAN + "planner: [{steps: []}]\n")
    assert (refusals(events), result.reason) == ([], "no_plan")


def test_what_is_stale_by_the_change_alone_is_kept_by_an_empty_answer() -> None:
    _, result = rehearse(CHANGED.replace(", required: true", "") + "planner: [{steps: []}]\n")
    assert (result.variables["E1"].health, result.variables["E1"].verdict) == ("clean", "keep")
    assert result.reason == "goal_met"


def test_the_template_drops_nothing() -> None:
    events, result = rehearse(PLAN + "interruptions: [{after: 1, goal: h}]\n")
    assert (refusals(events), result.reason) == ([], "goal_met")
