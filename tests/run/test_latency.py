"""How long calls take on the virtual clock, and what comes too late."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.run.telling import ending, history

ONE = "goal: g\nsteps: [{id: 1, tool: t, on_failure: skip%s}]\npolicy: {retry: {max_attempts: 1}}\n"


@pytest.mark.parametrize(
    ("tool", "entry", "line"),
    [
        ("", "ok", "done 0-1 t:ok"),
        ("", "{status: ok, latency: 250ms}", "done 0-0.25 t:ok"),
        ("", "{status: ok, latency: 0}", "done 0-0 t:ok"),
        ("", "timeout", "failed 0-30 t:timeout (environmental: timeout)"),
        ("timeout: 20s", "timeout", "failed 0-20 t:timeout (environmental: timeout)"),
        ("timeout: 20s", "{status: timeout, latency: 3s}", "failed 0-3 t:timeout (environmental: timeout)"),
        ("", "{status: ok, latency: 30s}", "done 0-30 t:ok"),
        # later than the tool's timeout: a timeout, and nothing of the answer arrived
        ("", "{status: ok, latency: 31s}", "failed 0-30 t:timeout (environmental: timeout)"),
        ("timeout: 2s", "{status: ok, latency: 2001ms}", "failed 0-2 t:timeout (environmental: timeout)"),
        ("timeout: 2s", "{status: shape, message: m, latency: 3s}", "failed 0-2 t:timeout (environmental: timeout)"),
        ("timeout: 2s", "{status: timeout, message: m, latency: 3s}", "failed 0-2 t:timeout (environmental: timeout)"),
        ("timeout: 2s", "{status: timeout, message: m, latency: 2s}", "failed 0-2 t:timeout (environmental: m)"),
        ("timeout: 500ms", "ok", "failed 0-0.5 t:timeout (environmental: timeout)"),
        ("timeout: 2m", "{status: ok, latency: 1m}", "done 0-60 t:ok"),
    ],
)
def test_how_long_a_call_takes(tool: str, entry: str, line: str) -> None:
    _, result = rehearse(ONE % "" + f"tools: {{t: {{{tool}}}}}", f"outcomes: [{{returns: [{entry}]}}]")
    assert history(result) == [f"v1 1 {line}"]


def test_what_a_late_answer_refutes_never_arrived() -> None:
    _, result = rehearse(
        """
goal: g
assumptions: {p: premise}
tools: {t: {timeout: 2s}, a: {}}
steps: [{id: 1, tool: a, assumes: [p], depends_on: []}, {id: 2, tool: t, on_failure: skip, depends_on: []}]
policy: {retry: {max_attempts: 1}}
outcomes: [{match: {tool: t}, returns: [{status: shape, refutes: [p], cause: late, latency: 3s}]}]
"""
    )
    assert (result.variables["E1"].health, result.signals[0].evidence) == ("clean", {"radius": 0})


def test_an_hour_of_waiting_is_only_a_number() -> None:
    _, result = rehearse(
        "goal: g\ntools: {t: {timeout: 1h}}\nsteps: [{id: 1, tool: t}]\npolicy: {retry: {max_backoff: 1h}}",
        "outcomes: [{returns: [{status: rate_limited, retry_after: 10h}, {status: ok, latency: 1h}]}]",
    )
    assert ending(result) == "completed goal_met 39601s"
