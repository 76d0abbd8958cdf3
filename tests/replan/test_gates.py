"""Limits, presets, and each gate alone: nothing, exactly the limit, one over, no limit."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.cost import Coefficients, CostModel, padded
from replanctl.replan.gates import GATES, REASONS, Check, GateLimits, GateRow, Limits, Preset, resolve
from replanctl.replan.guards import BudgetGate, OscillationGuard, ReplanBreaker, fingerprint

COST = CostModel()
ANCHORED = GateLimits(preset=Preset.ANCHORED)


@pytest.mark.parametrize(
    ("stated", "steps", "limits"),
    [
        (GateLimits(), 3, Limits(3, 5, 20_000, 12, None, None, None, 1)),
        (GateLimits(), 6, Limits(3, 5, 20_000, 12, None, None, None, 1)),
        (GateLimits(), 7, Limits(3, 5, 20_000, 14, None, None, None, 1)),
        (GateLimits(), 100, Limits(3, 5, 20_000, 200, None, None, None, 1)),
        # one step: half of 220 + 180 is less than the padded tail, ⌈(120 + 40 + 80 + 60 + 60) × 1.2⌉
        (ANCHORED, 1, Limits(3, 1, 432, 12, 3, None, None, 1)),
        # three steps: (160 + 180 + 540) // 2 = 440 is less than ⌈480 × 1.2⌉
        (ANCHORED, 3, Limits(3, 1, 576, 12, 9, None, None, 1)),
        # eight steps: (160 + 480 + 1440) // 2 = 1040 against ⌈780 × 1.2⌉ = 936
        (ANCHORED, 8, Limits(3, 4, 1040, 16, 24, None, None, 1)),
        # nine steps: (160 + 540 + 1620) // 2 = 1160 against ⌈840 × 1.2⌉ = 1008; half of nine, rounded down
        (ANCHORED, 9, Limits(3, 4, 1160, 18, 27, None, None, 1)),
        (GateLimits(per_step=0, max_steps=0, max_seconds=0.5), 3, Limits(0, 5, 20_000, 0, None, None, 0.5, 1)),
        (
            GateLimits(None, None, 7, None, None, None, None, None, None),
            3,
            Limits(None, 7, None, None, None, None, None, None),
        ),
        (GateLimits(preset=Preset.ANCHORED, max_replans=9), 8, Limits(3, 9, 1040, 16, 24, None, None, 1)),
        (GateLimits(preset=Preset.ANCHORED, max_tool_calls=None), 8, Limits(3, 4, 1040, 16, None, None, None, 1)),
    ],
)
def test_limits_are_what_is_stated_else_the_presets_else_the_defaults(
    stated: GateLimits, steps: int, limits: Limits
) -> None:
    assert resolve(stated, steps, COST) == limits


@pytest.mark.parametrize("preset", [None, Preset.ANCHORED])
@pytest.mark.parametrize("row", GATES, ids=lambda row: str(row.name))
def test_a_limit_that_follows_from_the_plan_says_how(row: GateRow, preset: Preset | None) -> None:
    short, long = (getattr(resolve(GateLimits(preset), steps, COST), row.name) for steps in (1, 100))
    assert bool(row.rule_under(GateLimits(preset))) == (short != long)
    assert row.rule_under(GateLimits(preset, **{str(row.name): 7})) == ""


def test_the_anchored_floor_counts_every_step_as_a_line() -> None:
    """Although a request folds: the floor is for a tail of the whole plan."""
    dear_lines = CostModel(Coefficients(step=1000, execution=0))
    assert resolve(ANCHORED, 20, dear_lines).max_replan_tokens == padded(120 + 40 + 80 + 60 + 20_000) == 24_360


def test_an_odd_main_flow_is_rounded_down() -> None:
    odd = CostModel(Coefficients(prompt=121, failure=0, lesson=0))
    assert resolve(ANCHORED, 8, odd).max_replan_tokens == (121 + 40 + 480 + 1440) // 2 == 1040


@pytest.mark.parametrize(
    ("limit", "reached", "reading", "admitted"),
    [
        (0, True, 0, True),
        (0, True, 1, False),
        (0, False, 0, False),
        (5, True, 4, True),
        (5, True, 5, True),
        (5, True, 6, False),
        (5, False, 4, True),
        (5, False, 5, False),
        (5, False, 6, False),
        (None, True, 10**9, True),
        (None, False, 10**9, True),
    ],
)
def test_a_budget_admits_what_stays_inside(limit: int | None, reached: bool, reading: int, admitted: bool) -> None:
    assert BudgetGate("g", limit, reached).check(reading) == Check("g", limit, reading, admitted)


@pytest.mark.parametrize(("tokens", "asked"), [(0, 0), (5, 6), (6, 8), (530, 636), (531, 638), (100_000, 120_000)])
def test_the_token_gate_asks_for_a_fifth_more_rounded_up(tokens: int, asked: int) -> None:
    assert padded(tokens) == asked


def test_the_breaker_counts_each_lineage_and_error_type_apart_and_forgets() -> None:
    breaker = ReplanBreaker(2)
    for _ in range(2):
        breaker.record("3", "assumption")
    breaker.record("4", "assumption")
    assert [breaker.check(*key) for key in (("3", "assumption"), ("3", "semantic"), ("4", "assumption"))] == [
        Check("per_step", 2, 2, False),
        Check("per_step", 2, 0, True),
        Check("per_step", 2, 1, True),
    ]
    breaker.forget()
    assert breaker.check("3", "assumption") == Check("per_step", 2, 0, True)


@pytest.mark.parametrize(
    ("limit", "asked", "admitted"), [(0, 0, False), (1, 0, True), (1, 1, False), (3, 3, False), (None, 9, True)]
)
def test_the_breaker_admits_while_less_was_asked(limit: int | None, asked: int, admitted: bool) -> None:
    breaker = ReplanBreaker(limit)
    for _ in range(asked):
        breaker.record("3", "unknown")
    assert breaker.check("3", "unknown") == Check("per_step", limit, asked, admitted)


A, B, C = [("look", "web")], [("ask", "phone")], [("look", "web"), ("ask", "phone")]


def told(guard: OscillationGuard, versions: list[Any], draft: Any, last_replaced: Any) -> Check:
    """The check of a draft after these versions were replaced, while `last_replaced` is in force."""
    for version in versions:
        guard.replace(fingerprint(version), list(version).copy)
        guard.commit()
    guard.replace(fingerprint(last_replaced), last_replaced.copy)
    return guard.check(fingerprint(draft), draft.copy)


@pytest.mark.parametrize(
    ("limit", "replaced", "current", "draft", "reading", "admitted"),
    [
        (1, [], A, B, 0, True),
        (1, [], A, A, 0, True),  # the same again is lack of progress, not a return
        (1, [A], B, A, 1, False),
        (1, [A], B, B, 0, True),
        (1, [A, A], B, A, 2, False),
        (1, [A, B], A, A, 0, True),
        (1, [A], B, C, 0, True),
        (2, [A], B, A, 1, True),
        (2, [A, B], A, B, 1, True),
        (2, [A, B, A], B, A, 2, False),
        (None, [A, B, A], B, A, 2, True),
        (1, [C], B, [*reversed(C)], 0, True),  # the order counts
    ],
)
def test_a_return_to_an_abandoned_plan_is_refused(
    limit: int | None, replaced: list[Any], current: Any, draft: Any, reading: int, admitted: bool
) -> None:
    check = told(OscillationGuard(limit), replaced, draft, current)
    assert check == Check("max_repeat", limit, reading, admitted)


def test_versions_made_for_an_earlier_goal_do_not_count() -> None:
    guard = OscillationGuard(1)
    told(guard, [A], A, B)
    guard.forget()
    assert told(guard, [], A, B) == Check("max_repeat", 1, 0, True)


def test_every_gate_has_the_reason_it_ends_a_session_with() -> None:
    assert REASONS == {
        "per_step": "step_breaker",
        "max_replans": "replan_budget",
        "max_replan_tokens": "token_budget",
        "max_steps": "step_budget",
        "max_tool_calls": "tool_call_budget",
        "max_tokens": "session_token_budget",
        "max_seconds": "time_budget",
        "max_repeat": "oscillation",
    }
