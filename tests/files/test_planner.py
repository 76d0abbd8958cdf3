"""Scripted planner rules, and drafts from planners outside."""

from __future__ import annotations

import pytest

from replanctl.errors import InputError
from replanctl.files import parse_draft
from replanctl.live.variables import Verdict
from replanctl.plan.model import Granularity, Step
from replanctl.replan.replanner import Otherwise, PlannerRule, PlannerWhen
from replanctl.replan.signal import ErrorType
from tests.files.case import STEPS, found, rehearse

WHOLE = """\
planner:
- when: {error: No price, type: invalid_draft, step: 2, granularity: tail}
  cause: by quote only
  steps: [{id: 3, tool: t}, {id: 4, tool: t, depends_on: [], replaces: 2}, {id: 2, tool: u, action: again}]
  verdicts: {E1: keep, E2: discard}
- when: {goal: yearly}
  steps: []
- otherwise: template
"""

PLANNER = (
    PlannerRule(
        PlannerWhen("No price", ErrorType.INVALID_DRAFT, "2", Granularity.TAIL),
        "by quote only",
        (
            Step("3", "t", action="t"),
            Step("4", "t", action="t", depends_on=(), replaces="2"),
            Step("2", "u", action="again"),
        ),
        {"E1": Verdict.KEEP, "E2": Verdict.DISCARD},
    ),
    PlannerRule(PlannerWhen(goal="yearly")),
    PlannerRule(otherwise=Otherwise.TEMPLATE),
)


def test_everything_a_planner_may_say() -> None:
    rehearsal = rehearse(STEPS + WHOLE)
    assert (rehearsal.planner, rehearsal.warnings) == (PLANNER, ())


def test_no_planner_is_the_template() -> None:
    assert rehearse(STEPS).planner == ()


WRONG: list[tuple[str, str, str]] = [
    ("planner: {}", "wrong-type", "{}"),
    ("planner: [give_up]", "wrong-type", "give_up"),
    ("planner: [{when: {}}]", "missing-key", "{when"),
    ("planner: [{otherwise: stop}]", "bad-choice", "stop"),
    ("planner: [{otherwise: give_up, when: {}}]", "unknown-key", "when"),
    ("planner: [{when: {errors: x}, steps: []}]", "unknown-key", "errors"),
    ("planner: [{when: {type: goal-changed}, steps: []}]", "bad-choice", "goal-changed"),
    ("planner: [{when: {granularity: deep}, steps: []}]", "bad-choice", "deep"),
    ("planner: [{verdicts: {'1': keep}, steps: []}]", "bad-variable", "'1'"),
    ("planner: [{verdicts: {E1: kep}, steps: []}]", "bad-choice", "kep"),
    ("planner: [{steps: [{id: 1}]}]", "missing-key", "{id"),
    ("planner: [{steps: [{id: 1, tool: t}, {id: '1', tool: t}]}]", "duplicate-id", "'1'"),
    ("planner: [{steps: [{id: 1, tool: t, replaces: [2]}]}]", "bad-id", "[2]"),
    ("planner: [{when: {step: 9}, steps: []}]", "unknown-step", "9"),
    ("planner: [{otherwise: give_up}, {steps: []}]", "unreachable-rule", "{steps"),
]


@pytest.mark.parametrize(("line", "rule", "at"), WRONG)
def test_what_is_wrong_with_a_planner(line: str, rule: str, at: str) -> None:
    ((got, row, column),) = found(STEPS + line + "\n")
    assert (got, row) == (rule, 5)
    assert line[column - 1 :].startswith(at)


def test_names_in_drafts_are_left_to_the_draft_check() -> None:
    planner = (
        "planner:\n- steps: [{id: 8, tool: u, assumes: [y], depends_on: [77], args: {a: '#E99'}, "
        "alternatives: [{tool: w}]}]\n"
    )
    assert found("assumptions: {x: ''}\ntools: {t: {}}\n" + STEPS + planner) == []


DRAFTS: list[tuple[str, PlannerRule]] = [
    ("[]", PlannerRule()),
    ("- {id: 3, tool: t}\n", PlannerRule(steps=(Step("3", "t", action="t"),))),
    (
        '{"steps": [{"id": 3, "tool": "t", "args": {"q": "\\ud83d\\ude00 \\\\ud83d"}}], "cause": "c"}',
        PlannerRule(cause="c", steps=(Step("3", "t", {"q": "😀 \\ud83d"}, action="t"),)),
    ),
    ("steps: []\nverdicts: {E1: convert}\n", PlannerRule(verdicts={"E1": Verdict.CONVERT})),
    ("```yaml\n- {id: 3, tool: t}\n```", PlannerRule(steps=(Step("3", "t", action="t"),))),
    ("Sure!\r\n```json\r\n[]\r\n```\r\nDone: that's it.", PlannerRule()),
    ("~~~~\nsteps: [{id: 3, tool: t, args: {x: '~~~'}}]\n~~~~\n", PlannerRule(steps=(Step("3", "t", {"x": "~~~"}),))),
    (
        "steps:\n- id: 3\n  tool: t\n  args:\n    x: |\n      ```\n      y\n      ```\n",
        PlannerRule(steps=(Step("3", "t", {"x": "```\ny\n```\n"}),)),
    ),
    (
        "- {id: 3, tool: t, required: true, again: true}",
        PlannerRule(steps=(Step("3", "t", required=True, again=True),)),
    ),
]


@pytest.mark.parametrize(("text", "rule"), DRAFTS)
def test_a_draft_from_outside(text: str, rule: PlannerRule) -> None:
    assert parse_draft(text, "planner") == rule


BAD: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("", [("empty-file", 1, 1)]),
    ("null", [("wrong-type", 1, 1)]),
    ("I am sorry, I can't plan this.", [("wrong-type", 1, 1)]),
    ("Here:\n```yaml\n- {id: 3}\n```\n", [("missing-key", 3, 3)]),
    ("```\n[]\n```\nor\n```\n- {id: 3, tool: t}\n```\n", [("several-answers", 5, 4)]),
    ("\\ud83d\\ude00 ```\n```\n[]\n```\n\\ud83d\\ude00\n``` x\n```\n", [("several-answers", 6, 6)]),
    ("```yaml\n- {id: 3, tool: t}\n", [("open-block", 1, 8)]),
    ("```\n```", [("empty-file", 1, 1)]),
    ("- a\n- b\n```\n- {id: 3, tool: t, x: 1}\n```\n", [("unknown-key", 4, 20)]),
    ("- {id: 3, tool: t, x: '```'}\n", [("unknown-key", 1, 20)]),
    ("- id: 3\n  tool: t\n  args:\n    q: #E3\n", [("unquoted-reference", 4, 8)]),
    ("- id: 3\n  tool: t\n  args: {q: #E3.rows}\n", [("unquoted-reference", 3, 13), ("yaml-syntax", 4, 1)]),
    ("{}", [("missing-key", 1, 1)]),
    (
        "- {id: 3}\n- {id: 3, tool: t, tol: u}\n",
        [("missing-key", 1, 3), ("duplicate-id", 2, 8), ("unknown-key", 2, 20)],
    ),
    ('[{"id": 1, "id": 2, "tool": "t"}]', [("duplicate-key", 1, 12)]),
    ('["\ud800"]', [("lone-surrogate", 1, 3)]),
    ("otherwise: give_up\nsteps: []\n", [("unknown-key", 1, 1)]),
]


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_a_bad_draft_says_everything_that_is_wrong(text: str, expected: list[tuple[str, int, int]]) -> None:
    with pytest.raises(InputError) as refused:
        parse_draft(text, "planner")
    assert [(p.file, p.rule, p.line, p.column) for p in refused.value.problems] == [
        ("planner", *row) for row in expected
    ]


def test_an_unquoted_reference_to_a_step_that_the_draft_does_not_list() -> None:
    text = "- id: 3\n  tool: t\n  args:\n    q: #E7\n"
    assert parse_draft(text, "planner").steps[0].args == {"q": None}
    with pytest.raises(InputError) as refused:
        parse_draft(text, "planner", ["7"])
    assert [problem.rule for problem in refused.value.problems] == ["unquoted-reference"]
