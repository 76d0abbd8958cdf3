"""The routing table row by row, the order of its rules, overrides, users' rules and the ladder."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.model import Granularity
from replanctl.replan.routing import (
    GOAL_CHANGED,
    RULE_NAMES,
    Decision,
    Radius,
    RouteFacts,
    RouteRule,
    RouteWhen,
    RoutingPolicy,
    route,
)
from replanctl.replan.signal import ErrorType

NONE, PATCH, TAIL, GLOBAL = Granularity
ENVIRONMENTAL, ASSUMPTION, SEMANTIC, PERMISSION, MISSING, UNKNOWN = list(ErrorType)[:6]


def facts(error_type: ErrorType = ASSUMPTION, **known: Any) -> RouteFacts:
    return RouteFacts(error_type, **{"lineage": ("3",), "tool": "look", "radius": 2, "direct": 1, **known})


def policy(*rules: RouteRule, **said: Any) -> RoutingPolicy:
    return RoutingPolicy(rules=rules, **said)


@pytest.mark.parametrize(
    ("given", "decision"),
    [
        (facts(ENVIRONMENTAL), Decision("environmental", NONE, 2)),
        (facts(ENVIRONMENTAL, radius=0), Decision("environmental", NONE, 0)),
        (facts(ENVIRONMENTAL, premise_fell=True), Decision("environmental", NONE, 2)),
        (facts(PERMISSION), Decision("permission", NONE, 2)),
        (facts(PERMISSION, premise_fell=True), Decision("permission", NONE, 2)),
        (facts(MISSING, state="failed"), Decision("broken-dependency", TAIL, 2)),
        (facts(MISSING, state="skipped", radius=0), Decision("broken-dependency", TAIL, 0)),
        (facts(MISSING, state="void"), Decision("broken-dependency", TAIL, 2)),
        (facts(MISSING, state="pending"), Decision("hidden-dependency", PATCH, 2)),
        (facts(MISSING, state="no such step"), Decision("plan-typo", PATCH, 2)),
        (facts(MISSING, state="no such field"), Decision("plan-typo", PATCH, 2)),
        (facts(ASSUMPTION, premise_fell=True), Decision("premise-overturned", GLOBAL, 2)),
        (facts(ASSUMPTION, premise_fell=True, radius=0), Decision("premise-overturned", GLOBAL, 0)),
        (facts(SEMANTIC, premise_fell=True), Decision("premise-overturned", GLOBAL, 2)),
        (facts(UNKNOWN, premise_fell=True), Decision("premise-overturned", GLOBAL, 2)),
        (facts(SEMANTIC, radius=0), Decision("wrong-decomposition", TAIL, 0)),
        (facts(ASSUMPTION, radius=0), Decision("small-radius", PATCH, 0)),
        (facts(ASSUMPTION, radius=1), Decision("small-radius", PATCH, 1)),
        (facts(ASSUMPTION, radius=2), Decision("wide-radius", TAIL, 2)),
        (facts(UNKNOWN, radius=1), Decision("small-radius", PATCH, 1)),
        (facts(UNKNOWN, radius=2), Decision("wide-radius", TAIL, 2)),
    ],
)
def test_the_first_rule_that_matches_decides(given: RouteFacts, decision: Decision) -> None:
    assert route(given) == decision


def test_a_changed_goal_is_a_row_of_its_own() -> None:
    assert Decision("goal-changed", GLOBAL, 0) == GOAL_CHANGED


def test_the_rules_stand_in_this_order() -> None:
    assert RULE_NAMES == (
        "goal-changed",
        "override",
        "environmental",
        "permission",
        "may-have-happened",
        "broken-dependency",
        "hidden-dependency",
        "plan-typo",
        "premise-overturned",
        "wrong-decomposition",
        "small-radius",
        "wide-radius",
    )


@pytest.mark.parametrize(
    ("patch_radius", "radius", "granularity"),
    [(0, 0, PATCH), (0, 1, TAIL), (1, 1, PATCH), (3, 3, PATCH), (3, 4, TAIL)],
)
def test_the_patch_radius_is_inside(patch_radius: int, radius: int, granularity: Granularity) -> None:
    assert route(facts(radius=radius), policy(patch_radius=patch_radius)).granularity is granularity


@pytest.mark.parametrize(
    ("which", "decision"),
    [
        (Radius.TRANSITIVE, Decision("wide-radius", TAIL, 5)),
        (Radius.DIRECT, Decision("small-radius", PATCH, 1)),
    ],
)
def test_the_policy_says_which_radius_is_compared(which: Radius, decision: Decision) -> None:
    assert route(facts(radius=5, direct=1), policy(radius=which)) == decision


@pytest.mark.parametrize(
    ("said", "granularity"),
    [
        ({"force": GLOBAL, "forced": PATCH, "overrides": {"3": TAIL}}, GLOBAL),
        ({"forced": PATCH, "overrides": {"3": TAIL}}, PATCH),
        ({"overrides": {"3": GLOBAL}}, GLOBAL),
        ({"overrides": {"3": NONE}}, NONE),
        ({"overrides": {"4": GLOBAL}}, None),
    ],
)
def test_the_command_line_outranks_the_step_and_the_step_the_policy(
    said: dict[str, Any], granularity: Granularity | None
) -> None:
    forced = said.pop("forced", None)
    decision = route(facts(forced=forced), policy(**said))
    assert decision == (Decision("override", granularity, 2) if granularity else Decision("wide-radius", TAIL, 2))


def test_an_override_counts_for_what_replaced_the_step_and_the_newest_name_wins() -> None:
    assert route(facts(lineage=("3", "6")), policy(overrides={"3": PATCH})).granularity is PATCH
    assert route(facts(lineage=("3", "6")), policy(overrides={"3": PATCH, "6": GLOBAL})).granularity is GLOBAL


@pytest.mark.parametrize("error_type", [ENVIRONMENTAL, PERMISSION, SEMANTIC, MISSING, UNKNOWN])
def test_an_override_outranks_every_class(error_type: ErrorType) -> None:
    assert route(facts(error_type, state="failed"), policy(force=PATCH)) == Decision("override", PATCH, 2)


OWN = "own"


@pytest.mark.parametrize(
    ("when", "given", "matches"),
    [
        (RouteWhen(), facts(ENVIRONMENTAL), True),
        (RouteWhen(error_type=ENVIRONMENTAL), facts(ENVIRONMENTAL), True),
        (RouteWhen(error_type=SEMANTIC), facts(ENVIRONMENTAL), False),
        (RouteWhen(step="3"), facts(lineage=("3", "7")), True),
        (RouteWhen(step="4"), facts(lineage=("3", "7")), False),
        (RouteWhen(tool="look"), facts(), True),
        (RouteWhen(tool="write"), facts(), False),
        (RouteWhen(min_radius=2), facts(radius=2), True),
        (RouteWhen(min_radius=3), facts(radius=2), False),
        (RouteWhen(max_radius=2), facts(radius=2), True),
        (RouteWhen(max_radius=1), facts(radius=2), False),
        (RouteWhen(error_type=ASSUMPTION, tool="write"), facts(), False),
    ],
)
def test_a_users_rule_matches_when_all_it_names_does(when: RouteWhen, given: RouteFacts, matches: bool) -> None:
    assert (route(given, policy(RouteRule(OWN, GLOBAL, when))).rule == OWN) is matches


def test_users_rules_stand_between_override_and_environmental_and_the_first_wins() -> None:
    rules = RouteRule("a", GLOBAL, RouteWhen(tool="look")), RouteRule("b", PATCH)
    assert route(facts(ENVIRONMENTAL), policy(*rules)) == Decision("a", GLOBAL, 2)
    assert route(facts(ENVIRONMENTAL, tool="x"), policy(*rules)) == Decision("b", PATCH, 2)
    assert route(facts(ENVIRONMENTAL), policy(*rules, force=TAIL)) == Decision("override", TAIL, 2)


@pytest.mark.parametrize(
    ("deepest", "by_table", "decision"),
    [
        (None, facts(radius=0), Decision("small-radius", PATCH, 0)),
        (PATCH, facts(radius=0), Decision("small-radius", TAIL, 0, escalated_from=PATCH)),
        (TAIL, facts(radius=0), Decision("small-radius", TAIL, 0, escalated_from=PATCH)),
        (GLOBAL, facts(radius=0), Decision("small-radius", GLOBAL, 0, escalated_from=PATCH)),
        (PATCH, facts(radius=2), Decision("wide-radius", TAIL, 2)),
        (TAIL, facts(radius=2), Decision("wide-radius", TAIL, 2)),
        (GLOBAL, facts(radius=2), Decision("wide-radius", GLOBAL, 2, escalated_from=TAIL)),
        (TAIL, facts(premise_fell=True), Decision("premise-overturned", GLOBAL, 2)),
        (GLOBAL, facts(premise_fell=True), Decision("premise-overturned", GLOBAL, 2)),
        (GLOBAL, facts(ENVIRONMENTAL), Decision("environmental", NONE, 2)),
        (TAIL, facts(PERMISSION), Decision("permission", NONE, 2)),
        (PATCH, facts(MISSING, state="pending"), Decision("hidden-dependency", TAIL, 2, escalated_from=PATCH)),
    ],
)
def test_the_ladder_goes_one_way_and_never_reaches_global_by_itself(
    deepest: Granularity | None, by_table: RouteFacts, decision: Decision
) -> None:
    climbed = RouteFacts(**{f: getattr(by_table, f) for f in by_table.__struct_fields__} | {"deepest": deepest})
    assert route(climbed) == decision


def test_a_users_rule_is_lifted_and_an_override_is_not() -> None:
    climbed = facts(deepest=GLOBAL)
    assert route(climbed, policy(RouteRule(OWN, PATCH))) == Decision(OWN, GLOBAL, 2, escalated_from=PATCH)
    assert route(climbed, policy(RouteRule(OWN, NONE))) == Decision(OWN, NONE, 2)
    assert route(climbed, policy(force=PATCH)) == Decision("override", PATCH, 2)
