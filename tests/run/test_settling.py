"""Several things could turn or end the session at one instant: which one does."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse

# One step is stopped inside its execution by the call gate, one aborts, the goal changes, one fails, and the next step
# may not start for the same gate: all at one second.
STOP = "stop"
ABORT = "abort"
GOAL = "goal"
FAILURE = "failure"
START = "start"
ORDER = (STOP, ABORT, GOAL, FAILURE, START)

STEPS = {
    STOP: "{id: stop, tool: down, depends_on: []}",
    ABORT: "{id: abort, tool: fails, args: {n: 1}, on_failure: abort, depends_on: []}",
    FAILURE: "{id: failure, tool: fails, args: {n: 2}, depends_on: []}",
}


def settled(*parts: str) -> tuple[str, list[str], list[str | None]]:
    """How the session ended, the rules that were routed by, and the steps of the gate rows that refused."""
    steps = [STEPS[part] for part in parts if part in STEPS]
    if GOAL in parts or START in parts:
        steps.append("{id: one, tool: fine, depends_on: []}")
    steps.append("{id: next, tool: fine, depends_on: []}")
    width = len(steps) - 1
    calls = width if STOP in parts or START in parts else "null"
    _, result = rehearse(
        f"goal: g\nsteps: [{', '.join(steps)}]\n"
        f"policy: {{max_parallel: {width}, gates: {{max_tool_calls: {calls}}}}}\n"
        f"interruptions: [{'{at: 1s, goal: other}' if GOAL in parts else ''}]\n"
        "outcomes:\n"
        "  - {match: {tool: down, version: 1}, returns: [unavailable]}\n"
        "  - {match: {tool: fails, version: 1}, returns: [shape]}\n"
    )
    refused = [gate.step_id for gate in result.gates if not gate.admitted]
    return f"{result.status} {result.reason}", [route.rule for route in result.routes], refused


STOPPED: tuple[str, list[str], list[str | None]] = ("failed tool_call_budget", [], ["stop"])
ABORTED: tuple[str, list[str], list[str | None]] = ("failed aborted", [], [])


@pytest.mark.parametrize(
    ("parts", "end"),
    [
        ((STOP, ABORT), STOPPED),
        ((STOP, GOAL), STOPPED),
        ((STOP, FAILURE), STOPPED),
        ((STOP, START), STOPPED),
        ((ABORT, GOAL), ABORTED),
        ((ABORT, FAILURE), ABORTED),
        ((ABORT, START), ABORTED),
        ((GOAL, FAILURE), ("completed goal_met", ["goal-changed"], [])),
        ((GOAL, START), ("failed tool_call_budget", ["goal-changed"], ["one_2"])),
        ((FAILURE, START), ("failed tool_call_budget", ["small-radius"], ["failure"])),
        (ORDER, STOPPED),
        (ORDER[1:], ABORTED),
        (ORDER[2:], ("failed tool_call_budget", ["goal-changed"], ["failure_2"])),
    ],
)
def test_the_weightiest_comes_first(parts: tuple[str, ...], end: tuple[str, list[str], list[str | None]]) -> None:
    """Whatever turns the session goes before the gate that keeps the next step, under its new id, from starting."""
    assert settled(*parts) == end
