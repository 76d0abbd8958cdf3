"""The decisions that the documentation names, one by one."""

from __future__ import annotations

import pytest

from replanctl.cost import CostModel, padded
from replanctl.files import Role, Source, parse_rehearsal
from tests.rehearse import rehearse
from tests.replan.listing import changes, version
from tests.run.telling import gates, history, routes


def test_a_version_is_a_counter_and_not_the_number_of_steps() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: a, granularity: patch}, {id: 2, tool: b}, {id: 3, tool: c}]
planner: [{when: {error: two}, steps: [{id: 1, tool: d}, {id: 7, tool: e}, {id: 8, tool: f}]}]
outcomes: [{match: {step: 1}, returns: [{status: shape, message: one}, {status: shape, message: two}, ok]}]
"""
    )
    assert [(v.version, len(v.steps)) for v in result.versions] == [("v1", 3), ("v2", 3), ("v3", 5)]


@pytest.mark.parametrize(
    ("first", "rule"),
    [
        ("{id: 1, tool: text}", "plan-typo"),  # 1 is done, the field is not there
        ("{id: 1, tool: bad, on_failure: skip}", "broken-dependency"),
        ("{id: 1, tool: a, depends_on: [3]}", "hidden-dependency"),
    ],
)
def test_a_missing_variable_looks_at_the_step_it_references(first: str, rule: str) -> None:
    _, result = rehearse(
        f"""
goal: g
steps:
  - {{id: 0, tool: zero}}
  - {first}
  - {{id: 2, tool: b, args: {{x: "#E1.rows"}}, depends_on: []}}
  - {{id: 3, tool: c, depends_on: []}}
""",
        """
outcomes:
  - {match: {tool: bad}, returns: [error]}
  - {match: {tool: text}, returns: [{status: ok, value: text}]}
  - {match: {step: 1}, returns: [{status: ok, value: {rows: 1}}]}
""",
    )
    assert [route.rule for route in result.routes] == [rule]


@pytest.mark.parametrize("status", ["timeout", "shape", "semantic", "denied", "error"])
def test_a_missing_variable_is_found_before_the_call(status: str) -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, args: {x: '#E9'}, granularity: none}]",
        f"outcomes: [{{match: {{step: 1}}, returns: [{status}]}}]",
    )
    assert history(result) == ["v1 1 failed 0-0 (missing_var: #E9: no such step)"]


@pytest.mark.parametrize(("radius", "cut"), [("transitive", "tail"), ("direct", "patch")])
def test_the_radius_is_transitive(radius: str, cut: str) -> None:
    _, result = rehearse(
        f"""
goal: g
steps: [{{id: 1, tool: a}}, {{id: 2, tool: b}}, {{id: 3, tool: c}}]
policy: {{routing: {{radius: {radius}}}}}
outcomes: [{{match: {{step: 1, version: 1}}, returns: [shape]}}]
"""
    )
    assert [route.granularity for route in result.routes] == [cut]


@pytest.mark.parametrize(
    ("limit", "charged", "reason"),
    [(432, [360], "goal_met"), (431, [], "token_budget")],  # ⌈360 × 1.2⌉ = 432
)
def test_what_is_refused_before_the_call_is_not_charged_and_only_the_estimate_is_padded(
    limit: int, charged: list[int], reason: str
) -> None:
    _, result = rehearse(
        f"goal: g\nsteps: [{{id: 1, tool: a}}]\npolicy: {{gates: {{max_replan_tokens: {limit}}}}}",
        "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]",
    )
    assert padded(360) == 432
    assert ([line.booked for line in result.ledger.lines if line.kind == "replan"], result.reason) == (charged, reason)


SEESAW = """
goal: g
steps: [{{id: 1, tool: a, granularity: patch}}]
planner:
  - {{when: {{error: one}}, steps: [{{id: 1, tool: {second}, action: {action}, args: {{n: 2}}, granularity: patch}}]}}
  - {{when: {{error: two}}, steps: [{{id: 1, tool: a, granularity: patch}}]}}
outcomes:
  - match: {{step: 1, tool: a}}
    returns: [{{status: shape, message: one}}, ok]
  - match: {{step: 1}}
    returns: [{{status: shape, message: two}}]
"""


def test_a_return_to_an_abandoned_plan_is_oscillation() -> None:
    _, result = rehearse(SEESAW.format(second="b", action="b"))
    assert (result.reason, gates(result)[-1]) == ("oscillation", "v2 1 max_repeat 1/1!")


def test_the_plan_that_is_being_replaced_is_not() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: a, granularity: patch}]
planner: [{steps: [{id: 1, tool: a, args: {n: 2}, granularity: patch}]}]
outcomes: [{match: {step: 1}, returns: [shape]}]
"""
    )
    assert (result.reason, [g for g in gates(result) if "max_repeat" in g]) == (
        "step_breaker",
        [f"v{n} 1 max_repeat 0/1" for n in (1, 2, 3)],
    )


def test_a_global_grows_steadily_with_what_is_done() -> None:
    model = CostModel()
    totals = [model.tail(total=8, done=done) + model.rerun(done) for done in range(8)]
    assert totals == [780, 925, 1070, 1215, 1360, 1505, 1650, 1795]
    assert model.patch(total=8, done=5) == 545
    assert round(totals[5] / 545, 1) == 2.8


@pytest.mark.parametrize(
    ("steps", "preset", "limits"),
    [
        (3, "", (3, 5, 20000, 12)),
        (9, "", (3, 5, 20000, 18)),
        (3, "preset: anchored", (3, 1, 576, 12)),  # half the main flow, 440, would forbid every replan
    ],
)
def test_defaults_are_fixed_numbers_and_the_preset_has_a_floor(
    steps: int, preset: str, limits: tuple[int, ...]
) -> None:
    plan = "\n".join(f"  - {{id: {n}, tool: t}}" for n in range(1, steps + 1))
    _, result = rehearse(
        f"goal: g\nsteps:\n{plan}\npolicy: {{gates: {{{preset}}}}}",
        "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]",
    )
    seen = {gate.gate: gate.limit for gate in result.gates}
    assert tuple(seen[name] for name in ("per_step", "max_replans", "max_replan_tokens", "max_steps")) == limits
    assert result.reason == "goal_met"


def test_a_tail_relists_what_rests_on_the_failure_step_by_step() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 3, tool: c, depends_on: [2]}
  - {id: 4, tool: other, depends_on: []}
  - {id: 5, tool: other, depends_on: [4]}
outcomes: [{match: {step: 1, version: 1}, returns: [semantic]}]
"""
    )
    assert changes(result) == ["v1→v2 tail semantic@1: -2,3 +6,7 ~1"]
    assert [line.split(" – ")[0] for line in version(result)] == [
        "1 a “work around [semantic]”",
        "6 b “b” after 1 instead of 2",
        "7 c “c” after 6 instead of 3",
        "4 other “other”",
        "5 other “other” after 4",
    ]


def test_independent_branches_go_on_when_a_failure_is_handed_to_a_person() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 4, tool: other, depends_on: []}
  - {id: 5, tool: other, depends_on: [4]}
outcomes: [{match: {step: 1}, returns: [denied]}]
"""
    )
    assert history(result) == [
        "v1 1 failed 0-1 a:denied (permission: denied)",
        "v1 2 skipped 1-1",
        "v1 4 done 1-2 other:ok",
        "v1 5 done 2-3 other:ok",
    ]
    assert result.reason == "escalated"


def test_a_reference_to_nothing_is_no_error_at_load() -> None:
    text = "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b, args: {x: '#E404'}}]"
    rehearsal = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])
    assert [(problem.rule, problem.severity) for problem in rehearsal.warnings] == [("unknown-reference", "warning")]
    _, result = rehearse(text)
    assert routes(result) == ["v1 2 missing_var radius 0 plan-typo → patch"]
    assert result.reason == "goal_met_with_gaps"
