"""The scripted planner: which rule answers, and what a bad draft leads to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from replanctl.live.draft import Draft
from replanctl.live.variables import Verdict
from replanctl.plan.model import Granularity, Step
from replanctl.replan.prompt import ReplanRequest
from replanctl.replan.replanner import Otherwise, PlannerRule, PlannerWhen, ScriptedReplanner
from replanctl.replan.signal import ErrorType, FailureSignal
from tests.rehearse import rehearse
from tests.replan.answering import Answering
from tests.replan.listing import changes, drafts, refusals, version
from tests.run.telling import gates

FAILURE = ReplanRequest(
    "Compare costs",
    Granularity.TAIL,
    signal=FailureSignal("7", ErrorType.ASSUMPTION, "No Public price"),
    lineage=("3", "7"),
)
GOAL = ReplanRequest("Compare the Yearly cost", Granularity.GLOBAL, goal_changed=True)

# when -> whether it matches the failure, whether it matches the changed goal
WHEN: dict[str, tuple[dict[str, Any], bool, bool]] = {
    "nothing said": ({}, True, True),
    "text of the message": ({"error": "no public"}, True, False),
    "whatever its case": ({"error": "PUBLIC PRICE"}, True, False),
    "the whole message": ({"error": "No Public price"}, True, False),
    "no text at all": ({"error": ""}, True, False),
    "other text": ({"error": "public  price"}, False, False),
    "the type": ({"type": ErrorType.ASSUMPTION}, True, False),
    "another type": ({"type": ErrorType.SEMANTIC}, False, False),
    "the step": ({"step": "7"}, True, False),
    "what it replaced": ({"step": "3"}, True, False),
    "another step": ({"step": "1"}, False, False),
    "the granularity": ({"granularity": Granularity.TAIL}, True, False),
    "another granularity": ({"granularity": Granularity.GLOBAL}, False, True),
    "text of the goal": ({"goal": "yearly"}, False, True),
    "whatever the goal's case": ({"goal": "THE YEARLY"}, False, True),
    "text of the old goal": ({"goal": "compare costs"}, False, False),
    "all of it": (
        {"error": "price", "type": ErrorType.ASSUMPTION, "step": "3", "granularity": Granularity.TAIL},
        True,
        False,
    ),
    "all but one": ({"error": "price", "type": ErrorType.ASSUMPTION, "step": "1"}, False, False),
    "a goal and a failure": ({"goal": "yearly", "error": "price"}, False, False),
}


@pytest.mark.parametrize(("when", "at_failure", "at_goal"), WHEN.values(), ids=WHEN)
def test_when_a_rule_matches(when: dict[str, Any], at_failure: bool, at_goal: bool) -> None:
    planner = ScriptedReplanner([PlannerRule(PlannerWhen(**when), steps=(Step("9", "ask"),))])
    assert [planner.replan(asked) is not None for asked in (FAILURE, GOAL)] == [at_failure, at_goal]


def rule(id_: str, cause: str = "", **when: Any) -> PlannerRule:
    return PlannerRule(PlannerWhen(**when), cause, (Step(id_, "ask"),), {"E1": Verdict.KEEP})


GIVE_UP, TEMPLATE = PlannerRule(otherwise=Otherwise.GIVE_UP), PlannerRule(otherwise=Otherwise.TEMPLATE)

# rules -> the id of the first step of the answer, "nothing" for an empty plan, None for the template; the cause
RULES: dict[str, tuple[list[PlannerRule], str | None, str]] = {
    "the first that matches": ([rule("7", step="1"), rule("8", "by quote"), rule("9", "never")], "8", "by quote"),
    "otherwise gives up": ([rule("7", step="1"), GIVE_UP], "nothing", ""),
    "otherwise the template": ([rule("7", step="1"), TEMPLATE], None, ""),
    "otherwise stands where it stands": ([GIVE_UP, rule("7")], "nothing", ""),
    "no rule matches": ([rule("7", "x", step="1")], None, ""),
    "no rules": ([], None, ""),
}


@pytest.mark.parametrize(("rules", "answer", "cause"), RULES.values(), ids=RULES)
def test_which_rule_answers(rules: list[PlannerRule], answer: str | None, cause: str) -> None:
    planner = ScriptedReplanner(rules)
    steps = () if answer == "nothing" else (Step(answer or "", "ask"),) if answer else None
    verdicts = {"E1": Verdict.KEEP} if answer not in (None, "nothing") else {}
    expected = None if steps is None else Draft(steps, verdicts, gives_up=answer == "nothing")
    assert planner.replan(FAILURE) == expected
    assert planner.cause(FAILURE) == cause


def test_a_replanner_is_pure() -> None:
    planner = ScriptedReplanner([rule("7")])
    assert planner.replan(FAILURE) == planner.replan(FAILURE)


PLAN = """
goal: g
steps:
  - {id: 1, tool: look}
  - {id: 2, tool: sum, expected_outcome: a total}
  - {id: 3, tool: write}
outcomes: [{match: {step: 2, version: 1}, returns: [{status: semantic, message: no way}]}]
"""
BAD_ONCE = f"""{PLAN}
planner:
  - when: {{type: semantic}}
    cause: it was the wrong sum
    steps: [{{id: 2, tool: sum, depends_on: [99]}}, {{id: 3, tool: write, depends_on: [98]}}]
  - when: {{type: invalid_draft, error: "depends on 99"}}
    steps: [{{id: 2, tool: ask}}]
"""


def test_a_bad_draft_becomes_a_lesson_and_is_asked_again() -> None:
    events, result = rehearse(BAD_ONCE)
    reasons = ("step 2 depends on 99, which is not in the plan", "step 3 depends on 98, which is not in the plan")
    assert refusals(events) == [reasons]
    assert [(lesson.text, lesson.error_type) for lesson in result.lessons] == [
        ("v1 step 2 semantic: it was the wrong sum; avoid: sum: semantic", "semantic"),
        (f"v1 step 2 invalid_draft: {'; '.join(reasons)}; avoid: sum: semantic", "invalid_draft"),
    ]
    assert gates(result) == [
        "v1 2 per_step 0/3",
        "v1 2 max_replans 0/5",
        "v1 2 max_replan_tokens 534/20000",  # ⌈(120 + 40 + 80 + 60 + 25 + 60 × 2) × 1.2⌉
        "v1 2 per_step 0/3",  # counted under its own type
        "v1 2 max_replans 1/5",
        "v1 2 max_replan_tokens 1051/20000",  # 445 + ⌈505 × 1.2⌉: one lesson more
        "v1 2 max_repeat 0/1",
        "v1 2 max_steps 3/12",
    ]
    assert (changes(result), result.reason) == (["v1→v2 tail semantic@2: -3 ~2"], "goal_met")
    assert [(s.error_type, s.error_msg) for s in result.signals] == [("semantic", "no way")]
    assert [(r.rule, r.error_type) for r in result.routes] == [("wrong-decomposition", "semantic")]
    assert [line.booked for line in result.ledger.lines if line.kind == "replan"] == [445, 505]


def test_what_a_replanner_is_told_after_a_bad_draft() -> None:
    bad, good = Draft((Step("2", "sum", depends_on=("9" * 60,)),)), Draft((Step("2", "ask"),))
    replanner = Answering(bad, bad, good)
    rehearse(PLAN, replanner=replanner)
    reason = f"step 2 depends on {'9' * 60}, which is not in the plan"
    again = FailureSignal("2", ErrorType.INVALID_DRAFT, reason, ("sum: semantic",), {"reasons": [reason]})
    first = FailureSignal("2", ErrorType.SEMANTIC, "no way", ("sum: semantic",), {"radius": 1})
    assert [request.signal for request in replanner.requests] == [first, again, again]
    assert [request.granularity for request in replanner.requests] == ["tail", "tail", "tail"]


@pytest.mark.parametrize(
    ("policy", "asked", "reason", "last"),
    [
        # semantic once, then three times invalid_draft
        ("{}", 4, "step_breaker", "v1 2 per_step 3/3!"),
        ("{gates: {per_step: 1}}", 2, "step_breaker", "v1 2 per_step 1/1!"),
        ("{gates: {per_step: 9}}", 5, "replan_budget", "v1 2 max_replans 5/5!"),
        ("{gates: {max_replans: 2}}", 2, "replan_budget", "v1 2 max_replans 2/2!"),
        ("{gates: {max_replan_tokens: 1050}}", 1, "token_budget", "v1 2 max_replan_tokens 1051/1050!"),
        ("{gates: {max_replan_tokens: 1051, per_step: 1}}", 2, "step_breaker", "v1 2 per_step 1/1!"),
    ],
)
def test_bad_drafts_pass_the_same_gates(policy: str, asked: int, reason: str, last: str) -> None:
    plan = f"""{PLAN}
planner: [{{steps: [{{id: 2, tool: sum, depends_on: [99]}}, {{id: 3, tool: write, depends_on: [98]}}]}}]
policy: {policy}
"""
    events, result = rehearse(plan)
    assert (len(drafts(events)), result.reason, gates(result)[-1]) == (asked, reason, last)
    assert len(result.versions) == 1


def test_the_same_bad_draft_again_only_counts_its_lesson_up() -> None:
    _, result = rehearse(f"{PLAN}\nplanner: [{{steps: [{{id: 2, tool: sum, depends_on: [99]}}]}}]")
    assert [(lesson.count, lesson.error_type) for lesson in result.lessons] == [(1, "semantic"), (4, "invalid_draft")]


@pytest.mark.parametrize(
    ("planner", "reason", "detail"),
    [
        ("[{steps: []}]", "no_plan", "the replanner gave up on step 2"),
        ("[{otherwise: give_up}]", "no_plan", "the replanner gave up on step 2"),
        ("[{when: {step: 9}, steps: []}, {otherwise: give_up}]", "no_plan", "the replanner gave up on step 2"),
        ("[{otherwise: template}]", "goal_met", ""),
        ("[{when: {step: 9}, steps: []}]", "goal_met", ""),
    ],
)
def test_giving_up_and_the_template(planner: str, reason: str, detail: str) -> None:
    _, result = rehearse(f"{PLAN}\nplanner: {planner}")
    assert (result.reason, result.detail) == (reason, detail)
    assert [line.booked for line in result.ledger.lines if line.kind == "replan"] == [445]


@pytest.mark.parametrize(
    ("planner", "ending"),
    [
        ("[{when: {goal: g2}, steps: []}]", ("completed", "goal_met", "")),
        ("[{otherwise: give_up}]", ("failed", "no_plan", "the replanner gave up on the new goal")),
    ],
)
def test_nothing_left_to_do_for_a_new_goal_is_not_giving_up_on_it(planner: str, ending: tuple[str, str, str]) -> None:
    planner = planner.replace("steps: []", "steps: [], verdicts: {E1: keep}")
    _, result = rehearse(f"{PLAN}\nplanner: {planner}\ninterruptions: [{{after: 1, goal: g2}}]")
    assert (result.status, result.reason, result.detail) == ending


def test_giving_up_counts_and_changes_nothing() -> None:
    events, result = rehearse(f"{PLAN}\nplanner: [{{otherwise: give_up}}]")
    assert version(result) == [
        "1 look “look” – done",
        "2 sum “sum” after 1 – failed",
        "3 write “write” after 2 – pending",
    ]
    assert gates(result) == ["v1 2 per_step 0/3", "v1 2 max_replans 0/5", "v1 2 max_replan_tokens 534/20000"]
    assert [(d.replanner, d.steps, d.error) for d in drafts(events)] == [("scripted", (), None)]


@pytest.mark.parametrize(
    ("planner", "who"),
    [("[{otherwise: template}]", "template"), ("[{steps: [{id: 2, tool: ask}]}]", "scripted")],
)
def test_who_wrote_a_draft(planner: str, who: str) -> None:
    events, _ = rehearse(f"{PLAN}\nplanner: {planner}")
    assert [d.replanner for d in drafts(events)] == [who]


def test_a_template_draft_that_is_refused_for_a_call_hands_the_step_over() -> None:
    """The template can only repeat the denied call: that is for a person to settle."""
    plan = """
goal: g
steps: [{id: 1, tool: send, granularity: patch}]
outcomes: [{match: {step: 1}, returns: [denied]}]
"""
    events, result = rehearse(plan)
    reason = "step 1 makes a call of send that was denied before"
    assert refusals(events) == [(reason,)]
    assert (result.reason, result.detail) == ("escalated", "step 1 needs a person: permission")
    assert [lesson.error_type for lesson in result.lessons] == ["permission", "invalid_draft"]
    assert len(drafts(events)) == 1


def test_the_template_works_from_the_failure_also_after_a_bad_draft() -> None:
    plan = f"""{PLAN}
planner: [{{when: {{type: semantic}}, steps: [{{id: 2, tool: sum, depends_on: [99]}}]}}]
"""
    events, result = rehearse(plan)
    assert [d.replanner for d in drafts(events)] == ["scripted", "template"]
    assert version(result)[1:] == [
        "2 sum “work around [no way]” after 1 – done",
        "4 write “write” after 2 instead of 3 – done",
    ]


def test_a_call_that_is_done_and_may_not_be_made_twice_is_taken_with_a_warning() -> None:
    plan = """
goal: g
tools: {look: {}, send: {idempotent: false}, sum: {}}
steps: [{id: 1, tool: send, args: {to: x}}, {id: 2, tool: look}, {id: 3, tool: sum}]
outcomes: [{match: {step: 3, version: 1}, returns: [semantic]}]
planner:
  - steps:
      - {id: 4, tool: send, args: {to: x}, action: send again}
      - {id: 5, tool: send, args: {to: y}}
      - {id: 6, tool: look, action: look again}
"""
    _, result = rehearse(plan)
    assert result.warnings == ("taken from step 1: send acts only once",)
    assert [(row.step_id, len(row.attempts)) for row in result.history[3:]] == [("4", 0), ("5", 1), ("6", 1)]
    assert result.reason == "goal_met"


def test_a_bad_draft_for_a_changed_goal_is_asked_again_too() -> None:
    plan = """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
planner:
  - {when: {type: invalid_draft}, steps: [{id: 7, tool: ask}]}
  - {when: {goal: h}, steps: [{id: 7, tool: sum, depends_on: [99]}]}
interruptions: [{after: 1, goal: h}]
"""
    events, result = rehearse(plan)
    assert refusals(events) == [("step 7 depends on 99, which is not in the plan",)]
    assert (changes(result), result.reason) == (["v1→v2 global goal-changed: -1,2 +7"], "goal_met")
    assert [msgspec.structs.astuple(lesson) for lesson in result.lessons] == [
        ("v1 step none goal-changed: the goal is now h; avoid: none", 1, "v1", None, "goal-changed"),
        (
            "v1 step none invalid_draft: step 7 depends on 99, which is not in the plan; avoid: none",
            1,
            "v1",
            None,
            "invalid_draft",
        ),
    ]


def test_an_empty_answer_to_a_changed_goal_passes_the_gates_behind_the_draft_check_too() -> None:
    plan = """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
planner: [{when: {goal: h}, steps: []}]
interruptions: [{after: 1, goal: h}]
"""
    _, result = rehearse(plan)
    assert gates(result) == [
        "v1 None max_replans 0/5",
        "v1 None max_replan_tokens 462/20000",
        "v1 None max_repeat 0/1",
        "v1 None max_steps 1/12",
    ]
    assert (version(result), result.goal) == (["1 look “look” – done"], "h")


def test_a_placeholder_of_another_system_in_a_draft_is_told_with_the_form_to_use() -> None:
    text = (
        "goal: g\nsteps: [{id: 1, tool: get}, {id: 2, tool: send, args: {x: '#E1'}}]\n"
        "outcomes: [{match: {tool: send}, returns: [semantic]}]\n"
        "planner: [{when: {step: 2}, steps: [{id: 7, tool: mail, args: {to: '$1', is: ['{{steps.1.output}}']}}]}]\n"
    )
    _, result = rehearse(text)
    assert [warning for warning in result.warnings if warning.startswith("foreign")] == [
        f"foreign-reference: step 7 of the draft has the text {said}, which is no reference here:"
        " to read step 1, write #E1"
        for said in ("$1", "{{steps.1.output}}")
    ]
