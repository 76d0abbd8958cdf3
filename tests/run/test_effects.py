"""What a session did to the world, whether the agent heard of it or not: status `lost`, and `effects[]`."""

from __future__ import annotations

import pytest

from replanctl.run.result import SessionResult
from tests.rehearse import rehearse
from tests.run.telling import ending, history, signals

ONCE = "tools: {mail: {idempotent: false, timeout: 5s}, look: {timeout: 5s}}"


def effects(result: SessionResult) -> list[str]:
    """`v1 2 mail {'to': 'a'} ×1`."""
    return [f"{one.version} {one.step_id} {one.tool} {one.args} ×{one.times}" for one in result.effects]


@pytest.mark.parametrize(
    ("returns", "times"),
    [
        ("ok", 1),
        ("shape", 1),
        ("empty", 1),
        ("semantic", 1),
        ("lost", 1),
        ("timeout", 0),
        ("rate_limited", 0),
        ("unavailable", 0),
        ("tool_error", 0),
        ("denied", 0),
        ("error", 0),
        ("{status: ok, latency: 9s}", 1),  # an answer that came too late
        ("{status: lost, latency: 9s}", 1),
        ("{status: rate_limited, latency: 9s}", 0),
        ("{status: ok, value: {}}", 1),  # against the contract
    ],
)
def test_a_call_took_effect_by_what_the_tool_did(returns: str, times: int) -> None:
    _, result = rehearse(
        f"goal: g\n{ONCE}\npolicy: {{retry: {{max_attempts: 1}}}}\n"
        "steps: [{id: 1, tool: mail, args: {to: a}, produces: {n: int}, on_failure: skip}]",
        f"outcomes: [{{returns: [{returns}]}}]",
    )
    assert effects(result) == ["v1 1 mail {'to': 'a'} ×1"] * times


def test_what_may_be_done_again_is_listed_from_the_second_time_on() -> None:
    _, result = rehearse(
        f"goal: g\n{ONCE}\n"
        "steps:\n"
        "  - {id: 1, tool: look, args: {at: a, n: 1}}\n"
        "  - {id: 2, tool: mail, args: {to: b}}\n"
        "  - {id: 3, tool: look, args: {n: 1, at: a}}\n"
        "  - {id: 4, tool: look, args: {at: b}}\n"
    )
    assert effects(result) == ["v1 1 look {'at': 'a', 'n': 1} ×2", "v1 2 mail {'to': 'b'} ×1"]


def test_rows_are_in_the_order_in_which_the_first_call_began() -> None:
    _, result = rehearse(
        f"goal: g\n{ONCE}\npolicy: {{max_parallel: 2}}\n"
        "steps: [{id: 1, tool: mail, args: {to: a}, depends_on: []}, {id: 2, tool: mail, depends_on: []}]",
        "outcomes: [{match: {step: 1}, returns: [{status: ok, latency: 4s}]}]",
    )
    assert [row.step_id for row in result.history] == ["2", "1"]
    assert effects(result) == ["v1 1 mail {'to': 'a'} ×1", "v1 2 mail {} ×1"]


def test_a_call_that_the_end_of_the_time_cut_off_took_effect() -> None:
    _, result = rehearse(
        f"goal: g\n{ONCE}\npolicy: {{gates: {{max_seconds: 2s}}}}\nsteps: [{{id: 1, tool: mail}}]",
        "outcomes: [{returns: [{status: ok, latency: 4s}]}]",
    )
    assert ending(result) == "failed time_budget 2s"
    assert effects(result) == ["v1 1 mail {} ×1"]


def test_a_lost_answer_is_a_timeout_to_the_agent() -> None:
    entry = "{status: lost, value: 7, message: sent, cause: c, retry_after: 1s, refutes: [p]}"
    _, result = rehearse(
        "goal: g\nassumptions: {p: p}\ntools: {look: {timeout: 5s}}\n"
        "steps: [{id: 1, tool: look, assumes: [p]}]\npolicy: {retry: {max_attempts: 2, backoff: 2s}}",
        f"outcomes: [{{returns: [{entry}]}}]",
    )
    assert history(result) == ["v1 1 failed 0-12 look:lost look:lost (environmental: timeout)"]
    assert signals(result) == ["v1 1 environmental: timeout"]
    assert result.signals[0].attempted == ("look: timeout", "look: timeout")
    assert result.signals[0].evidence == {"radius": 0}
    assert [lesson.text for lesson in result.lessons] == [
        "v1 step 1 environmental: expected none, got timeout; avoid: look: timeout, look: timeout"
    ]
    assert effects(result) == ["v1 1 look {} ×2"]


@pytest.mark.parametrize(
    "policy",
    [
        "{gates: {max_tool_calls: 1}}",  # before the retry
        "{gates: {max_seconds: 5s}}",  # the wait would end too late
        "{gates: {max_seconds: 4s}}",  # in the middle of the call
    ],
)
def test_nor_does_a_gate_tell(policy: str) -> None:
    _, result = rehearse(
        f"goal: g\ntools: {{look: {{timeout: 5s}}}}\nsteps: [{{id: 1, tool: look}}]\npolicy: {policy}",
        "outcomes: [{returns: [lost]}]",
    )
    (row,) = result.history
    assert [attempt.status for attempt in row.attempts] == ["lost"]
    assert row.error is not None
    assert row.error.error_msg == "abandoned, last: timeout"


def test_a_lost_answer_that_took_longer_than_the_timeout_is_lost_at_the_timeout() -> None:
    _, result = rehearse(
        "goal: g\ntools: {look: {timeout: 5s}}\nsteps: [{id: 1, tool: look, on_failure: skip}]\n"
        "policy: {retry: {max_attempts: 1}}",
        "outcomes: [{returns: [{status: lost, latency: 9s}]}]",
    )
    assert history(result) == ["v1 1 failed 0-5 look:lost (environmental: timeout)"]
