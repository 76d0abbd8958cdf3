"""The execution layer's own remedies, to the second: retries, what the tool asks for, fallbacks, and what has none."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.run.telling import calls_again, history, routes

BAD = "unavailable"
SLOW = "t:unavailable t:unavailable t:unavailable"


def told(tool: str, retry: str, returns: str, more: str = "") -> tuple[list[str], list[str]]:
    """Step 1 uses tool `t`, described so, under this retry policy; `t` returns this, other tools as `more` says."""
    events, result = rehearse(
        f"goal: g\ntools: {{t: {{{tool}}}, f: {{timeout: 5s}}, g: {{idempotent: false, fallback: h}}, h: {{}},"
        " strict: {args: {required: [never]}}}\n"
        "steps: [{id: 1, tool: t, args: {a: 1}, on_failure: skip}]\n"
        f"policy: {{retry: {{{retry}}}}}",
        f"outcomes:\n  - {{match: {{tool: t}}, returns: [{returns}]}}\n{more}",
    )
    return calls_again(events), history(result)


@pytest.mark.parametrize(
    ("retry", "returns", "again", "line"),
    [
        ("", "ok", [], "done 0-1 t:ok"),
        ("", f"{BAD}, ok", ["2s t again after 1s"], "done 0-3 t:unavailable t:ok"),
        (
            "",
            BAD,
            ["2s t again after 1s", "5s t again after 2s"],
            f"failed 0-6 {SLOW} (environmental: unavailable)",
        ),
        (
            "max_attempts: 5",
            BAD,
            ["2s t again after 1s", "5s t again after 2s", "10s t again after 4s", "19s t again after 8s"],
            f"failed 0-20 {SLOW} t:unavailable t:unavailable (environmental: unavailable)",
        ),
        ("max_attempts: 1", BAD, [], "failed 0-1 t:unavailable (environmental: unavailable)"),
        (
            "backoff: 3s, factor: 3, max_backoff: 5s",
            BAD,
            ["4s t again after 3s", "10s t again after 5s"],
            f"failed 0-11 {SLOW} (environmental: unavailable)",
        ),
        (
            "backoff: 2s, factor: 1",
            BAD,
            ["3s t again after 2s", "6s t again after 2s"],
            f"failed 0-7 {SLOW} (environmental: unavailable)",
        ),
        (
            "backoff: 0",
            BAD,
            ["1s t again after 0s", "2s t again after 0s"],
            f"failed 0-3 {SLOW} (environmental: unavailable)",
        ),
        (  # the wait the tool asks for outranks the backoff, its ceiling too
            "",
            "{status: rate_limited, retry_after: 100s}, {status: rate_limited, retry_after: 0}, ok",
            ["101s t again after 100s", "102s t again after 0s"],
            "done 0-103 t:rate_limited t:rate_limited t:ok",
        ),
        (  # the backoff counts tries, whether or not it was used for the one before
            "",
            f"{{status: {BAD}, retry_after: 5s}}, {BAD}, ok",
            ["6s t again after 5s", "9s t again after 2s"],
            "done 0-10 t:unavailable t:unavailable t:ok",
        ),
        (
            "",
            "timeout, ok",
            ["31s t again after 1s"],
            "done 0-32 t:timeout t:ok",
        ),
        (  # what came too late asked for nothing
            "",
            "{status: rate_limited, latency: 40s, retry_after: 100s}, ok",
            ["31s t again after 1s"],
            "done 0-32 t:timeout t:ok",
        ),
        ("", "rate_limited, tool_error, ok", ["2s t again after 1s", "5s t again after 2s"], None),
        # only what is environmental is tried again, and the last attempt decides
        ("", "shape", [], "failed 0-1 t:shape (assumption: shape)"),
        ("", "empty", [], "failed 0-1 t:empty (assumption: empty)"),
        ("", "semantic", [], "failed 0-1 t:semantic (semantic: semantic)"),
        ("", "denied", [], "failed 0-1 t:denied (permission: denied)"),
        ("", "error", [], "failed 0-1 t:error (unknown: error)"),
        (
            "",
            f"{BAD}, {{status: semantic, message: wrong}}",
            ["2s t again after 1s"],
            "failed 0-3 t:unavailable t:semantic (semantic: wrong)",
        ),
        (
            "",
            f"{{status: {BAD}, message: first}}, {{status: {BAD}, message: second}}, {BAD}",
            ["2s t again after 1s", "5s t again after 2s"],
            f"failed 0-6 {SLOW} (environmental: unavailable)",
        ),
    ],
)
def test_tries_and_waits(retry: str, returns: str, again: list[str], line: str | None) -> None:
    line = line or "done 0-6 t:rate_limited t:tool_error t:ok"
    assert told("", retry, returns) == (again, [f"v1 1 {line}"])


ONCE = "max_attempts: 1"
DOWN_F = f"  - {{match: {{tool: f}}, returns: [{BAD}]}}"
SLOW_F = "  - {match: {tool: f}, returns: [timeout]}"
SLOW_G = "  - {match: {tool: g}, returns: [timeout]}"


@pytest.mark.parametrize(
    ("tool", "retry", "returns", "more", "again", "line"),
    [
        (  # when attempts are spent, at once
            "fallback: f",
            "",
            BAD,
            "",
            ["2s t again after 1s", "5s t again after 2s", "6s f instead of t"],
            f"done 0-7 {SLOW} f:ok",
        ),
        (  # no wait even where the tool asked for one
            "fallback: f",
            ONCE,
            f"{{status: {BAD}, retry_after: 60s}}",
            "",
            ["1s f instead of t"],
            "done 0-2 t:unavailable f:ok",
        ),
        (  # each has its own attempts and its own backoff
            "fallback: f",
            "max_attempts: 2",
            BAD,
            DOWN_F,
            ["2s t again after 1s", "3s f instead of t", "5s f again after 1s"],
            "failed 0-6 t:unavailable t:unavailable f:unavailable f:unavailable (environmental: unavailable)",
        ),
        (  # its own timeout
            "fallback: f",
            ONCE,
            BAD,
            SLOW_F,
            ["1s f instead of t"],
            "failed 0-6 t:unavailable f:timeout (environmental: timeout)",
        ),
        (  # in order; names that come again and the tool itself are dropped
            "fallback: [f, t, f, h]",
            ONCE,
            BAD,
            DOWN_F,
            ["1s f instead of t", "2s h instead of f"],
            "done 0-3 t:unavailable f:unavailable h:ok",
        ),
        (  # its own idempotence, and its own fallbacks are not followed
            "fallback: [g, f]",
            ONCE,
            BAD,
            SLOW_G,
            ["1s g instead of t"],
            "failed 0-31 t:unavailable g:timeout (environmental: timeout)",
        ),
        (
            "fallback: g",
            ONCE,
            BAD,
            f"  - {{match: {{tool: g}}, returns: [{BAD}]}}",
            ["1s g instead of t"],
            "failed 0-2 t:unavailable g:unavailable (environmental: unavailable)",
        ),
        (  # one whose schema refuses the args is passed over
            "fallback: [strict, f]",
            ONCE,
            BAD,
            "",
            ["1s f instead of t"],
            "done 0-2 t:unavailable f:ok",
        ),
        ("fallback: strict", ONCE, BAD, "", [], "failed 0-1 t:unavailable (environmental: unavailable)"),
        (  # nothing but what is environmental falls back
            "fallback: f",
            "",
            "shape",
            "",
            [],
            "failed 0-1 t:shape (assumption: shape)",
        ),
        ("fallback: f", "", "denied", "", [], "failed 0-1 t:denied (permission: denied)"),
        (
            "fallback: f",
            "",
            f"{BAD}, denied",
            "",
            ["2s t again after 1s"],
            "failed 0-3 t:unavailable t:denied (permission: denied)",
        ),
        (  # a fallback's answer decides like any other
            "fallback: [f, h]",
            ONCE,
            BAD,
            "  - {match: {tool: f}, returns: [{status: shape, message: m}]}",
            ["1s f instead of t"],
            "failed 0-2 t:unavailable f:shape (assumption: m)",
        ),
        (  # a call that may have happened is neither made again nor made elsewhere
            "idempotent: false, fallback: f",
            "",
            "timeout",
            "",
            [],
            "failed 0-30 t:timeout (environmental: timeout)",
        ),
        (
            "idempotent: false, timeout: 2s",
            "",
            "{status: ok, latency: 3s}",
            "",
            [],
            "failed 0-2 t:timeout (environmental: timeout)",
        ),
        (  # one that surely has not is
            "idempotent: false, fallback: f",
            "max_attempts: 2",
            BAD,
            "",
            ["2s t again after 1s", "3s f instead of t"],
            "done 0-4 t:unavailable t:unavailable f:ok",
        ),
    ],
)
def test_fallbacks(tool: str, retry: str, returns: str, more: str, again: list[str], line: str) -> None:
    assert told(tool, retry, returns, more) == (again, [f"v1 1 {line}"])


@pytest.mark.parametrize(("idempotent", "warned"), [("true", ()), ("false", (True,))])
def test_a_call_that_may_have_happened_is_said_to(idempotent: str, warned: tuple[bool, ...]) -> None:
    _, result = rehearse(
        f"goal: g\ntools: {{t: {{idempotent: {idempotent}}}}}\nsteps: [{{id: 1, tool: t, on_failure: skip}}]",
        "outcomes: [{returns: [timeout]}]",
    )
    assert tuple("may have happened" in text for text in result.warnings) == warned


def test_everything_tried_is_recorded_in_order() -> None:
    _, result = rehearse(
        """
goal: g
tools: {t: {fallback: [f, h]}, f: {}, h: {}}
steps: [{id: 1, tool: t}]
policy: {retry: {max_attempts: 2}}
outcomes:
  - {match: {tool: t}, returns: [timeout, unavailable]}
  - {match: {tool: f}, returns: [rate_limited]}
  - {match: {tool: h}, returns: [tool_error, {status: unavailable, message: the end, cause: because}]}
"""
    )
    assert result.signals[0].attempted == (
        "t: timeout",
        "t: unavailable",
        "f: rate_limited",
        "f: rate_limited",
        "h: tool_error",
        "h: unavailable",
    )
    assert (result.signals[0].error_type, result.signals[0].error_msg) == ("environmental", "the end")
    assert routes(result) == ["v1 1 environmental radius 0 environmental → none"]
    assert result.lessons[0].text.startswith("v1 step 1 environmental: because; avoid: t: timeout, t: unavailable, f:")
