"""Scripted outcomes and interruptions, in the plan or in a file of their own."""

from __future__ import annotations

import pytest

from replanctl.replan.signal import Status
from replanctl.run.interruptions import Interruption
from replanctl.script import Entry, Match, OutcomeRule
from tests.files.case import STEPS, found, rehearse

WHOLE = """\
outcomes:
- match: {step: 2, tool: t, args: {a: [1]}, version: v2}
  returns:
  - {status: timeout, latency: 30s, retry_after: 2, tokens: 5, cause: slow, refutes: [x]}
  - rate_limited
  - lost
  - {status: ok, value: null}
  - {status: ok, value: {rows: [{price: 0.021}]}, message: fine}
- returns: [denied]

- match: {version: 3}
  returns: [{status: shape, message: "no field"}]
interruptions:
- {after: 2, goal: yearly, refutes: [x, y]}
- {at: 12.5s, goal: monthly}
"""

OUTCOMES = (
    OutcomeRule(
        Match("2", "t", {"a": [1]}, 2),
        (
            Entry(Status.TIMEOUT, latency=30.0, retry_after=2.0, tokens=5, cause="slow", refutes=("x",)),
            Entry(Status.RATE_LIMITED),
            Entry(Status.LOST),
            Entry(Status.OK, None),
            Entry(Status.OK, {"rows": [{"price": 0.021}]}, "fine"),
        ),
        2,
    ),
    OutcomeRule(Match(), (Entry(Status.DENIED),), 9),
    OutcomeRule(Match(version=3), (Entry(Status.SHAPE, message="no field"),), 11),
)

INTERRUPTIONS = (Interruption("yearly", "2", None, ("x", "y")), Interruption("monthly", None, 12.5))


def test_everything_a_file_of_outcomes_may_say() -> None:
    rehearsal = rehearse(STEPS, outcomes=WHOLE)
    assert (rehearsal.outcomes, rehearsal.interruptions, rehearsal.warnings) == (OUTCOMES, INTERRUPTIONS, ())


@pytest.mark.parametrize("anchor", ["", "&g "], ids=["quick", "careful"])
def test_rules_know_their_lines_also_inside_a_plan(anchor: str) -> None:
    text = STEPS.replace("goal: g", f"goal: {anchor}g") + WHOLE
    assert [rule.line for rule in rehearse(text).outcomes] == [6, 13, 15]


def test_a_file_replaces_only_the_sections_it_has() -> None:
    text = STEPS + "outcomes:\n- returns: [error]\ninterruptions:\n- {after: 1, goal: h}\n"
    rehearsal = rehearse(text, outcomes="outcomes: []\n")
    assert (rehearsal.outcomes, rehearsal.interruptions) == ((), (Interruption("h", "1"),))


WRONG: list[tuple[str, str, str]] = [
    ("outcomes: {}", "wrong-type", "{}"),
    ("outcomes: [ok]", "wrong-type", "ok"),
    ("outcomes: [{match: {}}]", "missing-key", "{match"),
    ("outcomes: [{returns: []}]", "empty-list", "[]"),
    ("outcomes: [{returns: ok}]", "wrong-type", "ok"),
    ("outcomes: [{returns: [okay]}]", "bad-choice", "okay"),
    ("outcomes: [{returns: [no]}]", "bad-choice", "no"),
    ("outcomes: [{returns: [{value: 1}]}]", "missing-key", "{value"),
    ("outcomes: [{returns: [{status: rate-limited}]}]", "bad-choice", "rate-limited"),
    ("outcomes: [{returns: [{status: ok, latency: -1}]}]", "bad-duration", "-1"),
    ("outcomes: [{returns: [{status: ok, tokens: -1}]}]", "bad-number", "-1"),
    ("outcomes: [{returns: [{status: ok, tokens: 1.5}]}]", "bad-number", "1.5"),
    ("outcomes: [{returns: [{status: ok, tokens: 1000000001}]}]", "bad-number", "1000000001"),
    ("outcomes: [{returns: [{status: error, message: 5}]}]", "wrong-type", "5"),
    ("outcomes: [{returns: [{status: error, refutes: x}]}]", "wrong-type", "x"),
    ("outcomes: [{returns: [{status: error, because: x}]}]", "unknown-key", "because"),
    ("outcomes: [{return: [ok], returns: [ok]}]", "unknown-key", "return"),
    ("outcomes: [{match: {steps: 1}, returns: [ok]}]", "unknown-key", "steps"),
    ("outcomes: [{match: {step: 1.5}, returns: [ok]}]", "bad-id", "1.5"),
    ("outcomes: [{match: {args: [1]}, returns: [ok]}]", "wrong-type", "[1]"),
    ("outcomes: [{match: {version: 0}, returns: [ok]}]", "bad-version", "0"),
    ("outcomes: [{match: {version: v0}, returns: [ok]}]", "bad-version", "v0"),
    ("outcomes: [{match: {version: '2'}, returns: [ok]}]", "bad-version", "'2'"),
    ("outcomes: [{match: {version: true}, returns: [ok]}]", "bad-version", "true"),
    ("interruptions: [{after: 1}]", "missing-key", "{after"),
    ("interruptions: [{goal: h}]", "after-or-at", "{goal"),
    ("interruptions: [{goal: h, after: 1, at: 2s}]", "after-or-at", "{goal"),
    ("interruptions: [{goal: '', after: 1}]", "empty-text", "''"),
    ("interruptions: [{goal: h, at: soon}]", "bad-duration", "soon"),
    ("policy: {}", "unknown-key", "policy"),
    ("steps: []", "unknown-key", "steps"),
]


@pytest.mark.parametrize(("line", "rule", "at"), WRONG)
def test_what_is_wrong_with_outcomes(line: str, rule: str, at: str) -> None:
    extra = "" if "outcomes" in line else "outcomes: []\n"
    ((got, row, column),) = found(STEPS, outcomes=line + "\n" + extra)
    assert (got, row) == (rule, 1)
    assert line[column - 1 :].startswith(at)


def test_a_file_of_outcomes_has_some() -> None:
    assert found(STEPS, outcomes="{}\n") == [("missing-key", 1, 1)]
    assert found(STEPS, outcomes="- returns: [ok]\n") == [("wrong-type", 1, 1)]


def test_names_are_held_against_the_plan() -> None:
    head = "assumptions: {x: ''}\ntools: {t: {}}\n"
    text = (
        "outcomes:\n"
        "- {match: {step: 9, tool: u}, returns: [{status: error, refutes: [x, z]}]}\n"
        "interruptions:\n"
        "- {after: 8, goal: h, refutes: [y]}\n"
    )
    assert found(head + STEPS, outcomes=text) == [
        ("unknown-step", 2, 18),
        ("unknown-tool", 2, 27),
        ("unknown-assumption", 2, 70),
        ("unknown-step", 4, 11),
        ("unknown-assumption", 4, 33),
    ]


def test_a_step_that_only_a_draft_has_is_no_warning() -> None:
    planner = "planner:\n- steps: [{id: 7, tool: t}]\n"
    assert found(STEPS + planner, outcomes="outcomes:\n- {match: {step: 7}, returns: [error]}\n") == []


def test_refutes_on_ok_is_doubtful() -> None:
    assert found(STEPS, outcomes="outcomes:\n- returns: [{status: ok, refutes: [x]}]\n") == [("refutes-on-ok", 2, 13)]


SCHEMA = """\
goal: g
tools: {t: {fallback: u}, u: {}}
steps:
- {id: 1, tool: t, args: {a: 1}, produces: {schema: {type: object}}}
- {id: 2, tool: t, args: {a: "#E1"}}
"""

VALUES: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("- returns: [ok]\n", [("value-required", 2, 13)]),
    ("- returns: [error, {status: ok}]\n", [("value-required", 2, 20)]),
    ("- returns: [{status: ok, value: {}}]\n", []),
    ("- {match: {step: 1}, returns: [ok]}\n", [("value-required", 2, 32)]),
    ("- {match: {step: 2}, returns: [ok]}\n", []),
    ("- {match: {tool: t}, returns: [ok]}\n", [("value-required", 2, 32)]),
    ("- {match: {tool: u}, returns: [ok]}\n", [("value-required", 2, 32)]),
    ("- {match: {tool: v}, returns: [error]}\n", [("unknown-tool", 2, 18)]),
    ("- {match: {args: {a: 1}}, returns: [ok]}\n", [("value-required", 2, 37)]),
    ("- {match: {args: {a: 2}}, returns: [ok]}\n", []),
    ("- {match: {step: 1}, returns: [{status: ok, value: {}}]}\n- {match: {tool: t}, returns: [ok]}\n", []),
    (
        "- {match: {step: 1}, returns: [timeout]}\n- {match: {tool: u}, returns: [ok]}\n",
        [("value-required", 3, 32)],
    ),
    ("- returns: [error]\n- returns: [ok]\n", []),
    ("- {match: {args: {a: 1}}, returns: [error]}\n- returns: [ok]\n", []),
    (
        "- {match: {version: 1}, returns: [error]}\n- returns: [ok]\n",
        [("value-required", 3, 13)],
    ),
]


@pytest.mark.parametrize(("rules", "expected"), VALUES)
def test_ok_needs_a_value_where_the_contract_is_a_json_schema(rules: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(SCHEMA, outcomes="outcomes:\n" + rules) == expected
