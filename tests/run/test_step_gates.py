"""Executions, tool calls and the session's clock: nothing allowed, exactly the limit, one over, no limit."""

from __future__ import annotations

import pytest

from replanctl.replan.gates import GateLimits
from tests.rehearse import rehearse
from tests.run.limits import FAILS, OPEN, failing, of, under
from tests.run.telling import calls_again, ending, gates, history, states

TWO = "goal: g\nsteps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: []}]"


@pytest.mark.parametrize(
    ("limit", "outcomes", "rows", "end", "left"),
    [
        # before a step starts; what may not start stays pending
        (0, "", ["v1 1 0/0!"], "failed step_budget 0s", "1 pending, 2 pending"),
        (1, "", ["v1 2 1/1!"], "failed step_budget 1s", "1 done, 2 pending"),
        (2, "", [], "completed goal_met 2s", "1 done, 2 done"),
        (None, "", [], "completed goal_met 2s", "1 done, 2 done"),
        # before a draft is committed: executions so far, and what is open in it
        (2, "{match: {step: 1}, returns: [shape, ok]}", ["v1 1 3/2!"], "failed step_budget 1s", "1 failed, 2 pending"),
        (3, "{match: {step: 1}, returns: [shape, ok]}", ["v1 1 3/3"], "completed goal_met 3s", "1 done, 2 done"),
        (None, "{match: {step: 1}, returns: [shape, ok]}", ["v1 1 3/-"], "completed goal_met 3s", "1 done, 2 done"),
        (1, "{match: {step: 1}, returns: [shape, ok]}", ["v1 1 3/1!"], "failed step_budget 1s", "1 failed, 2 pending"),
    ],
)
def test_step_executions(limit: int | None, outcomes: str, rows: list[str], end: str, left: str) -> None:
    result = under(TWO, outcomes or "{match: {tool: a}, returns: [ok]}", max_steps=limit)
    assert (of("max_steps", result), ending(result), states(result)) == (rows, end, left)


def test_an_execution_without_a_call_counts_as_one_and_its_retries_as_none() -> None:
    result = under(
        "goal: g\nsteps: [{id: 1, tool: a, args: {x: '#E9'}, on_failure: skip}, {id: 2, tool: b, depends_on: []},"
        " {id: 3, tool: c, depends_on: []}]",
        "{match: {tool: b}, returns: [timeout, timeout, ok]}",
        max_steps=2,
    )
    assert (of("max_steps", result), [one.step_id for one in result.history]) == (["v1 3 2/2!"], ["1", "2"])


def test_the_first_plan_runs_up_to_the_ceiling() -> None:
    result = under(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]", "{returns: [ok]}", max_steps=2
    )
    assert (ending(result), states(result)) == ("failed step_budget 2s", "1 done, 2 done, 3 pending")


DOWN = "{match: {tool: a}, returns: [unavailable]}"
CUT = "(abandoned: abandoned, last: "


@pytest.mark.parametrize(
    ("limit", "tools", "outcomes", "rows", "first", "end"),
    [
        # before a step starts
        (0, "", "", ["v1 1 0/0!"], None, "failed tool_call_budget 0s"),
        (1, "", "", ["v1 2 1/1!"], "done 0-1 a:ok", "failed tool_call_budget 1s"),
        (2, "", "", [], "done 0-1 a:ok", "completed goal_met 2s"),
        (None, "", "", [], "done 0-1 a:ok", "completed goal_met 2s"),
        # inside an execution: before a retry is waited for, before a fallback
        (1, "", DOWN, ["v1 1 1/1!"], f"failed 0-1 a:unavailable {CUT}unavailable)", "failed tool_call_budget 1s"),
        (
            2,
            "",
            DOWN,
            ["v1 1 2/2!"],
            f"failed 0-3 a:unavailable a:unavailable {CUT}unavailable)",
            "failed tool_call_budget 3s",
        ),
        (
            3,
            "a: {fallback: c}",
            DOWN,
            ["v1 1 3/3!"],
            f"failed 0-6 a:unavailable a:unavailable a:unavailable {CUT}unavailable)",
            "failed tool_call_budget 6s",
        ),
        # the failure itself needs no call: with the attempts spent, it is one like any other
        (
            3,
            "",
            DOWN,
            ["v1 2 3/3!"],
            "failed 0-6 a:unavailable a:unavailable a:unavailable (environmental: unavailable)",
            "failed tool_call_budget 6s",
        ),
        (
            4,
            "a: {fallback: c}",
            DOWN,
            ["v1 2 4/4!"],
            "done 0-7 a:unavailable a:unavailable a:unavailable c:ok",
            "failed tool_call_budget 7s",
        ),
    ],
)
def test_tool_calls(limit: int | None, tools: str, outcomes: str, rows: list[str], first: str | None, end: str) -> None:
    text = TWO + (f"\ntools: {{b: {{}}, c: {{}}, {tools}}}" if tools else "")
    result = under(text, outcomes or "{match: {tool: a}, returns: [ok]}", max_tool_calls=limit)
    assert (of("max_tool_calls", result), ending(result)) == (rows, end)
    assert history(result)[:1] == ([f"v1 1 {first}"] if first else [])


def test_an_abandoned_execution_leaves_no_signal_no_route_and_no_lesson_and_books_its_calls() -> None:
    result = under(TWO, DOWN, max_tool_calls=2)
    assert (result.signals, result.routes, result.lessons) == ((), (), ())
    assert [(line.kind, line.booked) for line in result.ledger.lines] == [
        ("planning", 280),
        ("execution", 180),
        ("retry", 200),
    ]
    assert states(result) == "1 failed, 2 pending"


def test_what_is_refused_before_a_call_is_no_call() -> None:
    result = under(
        "goal: g\ntools: {a: {args: {type: object, required: [never]}}, b: {}}\n"
        "steps: [{id: 1, tool: a, on_failure: skip},"
        " {id: 2, tool: b, args: {x: '#E9'}, on_failure: skip, depends_on: []}, {id: 3, tool: b, depends_on: []}]",
        "{returns: [ok]}",
        max_tool_calls=1,
    )
    assert ending(result) == "completed goal_met_with_gaps 1s"


@pytest.mark.parametrize(
    ("limit", "outcomes", "rows", "lines", "end"),
    [
        # exactly at the limit is inside, but no call starts there
        (0, "", ["v1 1 0/0!"], [], "failed time_budget 0s"),
        (1, "", ["v1 2 1/1!"], ["1 done 0-1 a:ok"], "failed time_budget 1s"),
        (2, "", [], ["1 done 0-1 a:ok", "2 done 1-2 b:ok"], "completed goal_met 2s"),
        (None, "", [], ["1 done 0-1 a:ok", "2 done 1-2 b:ok"], "completed goal_met 2s"),
        # a call still running then is cut
        (
            1.5,
            "",
            ["v1 2 1.5/1.5!"],
            ["1 done 0-1 a:ok", f"2 failed 1-1.5 b:timeout {CUT}timeout)"],
            "failed time_budget 1.5s",
        ),
        # a wait that would end after it is not begun; one that ends at it is, and then no call starts
        (
            2.5,
            "{match: {tool: a}, returns: [{status: unavailable, retry_after: 1501ms}]}",
            ["v1 1 2.501/2.5!"],
            [f"1 failed 0-1 a:unavailable {CUT}unavailable)"],
            "failed time_budget 1s",
        ),
        (
            2.5,
            "{match: {tool: a}, returns: [{status: unavailable, retry_after: 1500ms}]}",
            ["v1 1 2.5/2.5!"],
            [f"1 failed 0-2.5 a:unavailable {CUT}unavailable)"],
            "failed time_budget 2.5s",
        ),
        (
            2.6,
            "{match: {tool: a}, returns: [{status: unavailable, retry_after: 1500ms}]}",
            ["v1 1 2.6/2.6!"],
            [f"1 failed 0-2.6 a:unavailable a:timeout {CUT}timeout)"],
            "failed time_budget 2.6s",
        ),
        # a failure at the limit is one like any other
        (
            1,
            "{match: {tool: a}, returns: [shape]}",
            ["v2 1 1/1!"],
            ["1 failed 0-1 a:shape (assumption: shape)"],
            "failed time_budget 1s",
        ),
    ],
)
def test_the_sessions_clock(limit: float | None, outcomes: str, rows: list[str], lines: list[str], end: str) -> None:
    result = under(TWO, outcomes or "{match: {tool: a}, returns: [ok]}", max_seconds=limit)
    assert (of("max_seconds", result), history(result), ending(result)) == (rows, [f"v1 {x}" for x in lines], end)


def test_a_cut_call_is_an_attempt_and_is_booked() -> None:
    result = under(TWO, "{match: {tool: a}, returns: [{status: ok, latency: 3s, tokens: 50}]}", max_seconds=2)
    assert [(a.tool, a.status, a.latency) for a in result.history[0].attempts] == [("a", "timeout", 2.0)]
    assert [line.booked for line in result.ledger.lines] == [280, 50]
    assert (result.signals, result.routes, result.lessons) == ((), (), ())


@pytest.mark.parametrize(
    ("seconds", "again", "line", "end"),
    [
        # the wait of two seconds would end at 5: the fallback is tried at once
        (4.5, ["2s a again after 1s", "3s c instead of a"], "done 0-4 a:unavailable a:unavailable c:ok", 4.5),
        (
            3.5,
            ["2s a again after 1s", "3s c instead of a"],
            f"failed 0-3.5 a:unavailable a:unavailable c:timeout {CUT}timeout)",
            3.5,
        ),
        # no call starts at the limit, a fallback's neither
        (3, ["2s a again after 1s"], f"failed 0-3 a:unavailable a:unavailable {CUT}unavailable)", 3),
    ],
)
def test_instead_of_a_wait_that_is_too_long_a_fallback_is_tried_at_once(
    seconds: float, again: list[str], line: str, end: float
) -> None:
    events, result = rehearse(
        f"{TWO}\ntools: {{a: {{fallback: c}}, b: {{}}, c: {{}}}}",
        f"outcomes: [{DOWN}]",
        gates=GateLimits(**{**OPEN, "max_seconds": seconds}),
    )
    assert (calls_again(events), history(result)[0], result.seconds) == (again, f"v1 1 {line}", end)


def test_everything_in_flight_is_cut_at_once() -> None:
    result = rehearse(
        TWO,
        "outcomes: [{returns: [{status: ok, latency: 5s}]}]",
        gates=GateLimits(max_seconds=2),
        max_parallel=2,
    )[1]
    assert history(result) == [
        f"v1 1 failed 0-2 a:timeout {CUT}timeout)",
        f"v1 2 failed 0-2 b:timeout {CUT}timeout)",
    ]
    assert gates(result) == ["v1 1 max_seconds 2/2!"]


def test_a_cut_call_may_have_happened() -> None:
    tools = "\ntools: {a: {idempotent: false}, b: {}}"
    result = under(TWO + tools, "{match: {tool: a}, returns: [{status: ok, latency: 3s}]}", max_seconds=2)
    assert result.warnings == ("step 1: a timed out and is not idempotent: the call may have happened",)


def test_what_is_in_flight_finishes_when_the_next_step_may_not_start() -> None:
    outcomes = "{match: {tool: a}, returns: [{status: ok, latency: 5s}]}"
    result = under(TWO + "\npolicy: {max_parallel: 2}", outcomes, max_steps=1)
    assert (history(result), ending(result), states(result)) == (
        ["v1 1 done 0-5 a:ok"],
        "failed step_budget 5s",
        "1 done, 2 pending",
    )


def test_what_is_in_flight_finishes_when_a_gate_refuses() -> None:
    result = rehearse(
        TWO + "\npolicy: {max_parallel: 2}",
        "outcomes: [{match: {tool: b}, returns: [{status: ok, latency: 9s}]}, {match: {tool: a}, returns: [timeout]}]",
        gates=GateLimits(max_tool_calls=2),
    )[1]
    assert history(result) == ["v1 2 done 0-9 b:ok", f"v1 1 failed 0-30 a:timeout {CUT}timeout)"]


def test_replans_take_no_session_time() -> None:
    events, result = rehearse(FAILS, f"outcomes: [{failing(2)}]")
    assert [event.at for event in events if event.__struct_config__.tag == "plan.commit"] == [0.0, 1.0, 2.0]
    assert [one.started for one in result.history] == [0.0, 1.0, 2.0]


BEFORE_A_START = {"max_steps": 0, "max_tool_calls": 0, "max_seconds": 0}


@pytest.mark.parametrize(
    ("loosened", "row"),
    [
        ((), "max_steps 0/0!"),
        (("max_steps",), "max_tool_calls 0/0!"),
        (("max_steps", "max_tool_calls"), "max_seconds 0/0!"),
    ],
)
def test_of_several_gates_that_keep_a_step_from_starting_the_first_is_named(
    loosened: tuple[str, ...], row: str
) -> None:
    result = under(FAILS, failing(0), **{k: v for k, v in BEFORE_A_START.items() if k not in loosened})
    assert gates(result) == [f"v1 1 {row}"]


def test_inside_an_execution_the_count_is_named_before_the_clock() -> None:
    result = under(TWO, DOWN, max_tool_calls=1, max_seconds=1.5)
    assert gates(result) == ["v1 1 max_tool_calls 1/1!"]
