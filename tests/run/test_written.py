"""What a plan or draft made by code says in other words than ours is told once, as it is of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from replanctl import Alternative, Plan, PlanExecuteAgent, Policy, ScriptedTools, Session, Step
from replanctl.run import plan_warnings
from tests.rehearse import rehearse

TO_ONE = "which is no reference here: to read step 1, write #E1"
SAID: dict[str, tuple[list[Step], list[str]]] = {
    "another system's words": (
        [Step(1, "a", {"x": "$2"}), Step(2, "a", {"y": ["{{steps.1.out}}", "$3", "costs $1"]})],
        ["foreign-reference: step 1 has the text $2, which is no reference here: to read step 2, write #E2",
         "foreign-reference: step 2 has the text {{steps.1.out}}, " + TO_ONE + ".out"],
    ),
    "another way's": (
        [Step(1, "a"), Step(2, "a", alternatives=(Alternative("b", {"x": "${1}"}),))],
        [f"foreign-reference: step 2 has the text ${{1}}, {TO_ONE}"],
    ),
    "to nothing, twice": (
        [Step(1, "a", {"x": "#E9", "y": ["#E9", "see #E9"]})],
        ["unknown-reference: step 1 reads #E9, and no step is 9"],
    ),
    "to itself and to what it does not wait for": (
        [Step(1, "a"), Step(2, "a", {"x": "#E2", "y": "#E1"}),
         Step(3, "a", {"x": "#E1.rows", "y": "#E4"}, depends_on=[]), Step(4, "a", {"x": "#E3"})],
        ["hidden-dependency: step 2 reads its own result, #E2",
         "hidden-dependency: step 3 reads #E1.rows and does not depend on 1",
         "hidden-dependency: step 3 reads #E4 and does not depend on 4"],
    ),
    "nothing to say": ([Step(1, "a"), Step(2, "a"), Step(3, "a", {"x": "#E1 of #E2, ##E9"})], []),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), SAID.values(), ids=SAID)
def test_a_plan_from_python(steps: list[Step], said: list[str]) -> None:
    events = list(Session(Plan("g", tuple(steps)), tools=ScriptedTools(())).events())
    assert list(events[0].warnings)[: len(said)] == said  # type: ignore[attr-defined]
    assert list(plan_warnings(Plan.of("g", steps))) == said


@pytest.mark.parametrize("policy", [None, Policy()], ids=["plain", "whole"])
def test_the_first_answer_of_a_planner(policy: Policy | None) -> None:
    def tool(name: str, args: Mapping[str, Any]) -> str:
        return name

    agent = PlanExecuteAgent(
        lambda goal, history, last_error: [Step(1, "a"), Step(2, "a", {"x": "$1"})], tool, policy=policy
    )
    assert list(agent.run("g").warnings) == [f"foreign-reference: step 2 has the text $1, {TO_ONE}"]


def test_a_draft_s_other_ways_too() -> None:
    _, result = rehearse("""
        goal: g
        steps: [{id: 1, tool: a}, {id: 2, tool: a}]
        outcomes: [{match: {step: 2}, returns: [shape, ok]}]
        planner: [{steps: [{id: 2, tool: b, alternatives: [{tool: c, args: {x: "${1}"}}]}]}]
    """)
    assert list(result.warnings) == [f"foreign-reference: step 2 of the draft has the text ${{1}}, {TO_ONE}"]
