"""Every routing rule reached by a session, who may force one, and the ladder that goes one way."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.model import Granularity
from replanctl.replan.routing import RULE_NAMES, RoutingPolicy
from tests.rehearse import rehearse
from tests.run.telling import ending, routes, versions

CHAIN = """
goal: g
assumptions: {p: premise}
steps:
  - {id: 1, tool: a, depends_on: [], assumes: [p]}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 3, tool: c, depends_on: [2]}
  - {id: 4, tool: d, depends_on: [3]}
"""

# rule -> plan sections beside the chain, what is returned in v1, the route, and the version it leads to (None: none)
REACHED = {
    "goal-changed": (
        "interruptions: [{after: 1, goal: other}]",
        "",
        "v1 None None radius None goal-changed → global",
        "v2 global goal-changed goal-changed: 5 6 7 8",
    ),
    "override": (
        "policy: {routing: {overrides: {'3': tail}}}",
        "{match: {step: 3, version: 1}, returns: [shape]}",
        "v1 3 assumption radius 1 override → tail",
        "v2 tail override assumption@3: 1 2 3 5",
    ),
    "environmental": (
        "",
        "{match: {step: 2}, returns: [unavailable]}",
        "v1 2 environmental radius 2 environmental → none",
        None,
    ),
    "permission": (
        "",
        "{match: {step: 2}, returns: [denied]}",
        "v1 2 permission radius 2 permission → none",
        None,
    ),
    "may-have-happened": (
        "tools: {a: {}, b: {idempotent: false}, c: {}, d: {}}",
        "{match: {step: 2}, returns: [error]}",
        "v1 2 unknown radius 2 may-have-happened → none",
        None,
    ),
    "broken-dependency": (
        "",
        "{match: {step: x}, returns: [shape]}",
        "v1 y missing_var radius 0 broken-dependency → tail",
        "v2 tail broken-dependency missing_var@y: 1 2 3 4 x y",
    ),
    "hidden-dependency": (
        "",
        "",
        "v1 y missing_var radius 0 hidden-dependency → patch",
        "v2 patch hidden-dependency missing_var@y: y 1 2 3 4 x",
    ),
    "plan-typo": (
        "",
        "",
        "v1 y missing_var radius 0 plan-typo → patch",
        "v2 patch plan-typo missing_var@y: 1 2 3 4 y",
    ),
    "premise-overturned": (
        "",
        "{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}",
        "v1 2 assumption radius 2 premise-overturned → global",
        "v2 global premise-overturned assumption@2: 5 6 7 8",
    ),
    "wrong-decomposition": (
        "",
        "{match: {step: 4, version: 1}, returns: [semantic]}",
        "v1 4 semantic radius 0 wrong-decomposition → tail",
        "v2 tail wrong-decomposition semantic@4: 1 2 3 4",
    ),
    "small-radius": (
        "",
        "{match: {step: 3, version: 1}, returns: [empty]}",
        "v1 3 assumption radius 1 small-radius → patch",
        "v2 patch small-radius assumption@3: 1 2 3 4",
    ),
    "wide-radius": (
        "",
        "{match: {step: 2, version: 1}, returns: [error]}",
        "v1 2 unknown radius 2 wide-radius → tail",
        "v2 tail wide-radius unknown@2: 1 2 5 6",
    ),
}
# The three rules for a missing variable need a reader, and all but a typo the step it reads.
READERS = {
    "broken-dependency": (
        "  - {id: x, tool: e, on_failure: skip}\n  - {id: y, tool: f, args: {x: '#Ex'}, depends_on: []}\n"
    ),
    "hidden-dependency": "  - {id: y, tool: f, args: {x: '#Ex'}, depends_on: []}\n",
    "plan-typo": "  - {id: y, tool: f, args: {x: '#E11'}}\n",
}


def test_every_rule_is_reached_below() -> None:
    assert tuple(REACHED) == RULE_NAMES


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_every_rule_of_the_table_is_reached(rule: str) -> None:
    sections, outcomes, route, version = REACHED[rule]
    reader, chain = READERS.get(rule, ""), CHAIN
    if rule == "hidden-dependency":  # the reader comes first
        chain = chain.replace("steps:\n", f"steps:\n{reader}")
        reader = "  - {id: x, tool: e}\n"
    _, result = rehearse(f"{chain}{reader}{sections}", f"outcomes: [{outcomes}]")
    assert routes(result) == [route]
    assert versions(result)[1:] == ([version] if version else [])
    assert result.reason == ("goal_met" if version else "escalated") or rule == "broken-dependency"


@pytest.mark.parametrize(
    ("force", "step", "overrides", "granularity"),
    [
        (None, "", "", None),
        (None, "", "'2': global", "global"),
        (None, "", "'2': patch", "patch"),
        (None, ", granularity: patch", "'2': global", "patch"),
        (Granularity.GLOBAL, ", granularity: patch", "'2': tail", "global"),
        (Granularity.PATCH, "", "", "patch"),
        (Granularity.NONE, ", granularity: patch", "", "none"),
    ],
)
def test_the_command_line_the_step_and_the_policy_may_force_a_granularity(
    force: Granularity | None, step: str, overrides: str, granularity: str | None
) -> None:
    text = CHAIN.replace("tool: b", f"tool: b{step}") + f"policy: {{routing: {{overrides: {{{overrides}}}}}}}"
    outcomes = "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]"
    command_line: dict[str, Any] = {"routing": RoutingPolicy(force=force)} if force else {}
    _, result = rehearse(text, outcomes, **command_line)
    rule = "override" if granularity else "wide-radius"
    assert routes(result) == [f"v1 2 assumption radius 2 {rule} → {granularity or 'tail'}"]


@pytest.mark.parametrize(
    ("rules", "outcome", "route"),
    [
        (
            "{name: be-bold, when: {error_type: environmental, tool: b}, granularity: patch}",
            "timeout",
            "v1 2 environmental radius 2 be-bold → patch",
        ),
        (
            "{name: no, when: {tool: c}, granularity: global}, {name: yes, granularity: global}",
            "shape",
            "v1 2 assumption radius 2 yes → global",
        ),
        (
            "{name: far, when: {min_radius: 3}, granularity: global}",
            "shape",
            "v1 2 assumption radius 2 wide-radius → tail",
        ),
        ("{name: hand-over, when: {step: 2}, granularity: none}", "shape", "v1 2 assumption radius 2 hand-over → none"),
    ],
)
def test_users_rules_come_before_the_tables(rules: str, outcome: str, route: str) -> None:
    _, result = rehearse(
        f"{CHAIN}policy: {{routing: {{rules: [{rules}]}}}}",
        f"outcomes: [{{match: {{step: 2, version: 1}}, returns: [{outcome}]}}]",
    )
    assert routes(result) == [route]


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        ('{of: "#E1"}', "premise-overturned → global"),
        ("{of: nothing}", "small-radius → patch"),
    ],
)
def test_a_premise_carries_what_was_computed_from_what_rests_on_it(args: str, rule: str) -> None:
    """Step 1, which assumes it, has left the plan; its variable lives on in what was computed from it."""
    _, result = rehearse(
        f"""
goal: g
assumptions: {{p: premise}}
steps: [{{id: 1, tool: a, assumes: [p]}}, {{id: 2, tool: b, granularity: global}}]
planner:
  - when: {{step: 2}}
    steps: [{{id: x, tool: c, args: {args}}}, {{id: y, tool: d, replaces: 1}}]
""",
        "outcomes: [{match: {step: 2}, returns: [shape]},"
        " {match: {tool: d, version: 2}, returns: [{status: shape, refutes: [p]}]}]",
    )
    assert routes(result)[1] == f"v2 y assumption radius 0 {rule}"


# -- the ladder --------------------------------------------------------------------------------------------------------

ANY = "policy: {gates: {max_repeat: null, max_replan_tokens: null, max_steps: null}, routing: {ROUTING}}\n"


def ladder(granularities: str, sections: str = "", returns: str = "shape, shape, shape, ok") -> list[str]:
    """The last step of a chain fails again and again; the step itself says nothing, so that the table decides."""
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b}]\n"
        + ANY.replace("{ROUTING}", granularities)
        + sections,
        f"outcomes: [{{match: {{step: 2}}, returns: [{returns}]}}]",
    )
    return [line.partition("radius 0 ")[2] for line in routes(result)]


def test_a_lineage_that_had_a_patch_never_goes_below_a_tail_again_and_never_reaches_global_alone() -> None:
    assert ladder("{}") == [
        "small-radius → patch",
        "small-radius → tail (from patch)",
        "small-radius → tail (from patch)",
    ]


def test_a_lineage_that_had_a_tail_never_goes_below_it() -> None:
    assert ladder("{}", returns="semantic, shape, ok") == [
        "wrong-decomposition → tail",
        "small-radius → tail (from patch)",
    ]


def test_a_lineage_that_had_a_global_stays_there() -> None:
    rules = "{rules: [{name: deep, when: {error_type: unknown}, granularity: global}]}"
    assert ladder(rules, returns="error, shape, ok") == ["deep → global", "small-radius → global (from patch)"]


def test_an_override_in_between_does_not_lower_it() -> None:
    """Forced to a global, then forced to a patch; what follows is lifted by the global, which is not forgotten."""
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, granularity: global}]\nplanner:\n"
        "  - {when: {error: one}, steps: [{id: 1, tool: a, args: {n: 1}, granularity: patch}]}\n"
        "  - {when: {error: two}, steps: [{id: 2, tool: a, args: {n: 2}}]}\n"
        "  - {when: {error: three}, steps: [{id: 2, tool: a, args: {n: 3}}]}\n",
        "outcomes: [{returns: [{status: shape, message: one}, {status: shape, message: two},"
        " {status: shape, message: three}, ok]}]",
    )
    assert [line.split(": radius")[0].partition("radius 0 ")[2] for line in routes(result)] == [
        "override → global",
        "override → patch",
        "small-radius → global (from patch)",
    ]


def test_a_person_outranks_the_ladder() -> None:
    assert ladder("{overrides: {'2': patch}}") == ["override → patch"] * 3


def test_none_is_never_lifted() -> None:
    assert ladder("{}", returns="semantic, denied") == ["wrong-decomposition → tail", "permission → none"]


def test_a_draft_that_was_not_committed_is_no_step_of_the_ladder() -> None:
    """The replan of the first failure is refused by the draft check until the planner gives up."""
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}]\n"
        "planner: [{when: {type: assumption}, steps: [{id: 1, tool: a, depends_on: [1]}]}, {otherwise: template}]",
        "outcomes: [{returns: [shape, ok]}]",
    )
    # asked again after the bad draft, the template answers; the one route stands
    assert routes(result) == ["v1 1 assumption radius 0 small-radius → patch"]
    assert versions(result)[1:] == ["v2 patch small-radius assumption@1: 1"]


def test_the_ladder_follows_the_lineage_through_new_ids() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}]\nplanner:\n"
        "  - {when: {step: x}, steps: [{id: y, tool: a, args: {n: 2}, replaces: x}]}\n"
        "  - {steps: [{id: x, tool: a, args: {n: 1}, replaces: 1}]}\n",
        "outcomes: [{returns: [shape, shape, ok]}]",
    )
    assert routes(result) == [
        "v1 1 assumption radius 0 small-radius → patch",
        "v2 x assumption radius 0 small-radius → tail (from patch)",
    ]


def test_after_a_changed_goal_the_ladder_starts_afresh() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}]\ninterruptions: [{at: 2s, goal: other}]",
        "outcomes: [{match: {step: 1}, returns: [shape, ok, shape, ok]}]",
    )
    assert routes(result) == [
        "v1 1 assumption radius 1 small-radius → patch",
        "v2 None None radius None goal-changed → global",
        "v3 3 assumption radius 1 small-radius → patch",
    ]
    assert ending(result) == "completed goal_met 5s"
