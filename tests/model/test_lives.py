"""Sessions that stop and are taken up again: named ones, whose end follows from the contract, and random ones."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.model.doors import Door, try_door
from tests.model.lives import Life, engine_life, model_life, try_life
from tests.model.session import Session
from tests.model.test_cases import outcome, plan
from tests.model.world import Ambiguous

LIVES = int(os.environ.get("MODEL_LIVES", "250"))
DOORS = int(os.environ.get("MODEL_DOORS", "60"))
CHUNK = 50

OLD = {"status": "ok", "value": "old"}
NEW = [outcome({}, {"status": "ok", "value": "new"})]
ALONE: dict[str, Any] = {"depends_on": []}


@dataclass(frozen=True)
class LifeCase:
    """A sentence, a document, the changes with which it is taken up, and what the last stretch comes to: its reason,
    the executions (version step: status), and more by path."""

    name: str
    document: dict[str, Any]
    changes: list[dict[str, Any]]
    reason: str
    runs: str
    more: dict[str, Any] = field(default_factory=dict)


CASES = [
    LifeCase(
        "another script holds from the stop on: what was done stays done, though a limit was felt before it",
        plan(
            {"id": 1, "tool": "a", **ALONE},
            {"id": 2, "tool": "b", **ALONE},
            {"id": 3, "tool": "c", "depends_on": [2]},
            policy={"max_parallel": 2, "gates": {"max_seconds": 9}},
            outcomes=[outcome({"step": 1}, {"status": "ok", "latency": "20s"}), outcome({}, OLD)],
        ),
        [{"limits": {"max_seconds": "+60"}, "outcomes": NEW}],
        "goal_met",
        "v1 2: done, v1 3: done, v1 1: failed, v2 1: done",
        {"values": {"E1": "new", "E2": "old", "E3": "old"}, "seconds": 10},
    ),
    LifeCase(
        "nor does it hold for the last call before the limit",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b"},
            policy={"gates": {"max_steps": 1}},
            outcomes=[outcome({}, OLD)],
        ),
        [{"limits": {"max_steps": "+4"}, "outcomes": NEW}],
        "goal_met",
        "v1 1: done, v1 2: done",
        {"values": {"E1": "old", "E2": "new"}},
    ),
    LifeCase(
        "a limit that is lowered with the raise takes back nothing that was done",
        plan(
            {"id": 1, "tool": "a", **ALONE},
            {"id": 2, "tool": "b", **ALONE},
            {"id": 3, "tool": "c", "depends_on": [2]},
            policy={"max_parallel": 2, "gates": {"max_seconds": 9}},
            outcomes=[outcome({"step": 1}, {"status": "ok", "latency": "20s"})],
        ),
        [{"limits": {"max_seconds": "+60", "max_steps": 3}}],
        "step_budget",
        "v1 2: done, v1 3: done, v1 1: failed",
    ),
    LifeCase(
        "a goal that got no plan is asked for at every resume",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b"},
            planner=[{"otherwise": "give_up"}],
            interruptions=[{"goal": "other", "after": 1}],
        ),
        [{}, {}, {}],
        "no_plan",
        "v1 1: done",
        {"routes": ["goal-changed"] * 4},
    ),
    LifeCase(
        "a goal that changed nothing does not stop the next one from being heard",
        plan({"id": 1, "tool": "a"}, {"id": 2, "tool": "b"}, policy={"gates": {"max_tool_calls": 1}}),
        [{"goal": "g"}, {"goal": "other", "limits": {"max_tool_calls": "+5"}}],
        "goal_met",
        "v1 1: done, v2 3: done, v2 4: done",
        {"routes": ["goal-changed"], "goal": "other"},
    ),
    LifeCase(
        "an interruption that has come due does not come due again under another script",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b"},
            outcomes=[outcome({"tool": "b"}, "denied")],
            interruptions=[{"goal": "other", "at": "1s"}],
        ),
        [{"goal": "third", "outcomes": NEW}],
        "goal_met",
        "v1 1: done, v2 3: done, v2 4: failed, v4 5: done, v4 6: done",
        {"goal": "third"},
    ),
    LifeCase(
        "an interruption given after the ending that it waits for comes too late, also right behind it",
        plan(
            {"id": 1, "tool": "a", "on_failure": "skip"},
            {"id": 2, "tool": "b", "depends_on": []},
            policy={"gates": {"max_steps": 1}},
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        [{"limits": {"max_steps": 9}, "outcomes": [], "interruptions": [{"goal": "other", "after": 1}]}],
        "goal_met_with_gaps",
        "v1 1: failed, v1 2: done",
        {"goal": "g"},
    ),
    LifeCase(
        "an execution that the new limit ends too ends the session: no version is made for it",
        plan(
            {"id": 1, "tool": "a"},
            policy={"gates": {"max_tool_calls": 1}},
            outcomes=[outcome({}, "timeout")],
        ),
        [{"limits": {"max_tool_calls": "+1"}}],
        "tool_call_budget",
        "v1 1: failed",
        {"versions": ["start"]},
    ),
    LifeCase(
        "what was denied behind the moment at which a limit was felt is lifted all the same",
        plan(
            {"id": 1, "tool": "a", **ALONE},
            {"id": 2, "tool": "b", **ALONE},
            {"id": 3, "tool": "b", **ALONE},
            policy={"max_parallel": 2, "gates": {"max_seconds": 9}},
            outcomes=[
                outcome({"tool": "a"}, {"status": "ok", "latency": "20s"}),
                outcome({"step": 2}, {"status": "denied", "latency": "2s"}, "ok"),
            ],
        ),
        [{"limits": {"max_seconds": None}}, {}],
        "goal_met",
        "v1 2: failed, v1 1: failed, v2 3: done, v2 1: done, v3 2: done",
    ),
    LifeCase(
        "a deferred step that a person lets be is no gap, nor is what it had blocked, and no Solver is asked",
        plan(
            {"id": 1, "tool": "pay", "on_failure": "defer"},
            {"id": 2, "tool": "look"},
            {"id": 3, "tool": "look", **ALONE},
            tools={"pay": {"idempotent": False}, "look": {}},
            outcomes=[outcome({"tool": "pay"}, "timeout")],
        ),
        [{"settle": {"1": "skip"}}],
        "goal_met_with_gaps",
        "v1 1: failed, v1 2: skipped, v1 3: done",
        {"gaps": [], "solver": 1},
    ),
]


def seen(result: dict[str, Any], path: str) -> Any:
    lines = result["ledger"]["lines"]
    found = {
        "values": {name: variable["value"] for name, variable in result["variables"].items()},
        "routes": [route["rule"] for route in result["routes"]],
        "versions": [version["cause"] for version in result["versions"]],
        "gaps": [gap["step_id"] for gap in result["gaps"]],
        "solver": sum(line["kind"] == "solver" for line in lines),
    }
    return found[path] if path in found else result[path]


@pytest.mark.parametrize("who", ["model", "engine"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_taken_up_as_the_contract_says(case: LifeCase, who: str) -> None:
    document = copy.deepcopy(case.document)
    lives = Session(document).live(case.changes) if who == "model" else engine_life(document, case.changes)
    assert len(lives) == len(case.changes) + 1
    last = lives[-1]
    runs = ", ".join(f"{row['version']} {row['step_id']}: {row['status']}" for row in last["history"])
    assert (last["reason"], runs) == (case.reason, case.runs)
    assert {path: seen(last, path) for path in case.more} == case.more


@pytest.mark.parametrize("first", range(0, LIVES, CHUNK))
def test_engine_and_model_agree(first: int) -> None:
    for seed in range(first, min(first + CHUNK, LIVES)):
        kind, text = try_life(seed)
        if kind not in ("same", "ambiguous"):
            document, changes = Life(seed).first, model_life(seed)[0]
            pytest.fail(f"life {seed}, {kind}: {text}\n{json.dumps(document)}\nchanges: {json.dumps(changes)}")


@pytest.mark.parametrize("first", range(0, DOORS, 20))
def test_engine_and_model_agree_at_the_command_line(first: int) -> None:
    for seed in range(first, first + 20):
        kind, text = try_door(seed)
        if kind not in ("same", "ambiguous"):
            door = Door(seed)
            pytest.fail(
                f"door {seed}, {kind}: {text}\n{json.dumps({'plan.yaml': door.first} | door.files)}\n{door.words}"
            )


def test_most_lives_are_taken_up_and_few_are_left_out() -> None:
    left_out, taken_up = 0, 0
    for seed in range(150):
        try:
            taken_up += len(model_life(seed)[0])
        except Ambiguous:
            left_out += 1
    assert left_out < 150 * 0.08
    assert taken_up > 150
