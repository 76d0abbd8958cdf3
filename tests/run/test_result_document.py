"""The result of a session, field by field, and the order and names of everything in it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from replanctl.run.events import AnyEvent, Event
from replanctl.run.fold import ResultFold, fold
from replanctl.run.result import HandOver
from tests.rehearse import rehearse
from tests.replan.listing import kinds

PLAN = """
goal: Compare
assumptions: {listed: every vendor lists prices, public: prices are public}
tools: {look: {fallback: [scrape]}, scrape: {}, sum: {}, write: {}}
steps:
  - {id: 1, tool: look, action: look up A, args: {vendor: A}, assumes: [public, listed], depends_on: []}
  - {id: 2, tool: look, action: look up B, args: {vendor: B, than: "#E1"}, assumes: [public], depends_on: [1]}
  - {id: 3, tool: sum, args: {of: ["#E1", "#E2"]}, depends_on: [1, 2]}
  - {id: 4, tool: write, args: {n: 1}, depends_on: [], on_failure: skip}
  - {id: 5, tool: write, args: {n: 2}, depends_on: [4]}
policy: {retry: {max_attempts: 2, backoff: 2s}, routing: {overrides: {"2": patch}}}
planner:
  - {cause: by quote only, steps: [{id: q, tool: scrape, args: {vendor: B}}], verdicts: {E1: keep}}
outcomes:
  - {match: {step: 1}, returns: [{status: ok, value: {rows: [1]}, tokens: 7}]}
  - match: {tool: look, args: {vendor: B}}
    returns: [{status: unavailable, message: try later}, {status: timeout, latency: 5s}]
  - match: {step: 2, tool: scrape, version: v1}
    returns: [{status: semantic, message: only quotes, refutes: [public]}]
  - {match: {step: 4}, returns: [{status: error, message: no paper}]}
"""

STEP_1 = {
    "id": "1", "action": "look up A", "tool": "look", "args": {"vendor": "A"}, "expected_outcome": None,
    "depends_on": [], "assumes": ["public", "listed"], "state": "done", "replaces": None,
}  # fmt: skip
STEP_2 = {
    "id": "2", "action": "look up B", "tool": "look", "args": {"vendor": "B", "than": "#E1"}, "expected_outcome": None,
    "depends_on": ["1"],
    "assumes": ["public"], "state": "failed", "replaces": None,
}  # fmt: skip
STEP_3 = {
    "id": "3", "action": "sum", "tool": "sum", "args": {"of": ["#E1", "#E2"]}, "expected_outcome": None,
    "depends_on": ["1", "2"],
    "assumes": [], "state": "pending", "replaces": None,
}  # fmt: skip
STEP_4: dict[str, Any] = {
    "id": "4", "action": "write", "tool": "write", "args": {"n": 1}, "expected_outcome": None, "depends_on": [],
    "assumes": [], "state": "pending", "replaces": None,
}  # fmt: skip
STEP_5 = {**STEP_4, "id": "5", "args": {"n": 2}, "depends_on": ["4"]}
STEP_Q = {
    "id": "q", "action": "scrape", "tool": "scrape", "args": {"vendor": "B"}, "expected_outcome": None,
    "depends_on": [], "assumes": [], "state": "done", "replaces": "2",
}  # fmt: skip

RESULT: dict[str, Any] = {
    "schema_version": 1,
    "run": None,
    "goal": "Compare",
    "status": "completed",
    "reason": "goal_met_with_gaps",
    "detail": "not everything holds: 4, 5",
    "seconds": 13.0,
    "versions": [
        {
            "version": "v1", "parent": None, "granularity": None, "rule": None, "cause": "start",
            "steps": [STEP_1, STEP_2, STEP_3, STEP_4, STEP_5],
        },
        {
            "version": "v2", "parent": "v1", "granularity": "patch", "rule": "override", "cause": "semantic@2",
            "steps": [
                STEP_1,
                STEP_Q,
                {**STEP_3, "args": {"of": ["#E1", "#Eq"]}, "depends_on": ["1", "q"], "state": "done"},
                {**STEP_4, "state": "failed"},
                {**STEP_5, "state": "skipped"},
            ],
        },
    ],
    "history": [
        {
            "seq": 4, "version": "v1", "step_id": "1", "tool": "look", "args": {"vendor": "A"}, "status": "done",
            "result": {"rows": [1]}, "error": None,
            "attempts": [{"tool": "look", "status": "ok", "latency": 1.0}], "started": 0.0, "ended": 1.0,
        },
        {
            "seq": 8, "version": "v1", "step_id": "2", "tool": "scrape",
            "args": {"vendor": "B", "than": {"rows": [1]}}, "status": "failed", "result": None,
            "error": {"error_type": "semantic", "error_msg": "only quotes"},
            "attempts": [
                {"tool": "look", "status": "unavailable", "latency": 1.0},
                {"tool": "look", "status": "timeout", "latency": 5.0},
                {"tool": "scrape", "status": "semantic", "latency": 1.0},
            ],
            "started": 1.0, "ended": 10.0,
        },
        {
            "seq": 24, "version": "v2", "step_id": "q", "tool": "scrape", "args": {"vendor": "B"}, "status": "done",
            "result": "ok", "error": None,
            "attempts": [{"tool": "scrape", "status": "ok", "latency": 1.0}], "started": 10.0, "ended": 11.0,
        },
        {
            "seq": 26, "version": "v2", "step_id": "3", "tool": "sum", "args": {"of": [{"rows": [1]}, "ok"]},
            "status": "done", "result": "ok", "error": None,
            "attempts": [{"tool": "sum", "status": "ok", "latency": 1.0}], "started": 11.0, "ended": 12.0,
        },
        {
            "seq": 28, "version": "v2", "step_id": "4", "tool": "write", "args": {"n": 1}, "status": "failed",
            "result": None, "error": {"error_type": "unknown", "error_msg": "no paper"},
            "attempts": [{"tool": "write", "status": "error", "latency": 1.0}], "started": 12.0, "ended": 13.0,
        },
        {
            "seq": 30, "version": "v2", "step_id": "5", "tool": "write", "args": {"n": 2}, "status": "skipped",
            "result": None, "error": None, "attempts": [], "started": 13.0, "ended": 13.0,
        },
    ],
    "revisions": [
        {
            "from": "v1", "to": "v2", "granularity": "patch", "cause": "semantic@2", "removed": ["2"], "added": ["q"],
            "revised": ["3"], "rewired": [],
        },
    ],
    "signals": [
        {
            "version": "v1", "step_id": "2", "error_type": "semantic", "error_msg": "only quotes",
            "attempted": ["look: unavailable", "look: timeout", "scrape: semantic"],
            "evidence": {"radius": 1, "refuted": ["public"]},
        },
        {
            "version": "v2", "step_id": "4", "error_type": "unknown", "error_msg": "no paper",
            "attempted": ["write: error"], "evidence": {"radius": 1},
        },
    ],
    "routes": [
        {
            "version": "v1", "step_id": "2", "error_type": "semantic", "rule": "override", "radius": 1,
            "granularity": "patch", "escalated_from": None,
        },
    ],
    "gates": [
        {"gate": gate, "limit": limit, "reading": reading, "admitted": True, "step_id": "2", "version": "v1"}
        for gate, limit, reading in (
            ("per_step", 3, 0),
            ("max_replans", 5, 0),
            ("max_replan_tokens", 20000, 534),
            ("max_repeat", 1, 0),
            ("max_steps", 12, 6),
        )
    ],
    "variables": {
        "E1": {
            "value": {"rows": [1]}, "health": "clean", "assumptions": ["public", "listed"], "step_id": "1",
            "version": "v1", "verdict": "keep",
        },
        "Eq": {
            "value": "ok", "health": "clean", "assumptions": [], "step_id": "q", "version": "v2", "verdict": None,
        },
        "E3": {
            "value": "ok", "health": "clean", "assumptions": ["public", "listed"], "step_id": "3", "version": "v2",
            "verdict": None,
        },
    },
    "lessons": [
        {
            "text": "v1 step 2 semantic: by quote only; avoid: look: unavailable, look: timeout, scrape: semantic",
            "count": 1, "version": "v1", "step_id": "2", "error_type": "semantic",
        },
    ],
    "ledger": {
        "lines": [
            {"kind": kind, "version": at, "step_id": step, "granularity": cut, "estimated": asked, "booked": booked}
            for kind, at, step, cut, asked, booked in (
                ("planning", "v1", None, None, 460, 460),
                ("execution", "v1", "1", None, 180, 7),
                ("execution", "v1", "2", None, 180, 180),
                ("retry", "v1", "2", None, 200, 200),
                ("retry", "v1", "2", None, 200, 200),
                ("replan", "v1", "2", "patch", 445, 445),
                ("re-execution", "v2", "q", None, 180, 180),
                ("execution", "v2", "3", None, 180, 180),
                ("execution", "v2", "4", None, 180, 180),
            )
        ],
        "totals": {"main": 1007, "remedy": 1025, "all": 2032, "ratio": 1.0179},
    },
    "gaps": [],
    "effects": [],
    "handover": None,
    "warnings": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def session() -> tuple[list[Event], dict[str, Any]]:
    events, result = rehearse(PLAN)
    return events, json.loads(msgspec.json.encode(result))


@pytest.mark.parametrize("field", RESULT)
def test_a_whole_result(session: tuple[list[Event], dict[str, Any]], field: str) -> None:
    assert session[1][field] == RESULT[field]


def order(document: Any) -> Any:
    """The keys of a document in their order, lists by their entries."""
    if isinstance(document, dict):
        return [(key, order(value)) for key, value in document.items()]
    return [order(value) for value in document] if isinstance(document, list) else None


def test_keys_are_in_a_fixed_order(session: tuple[list[Event], dict[str, Any]]) -> None:
    assert order(session[1]) == order(RESULT)


def test_every_event_is_stamped(session: tuple[list[Event], dict[str, Any]]) -> None:
    events = [json.loads(msgspec.json.encode(event)) for event in session[0]]
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert all(list(event)[:4] == ["type", "seq", "at", "version"] for event in events)
    times = [event["at"] for event in events]
    assert times == sorted(times)
    versions = [event["version"] for event in events]
    assert versions == sorted(versions)
    assert {event["version"] for event in events} == {"v1", "v2"}


def test_there_are_nineteen_kinds_of_events() -> None:
    assert [cls.__struct_config__.tag for cls in AnyEvent.__args__] == [
        "session.start", "plan.commit", "step.start", "step.retry", "step.fallback", "step.end", "step.settled",
        "signal", "route", "gate", "lesson", "plan.draft", "plan.rejected", "plan.diff", "goal.changed",
        "variable.health", "solver", "ledger", "session.complete",
    ]  # fmt: skip


def test_the_story_of_a_replan(session: tuple[list[Event], dict[str, Any]]) -> None:
    assert kinds(session[0]) == [
        "session.start", "plan.commit", "ledger",
        "step.start", "step.end",
        "step.start", "step.retry", "step.fallback", "step.end",
        "signal", "variable.health", "route", "lesson", "gate", "gate", "gate", "plan.draft", "ledger", "gate", "gate",
        "plan.commit", "plan.diff", "variable.health",
        "step.start", "step.end",
        "step.start", "step.end",
        "step.start", "step.end", "signal", "step.end",
        "session.complete",
    ]  # fmt: skip


def test_the_events_are_all_there_is() -> None:
    """Whatever was folded half and looked at in between."""
    events, result = rehearse(PLAN)
    folding = ResultFold()
    for event in events:
        folding.apply(event)
        folding.result()
    assert folding.result() == result == fold(events)


def test_a_result_knows_its_run() -> None:
    events, _ = rehearse(PLAN)
    assert fold(events, 7).run == 7


# plan -> whether it is met with gaps
GAPS: dict[str, tuple[str, str]] = {
    "all done": ("steps: [{id: 1, tool: a}, {id: 2, tool: b, args: {x: null}}]", "goal_met"),
    "a null of its own": ("steps: [{id: 1, tool: a, args: {x: null, y: '[gap: E1]'}}]", "goal_met"),
    "a null that was read": ("steps: [{id: 1, tool: a}, {id: 2, tool: b, args: {x: '#E1'}}]", "goal_met"),
    "something failed": (
        "steps: [{id: 1, tool: bad, on_failure: skip}, {id: 2, tool: b, depends_on: []}]",
        "goal_met_with_gaps",
    ),
    "something was skipped": (
        "steps: [{id: 1, tool: bad, on_failure: skip}, {id: 2, tool: b}, {id: 3, tool: c, depends_on: []}]",
        "goal_met_with_gaps",
    ),
    "something was deferred": (
        "steps: [{id: 1, tool: bad, on_failure: defer}, {id: 2, tool: b, depends_on: []}]",
        "goal_met_with_gaps",
    ),
    "it failed, was replanned and is done": ("steps: [{id: 1, tool: once}]", "goal_met"),
    "a reference was mended to null": ("steps: [{id: 1, tool: a, args: {x: '#E1'}}]", "goal_met_with_gaps"),
    "a reference was mended to another": (
        "steps: [{id: look, tool: a}, {id: 1, tool: b, args: {x: '#Eloo'}}]",
        "goal_met",
    ),
    "in a text": ("steps: [{id: 1, tool: a, args: {x: 'of #E1'}}]", "goal_met_with_gaps"),
    "a mended step that a tail lists anew as it is": (
        """
steps:
  - {id: 1, tool: once, depends_on: [], granularity: tail}
  - {id: 2, tool: b, args: {x: '#E3', y: '#E1'}, depends_on: [1]}
  - {id: 3, tool: c, depends_on: [2]}
""",
        "goal_met_with_gaps",
    ),
    "a stale variable": (
        "steps: [{id: 1, tool: a, assumes: [p, q]}, {id: 2, tool: once, granularity: tail}]",
        "goal_met_with_gaps",
    ),
    "a void variable": (
        "steps: [{id: 1, tool: a, assumes: [p]}, {id: 2, tool: once, granularity: tail}]",
        "goal_met_with_gaps",
    ),
    "a void variable of a step that left the plan": (
        "steps: [{id: 1, tool: a, assumes: [p]}, {id: 2, tool: once}]",
        "goal_met",
    ),
    "nothing was done": ("steps: [{id: 1, tool: bad, on_failure: skip}, {id: 2, tool: b}]", "insufficient_evidence"),
    "nothing but gaps": ("steps: [{id: 1, tool: bad, on_failure: defer}, {id: 2, tool: b}]", "insufficient_evidence"),
}  # fmt: skip
OUTCOMES = """
outcomes:
  - {match: {tool: bad}, returns: [error]}
  - {match: {tool: once, version: 1}, returns: [{status: shape, refutes: [p]}]}
  - {match: {tool: a}, returns: [{status: ok, value: null}]}
"""


@pytest.mark.parametrize(("steps", "reason"), GAPS.values(), ids=GAPS)
def test_when_a_goal_is_met_with_gaps(steps: str, reason: str) -> None:
    _, result = rehearse(f"goal: g\n{steps}", OUTCOMES)
    assert (result.reason, result.status) == (reason, "failed" if reason == "insufficient_evidence" else "completed")


def test_the_hand_over() -> None:
    events, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: a, assumes: [p]}
  - {id: 2, tool: b, on_failure: skip}
  - {id: 3, tool: c, depends_on: []}
  - {id: 4, tool: d, depends_on: [2]}
  - {id: 5, tool: e, depends_on: [3]}
policy: {gates: {max_replans: 0}}
outcomes:
  - {match: {step: 2}, returns: [{status: shape, refutes: [p]}]}
  - {match: {step: 5}, returns: [semantic]}
"""
    )
    assert (result.reason, result.detail) == ("replan_budget", "max_replans comes to 0, the limit is 0")
    handover = fold(events, 3).handover
    assert handover is not None
    assert msgspec.structs.replace(handover, next=()) == HandOver(
        "replan_budget",
        result.gates[-1],
        {"E3": "ok"},
        ("4",),
        (
            "v1 step 1 done",
            "v1 step 2 failed: assumption: shape",
            "v1 step 4 skipped",
            "v1 step 3 done",
            "v1 step 5 failed: semantic: semantic",
        ),
        result.lessons,
        result.gaps,
        (),
    )
    assert result.gates[-1].gate == "max_replans"
    assert handover.next[0] == "replanctl resume 3 --max-replans +2"


def test_a_session_that_breaks_off_is_told_as_far_as_it_came() -> None:
    events, whole = rehearse(PLAN)
    at = kinds(events).index("lesson")
    half = fold(events[:at])
    assert (half.status, half.reason, half.detail) == ("failed", "interrupted", "the session broke off")
    assert (half.seconds, half.history, half.signals) == (10.0, whole.history[:2], whole.signals[:1])
    assert [step.state for step in half.versions[0].steps] == ["done", "failed", "pending", "pending", "pending"]
    assert half.ledger.totals.all == sum(line.booked for line in half.ledger.lines) == 1047
    assert half.handover is not None
    assert half.handover.clean_results == {}


def test_the_same_inputs_give_the_same_bytes() -> None:
    first, second = (b"\n".join(map(msgspec.json.encode, rehearse(PLAN)[0])) for _ in range(2))
    assert first == second
