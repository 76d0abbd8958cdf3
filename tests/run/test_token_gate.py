"""Tokens in all: nothing allowed, exactly the limit, one over, no limit, before everything that spends."""

from __future__ import annotations

import pytest

from tests.run.limits import failing, of, under
from tests.run.telling import ending, gates, history, states

TWO = "goal: g\nsteps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: []}]"
PLANNING = 120 + 40 + 2 * 60  # prompt, goal, a line for each step


@pytest.mark.parametrize(
    ("limit", "rows", "end", "left", "booked"),
    [
        (PLANNING - 1, ["v1 None 280/279!"], "failed session_token_budget 0s", "1 pending, 2 pending", 0),
        (PLANNING, ["v1 1 460/280!"], "failed session_token_budget 0s", "1 pending, 2 pending", PLANNING),
        (PLANNING + 359, ["v1 2 640/639!"], "failed session_token_budget 1s", "1 done, 2 pending", PLANNING + 180),
        (PLANNING + 360, [], "completed goal_met 2s", "1 done, 2 done", PLANNING + 360),
        (None, [], "completed goal_met 2s", "1 done, 2 done", PLANNING + 360),
    ],
)
def test_planning_and_steps(limit: int | None, rows: list[str], end: str, left: str, booked: int) -> None:
    result = under(TWO, "{match: {tool: a}, returns: [ok]}", max_tokens=limit)
    assert (of("max_tokens", result), ending(result), states(result)) == (rows, end, left)
    assert result.ledger.totals.all == booked


@pytest.mark.parametrize(
    ("limit", "rows", "first"),
    [
        (PLANNING + 379, ["v1 1 660/659!"], "failed 0-1 a:unavailable (abandoned: abandoned, last: unavailable)"),
        (PLANNING + 380, ["v1 2 840/660!"], "done 0-3 a:unavailable a:ok"),
        (PLANNING + 560, [], "done 0-3 a:unavailable a:ok"),
    ],
)
def test_a_retry(limit: int, rows: list[str], first: str) -> None:
    result = under(TWO, "{match: {tool: a}, returns: [unavailable, ok]}", max_tokens=limit)
    assert (of("max_tokens", result), history(result)[0]) == (rows, f"v1 1 {first}")


def test_a_fallback_costs_what_a_retry_does() -> None:
    plan = "goal: g\ntools: {a: {fallback: c}, c: {}}\nsteps: [{id: 1, tool: a}]\npolicy: {retry: {max_attempts: 1}}"
    down = "{match: {tool: a}, returns: [unavailable]}"
    enough = 220 + 180 + 200
    assert history(under(plan, down, max_tokens=enough)) == ["v1 1 done 0-2 a:unavailable c:ok"]
    short = under(plan, down, max_tokens=enough - 1)
    assert of("max_tokens", short) == ["v1 1 600/599!"]
    assert short.history[0].error is not None
    assert short.history[0].error.error_msg == "abandoned, last: unavailable"


ONE = "goal: g\nsteps: [{id: 1, tool: t}]"
ASKED = 220 + 180 + 432  # planning, the execution, the padded estimate of a patch with one lesson


@pytest.mark.parametrize(
    ("limit", "rows", "end"),
    [
        (ASKED - 1, ["v1 1 832/831!"], "failed session_token_budget 1s"),
        (ASKED, ["v1 1 832/832", "v2 1 940/832!"], "failed session_token_budget 1s"),
        (940, ["v1 1 832/940"], "completed goal_met 2s"),
        (None, [], "completed goal_met 2s"),
    ],
)
def test_a_replan_stands_behind_the_token_gate(limit: int | None, rows: list[str], end: str) -> None:
    result = under(ONE, failing(1), max_tokens=limit)
    assert (of("max_tokens", result), ending(result)) == (rows, end)
    before = [gate.gate for gate in result.gates if gate.version == "v1"]
    tokens = ["max_replan_tokens", *(["max_tokens"] if rows else [])]
    order = ["per_step", "max_replans", *tokens, "max_repeat", "max_steps"]
    assert before == order[: len(before)]
    assert len(before) == (4 if limit == ASKED - 1 else len(order))


def test_the_token_gate_is_named_before_it_and_the_calls_before_it_too() -> None:
    tight = under(ONE, failing(1), max_replan_tokens=0, max_tokens=400)
    assert gates(tight)[-1] == "v1 1 max_replan_tokens 432/0!"
    assert gates(under(ONE, "{returns: [ok]}", max_tool_calls=0, max_tokens=220, max_seconds=0.0)) == [
        "v1 1 max_tool_calls 0/0!"
    ]
    assert gates(under(ONE, "{returns: [ok]}", max_tokens=220, max_seconds=0.0)) == ["v1 1 max_tokens 400/220!"]


def test_what_is_in_flight_counts_by_its_coefficient_and_only_that_can_carry_a_session_over() -> None:
    side_by_side = f"{TWO}\npolicy: {{max_parallel: 2}}"
    dear = "{match: {tool: a}, returns: [{status: ok, tokens: 900}]}"
    refused = under(side_by_side, dear, max_tokens=PLANNING + 359)
    assert (of("max_tokens", refused), states(refused)) == (["v1 2 1360/639!"], "1 done, 2 pending")
    over = under(side_by_side, dear, max_tokens=PLANNING + 360)
    assert (of("max_tokens", over), states(over)) == ([], "1 done, 2 done")
    assert over.ledger.totals.all == PLANNING + 900 + 180


def test_a_step_that_had_no_room_is_asked_again_once_what_was_in_flight_took_less() -> None:
    cheap = "{match: {tool: a}, returns: [{status: ok, tokens: 10}]}"
    result = under(f"{TWO}\npolicy: {{max_parallel: 2}}", cheap, max_tokens=PLANNING + 190)
    assert (history(result), ending(result)) == (["v1 1 done 0-1 a:ok", "v1 2 done 1-2 b:ok"], "completed goal_met 2s")


@pytest.mark.parametrize(
    ("limit", "rows", "end"),
    [
        (PLANNING + 360 + 120 + 40 + 25 + 80, [], "completed goal_met_with_gaps 2s"),
        (PLANNING + 360 + 120 + 40 + 25 + 79, ["v1 None 905/904!"], "failed session_token_budget 2s"),
    ],
)
def test_the_solver(limit: int, rows: list[str], end: str) -> None:
    plan = TWO.replace("tool: a,", "tool: a, on_failure: defer,")
    result = under(plan, "{match: {tool: a}, returns: [shape]}", max_tokens=limit)
    assert (of("max_tokens", result), ending(result)) == (rows, end)
    assert result.ledger.totals.all <= limit
