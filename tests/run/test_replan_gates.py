"""The gates before and behind a replan: nothing allowed, exactly the limit, one over, no limit; the rows they leave."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.replan.gates import GateLimits, Preset
from replanctl.run.events import SessionStart
from tests.rehearse import rehearse
from tests.run.limits import FAILS, OPEN, failing, of, under
from tests.run.telling import ending, gates, versions


@pytest.mark.parametrize(
    ("limit", "failures", "rows", "end"),
    [
        (0, 0, [], "completed goal_met 1s"),
        (0, 1, ["v1 1 0/0!"], "failed step_breaker 1s"),
        (1, 1, ["v1 1 0/1"], "completed goal_met 2s"),
        (1, 2, ["v1 1 0/1", "v2 1 1/1!"], "failed step_breaker 2s"),
        (3, 3, ["v1 1 0/3", "v2 1 1/3", "v3 1 2/3"], "completed goal_met 4s"),
        (3, 4, ["v1 1 0/3", "v2 1 1/3", "v3 1 2/3", "v4 1 3/3!"], "failed step_breaker 4s"),
        (None, 4, ["v1 1 0/-", "v2 1 1/-", "v3 1 2/-", "v4 1 3/-"], "completed goal_met 5s"),
    ],
)
def test_the_same_failure_again(limit: int | None, failures: int, rows: list[str], end: str) -> None:
    result = under(FAILS, failing(failures), per_step=limit)
    assert (of("per_step", result), ending(result)) == (rows, end)


def test_each_error_type_and_each_lineage_counts_apart() -> None:
    result = under(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}]",
        "{match: {step: 1}, returns: [shape, semantic, error, ok]}, {match: {step: 2}, returns: [shape, ok]}",
        per_step=1,
    )
    assert of("per_step", result) == ["v1 1 0/1", "v2 1 0/1", "v3 1 0/1", "v4 4 0/1"]


@pytest.mark.parametrize(
    ("limit", "failures", "rows", "end"),
    [
        (0, 0, [], "completed goal_met 1s"),
        (0, 1, ["v1 1 0/0!"], "failed replan_budget 1s"),
        (1, 1, ["v1 1 0/1"], "completed goal_met 2s"),
        (1, 2, ["v1 1 0/1", "v2 1 1/1!"], "failed replan_budget 2s"),
        (2, 2, ["v1 1 0/2", "v2 1 1/2"], "completed goal_met 3s"),
    ],
)
def test_replans_in_all(limit: int, failures: int, rows: list[str], end: str) -> None:
    result = under(FAILS, failing(failures), max_replans=limit)
    assert (of("max_replans", result), ending(result)) == (rows, end)


# One step, one lesson, nothing done: 120 + 40 + 80 + 60 + 60 = 360 are booked, and a fifth more is asked for: 432.
@pytest.mark.parametrize(
    ("limit", "failures", "rows", "end"),
    [
        (0, 0, [], "completed goal_met 1s"),
        (0, 1, ["v1 1 432/0!"], "failed token_budget 1s"),
        (431, 1, ["v1 1 432/431!"], "failed token_budget 1s"),
        (432, 1, ["v1 1 432/432"], "completed goal_met 2s"),
        (791, 2, ["v1 1 432/791", "v2 1 792/791!"], "failed token_budget 2s"),
        (792, 2, ["v1 1 432/792", "v2 1 792/792"], "completed goal_met 3s"),
        (None, 2, ["v1 1 432/-", "v2 1 792/-"], "completed goal_met 3s"),
    ],
)
def test_replan_tokens(limit: int | None, failures: int, rows: list[str], end: str) -> None:
    result = under(FAILS, failing(failures), max_replan_tokens=limit)
    assert (of("max_replan_tokens", result), ending(result)) == (rows, end)
    booked = [line.booked for line in result.ledger.lines if line.kind == "replan"]
    assert booked == [360] * (len(rows) - (result.status == "failed"))


CHAIN = "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}, {id: 4, tool: d}]"


def test_a_row_for_every_check_in_their_order() -> None:
    """Two done, one lesson, two lines: 120 + 40 + 80 + 60 + 2 × 25 + 2 × 60 = 470, padded 564."""
    _, result = rehearse(CHAIN, "outcomes: [{match: {step: 3}, returns: [shape, shape, ok]}]")
    assert gates(result) == [
        "v1 3 per_step 0/3",
        "v1 3 max_replans 0/5",
        "v1 3 max_replan_tokens 564/20000",
        "v1 3 max_repeat 0/1",
        "v1 3 max_steps 5/12",
        "v2 3 per_step 1/3",
        "v2 3 max_replans 1/5",
        "v2 3 max_replan_tokens 1034/20000",
        "v2 3 max_repeat 0/1",
        "v2 3 max_steps 6/12",
    ]


def test_a_large_request_is_folded_and_asked_for_as_it_is_carried() -> None:
    """Nine of thirteen done steps fold to eight lines, and of fifteen steps to replace nine lines are carried."""
    steps = ", ".join(f"{{id: {n}, tool: t{n}}}" for n in range(1, 29))
    _, result = rehearse(f"goal: g\nsteps: [{steps}]", "outcomes: [{match: {step: 14, version: 1}, returns: [shape]}]")
    estimate = 120 + 40 + 80 + 60 + 8 * 25 + 9 * 60
    assert [line.booked for line in result.ledger.lines if line.kind == "replan"] == [estimate]
    assert of("max_replan_tokens", result) == [f"v1 14 {estimate * 1.2:g}/20000"]


TIGHT = {"per_step": 0, "max_replans": 0, "max_replan_tokens": 0, "max_repeat": 1, "max_steps": 0}


@pytest.mark.parametrize(
    ("loosened", "row", "reason"),
    [
        ((), "per_step 0/0!", "step_breaker"),
        (("per_step",), "max_replans 0/0!", "replan_budget"),
        (("per_step", "max_replans"), "max_replan_tokens 432/0!", "token_budget"),
    ],
)
def test_of_several_gates_that_refuse_a_replan_the_first_is_named(
    loosened: tuple[str, ...], row: str, reason: str
) -> None:
    limits = {name: OPEN[name] if name in loosened or name == "max_steps" else limit for name, limit in TIGHT.items()}
    result = under(FAILS, failing(1), **limits)
    assert (gates(result)[-1], result.reason, len(result.gates)) == (f"v1 1 {row}", reason, len(loosened) + 1)


def test_a_replan_that_was_refused_before_anyone_was_asked_changes_nothing() -> None:
    result = under(FAILS, failing(1), max_replans=0)
    assert (len(result.versions), [line.kind for line in result.ledger.lines]) == (1, ["planning", "execution"])
    assert [lesson.text for lesson in result.lessons] == [
        "v1 step 1 assumption: expected none, got shape; avoid: t: shape"
    ]


class Raises:
    """A replanner that is never any good."""

    name = "raises"

    def replan(self, request: object) -> Any:
        raise RuntimeError("no idea")

    def cause(self, request: object) -> str:
        return ""


@pytest.mark.parametrize(
    ("limits", "rows", "reason"),
    [
        (
            {},
            ["per_step 0/3", "per_step 0/3", "per_step 1/3", "per_step 2/3", "per_step 3/3!"],
            "step_breaker",
        ),
        ({"max_replans": 2}, ["max_replans 0/2", "max_replans 1/2", "max_replans 2/2!"], "replan_budget"),
        (
            # 360 with the failure's lesson, then 420 with the bad draft's too: 360 + 504
            {"max_replan_tokens": 863},
            ["max_replan_tokens 432/863", "max_replan_tokens 864/863!"],
            "token_budget",
        ),
        (
            {"max_replan_tokens": 1283},
            ["max_replan_tokens 432/1283", "max_replan_tokens 864/1283", "max_replan_tokens 1284/1283!"],
            "token_budget",
        ),
    ],
)
def test_a_replanner_that_was_asked_counts_and_is_booked_whatever_it_did(
    limits: dict[str, Any], rows: list[str], reason: str
) -> None:
    _, result = rehearse(FAILS, f"outcomes: [{failing(1)}]", replanner=Raises(), gates=GateLimits(**limits))
    gate = rows[0].split()[0]
    assert [f"{gate} {row.removeprefix('v1 1 ')}" for row in of(gate, result)] == rows
    assert (result.reason, len(result.versions)) == (reason, 1)
    asked = [line.booked for line in result.ledger.lines if line.kind == "replan"]
    assert asked == [360, 420, 420, 420][: len(asked)] and len(asked) == len(rows) - 1


def test_a_planner_that_gives_up_was_asked() -> None:
    _, result = rehearse(f"{FAILS}\nplanner: [{{otherwise: give_up}}]", f"outcomes: [{failing(1)}]")
    assert (ending(result), [line.booked for line in result.ledger.lines if line.kind == "replan"]) == (
        "failed no_plan 1s",
        [360],
    )
    assert gates(result) == ["v1 1 per_step 0/3", "v1 1 max_replans 0/5", "v1 1 max_replan_tokens 432/20000"]


def test_a_draft_that_a_later_gate_refuses_was_asked_for() -> None:
    result = under(FAILS, failing(1), max_steps=1)
    assert [line.booked for line in result.ledger.lines if line.kind == "replan"] == [360]
    assert versions(result) == ["v1 None None start: 1"]


EIGHT = "goal: g\nsteps: [" + ", ".join(f"{{id: {n}, tool: t{n}}}" for n in range(1, 9)) + "]"


@pytest.mark.parametrize(
    ("gates_said", "limits", "warned"),
    [
        (GateLimits(), (3, 5, 20_000, 16, None, None, None, 1), 0),
        (GateLimits(preset=Preset.ANCHORED), (3, 4, 1040, 16, 24, None, None, 1), 1),
        (GateLimits(preset=Preset.ANCHORED, max_seconds=60), (3, 4, 1040, 16, 24, None, 60.0, 1), 0),
        (GateLimits(preset=Preset.ANCHORED, max_seconds=None), (3, 4, 1040, 16, 24, None, None, 1), 0),
    ],
)
def test_a_session_says_its_limits_and_what_the_preset_leaves_open(
    gates_said: GateLimits, limits: tuple[Any, ...], warned: int
) -> None:
    events, result = rehearse(EIGHT, gates=gates_said)
    start = events[0]
    assert isinstance(start, SessionStart)
    assert tuple(start.limits.values()) == limits
    assert sum("max_seconds" in text for text in result.warnings) == warned


def test_the_hand_over_names_the_gate_with_limit_and_reading() -> None:
    result = under(CHAIN, "{match: {step: 3}, returns: [shape]}", max_replans=0)
    handover = result.handover
    assert handover is not None and handover.gate is not None
    assert (handover.reason, handover.gate.gate, handover.gate.limit, handover.gate.reading) == (
        "replan_budget",
        "max_replans",
        0,
        0,
    )
    assert (handover.clean_results, handover.trajectory[-1]) == (
        {"E1": "ok", "E2": "ok"},
        "v1 step 3 failed: assumption: shape",
    )
