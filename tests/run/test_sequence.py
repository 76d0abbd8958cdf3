"""The facts a session yields, in order: an execution, a replan, a bad draft, a refusal."""

from __future__ import annotations

import msgspec
import pytest

from replanctl.run.events import Event
from tests.rehearse import rehearse

START = ["session.start", "plan.commit", "ledger"]
END = ["session.complete"]
RUN = ["step.start", "step.end"]
FAIL = ["step.start", "step.end", "signal"]
BEFORE_ASKING = ["gate", "gate", "gate"]  # breaker, count, tokens
COMMIT = ["gate", "gate", "plan.commit", "plan.diff"]  # oscillation, steps
ASKED = ["plan.draft", "ledger"]
ROUTED = ["route", "lesson"]

ONE = "goal: g\nsteps: [{id: 1, tool: t%s}]\n"
FAILS = "outcomes: [{match: {version: 1}, returns: [shape]}]"
BAD = (
    "planner: [{when: {type: invalid_draft}, steps: [{id: 1, tool: u}]}, {steps: [{id: 1, tool: u, depends_on: [9]}]}]"
)


def tags(events: list[Event]) -> list[str]:
    return [str(event.__struct_config__.tag) for event in events]


@pytest.mark.parametrize(
    ("text", "outcomes", "middle"),
    [
        (ONE % "", "", RUN),
        (ONE % "", "outcomes: [{returns: [timeout, ok]}]", ["step.start", "step.retry", "step.end"]),
        (
            ONE % "" + "tools: {t: {fallback: f}, f: {}}\npolicy: {retry: {max_attempts: 1}}",
            "outcomes: [{match: {tool: t}, returns: [timeout]}]",
            ["step.start", "step.fallback", "step.end"],
        ),
        (ONE % "", FAILS, [*FAIL, *ROUTED, *BEFORE_ASKING, *ASKED, *COMMIT, *RUN]),
        (
            ONE % "" + BAD,
            FAILS,
            [*FAIL, *ROUTED, *BEFORE_ASKING, *ASKED, "plan.rejected", "lesson", *BEFORE_ASKING, *ASKED, *COMMIT, *RUN],
        ),
        (ONE % "" + "policy: {gates: {per_step: 0}}", FAILS, [*FAIL, *ROUTED, "gate"]),
        (ONE % "" + "policy: {gates: {max_replans: 0}}", FAILS, [*FAIL, *ROUTED, "gate", "gate"]),
        (ONE % "" + "policy: {gates: {max_replan_tokens: 0}}", FAILS, [*FAIL, *ROUTED, *BEFORE_ASKING]),
        (
            ONE % "" + "policy: {gates: {max_steps: 1}}",
            FAILS,
            [*FAIL, *ROUTED, *BEFORE_ASKING, *ASKED, "gate", "gate"],
        ),
        (ONE % "" + "policy: {gates: {max_seconds: 0}}", "", ["gate"]),
        (ONE % "" + "planner: [{otherwise: give_up}]", FAILS, [*FAIL, *ROUTED, *BEFORE_ASKING, *ASKED]),
        (ONE % "", "outcomes: [{returns: [denied]}]", [*FAIL, *ROUTED]),
        (ONE % ", on_failure: abort", FAILS, FAIL),
        (ONE % ", on_failure: skip", FAILS, FAIL),
        (
            ONE % "" + "interruptions: [{after: 1, goal: other}]",
            "",
            [*RUN, "goal.changed", "variable.health", *ROUTED, "gate", "gate", *ASKED, *COMMIT, *RUN],
        ),
    ],
)
def test_what_follows_what(text: str, outcomes: str, middle: list[str]) -> None:
    events, _ = rehearse(text, outcomes or None)
    assert tags(events) == [*START, *middle, *END]


def test_every_event_is_numbered_and_names_the_version_in_force() -> None:
    events, _ = rehearse(ONE % "", FAILS)
    assert [event.seq for event in events] == list(range(len(events)))
    first_of_v2 = next(i for i, event in enumerate(events) if event.version == "v2")
    assert tags(events)[first_of_v2] == "plan.commit"
    assert {event.version for event in events[first_of_v2:]} == {"v2"}


def test_the_same_inputs_give_the_same_bytes() -> None:
    text = (
        "goal: g\nassumptions: {p: premise}\npolicy: {max_parallel: 3}\n"
        "steps: [{id: 1, tool: a, depends_on: [], assumes: [p]}, {id: 2, tool: b, depends_on: []},"
        " {id: 3, tool: c, args: {x: '#E1', y: '#E2'}, depends_on: [1, 2]}]\n"
        "interruptions: [{at: 5s, goal: other, refutes: [p]}]\n"
        "outcomes: [{returns: [timeout, {status: shape, refutes: [p]}, unavailable, ok, semantic, ok]}]"
    )
    once, again = (msgspec.json.encode(rehearse(text)) for _ in range(2))
    assert once == again
