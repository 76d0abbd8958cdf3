"""What a session books: every line of it, and that the sums are the sums."""

from __future__ import annotations

import pytest

from replanctl.cost import padded
from replanctl.run.result import LedgerTotals, SessionResult
from tests.rehearse import rehearse
from tests.replan.answering import Answering


def lines(result: SessionResult) -> list[str]:
    """`v1 2 execution 180`, or `180/7` where another sum was booked than estimated."""
    return [
        f"{line.version} {line.step_id or '-'} {line.kind}{f' {line.granularity}' if line.granularity else ''} "
        + (f"{line.booked}" if line.booked == line.estimated else f"{line.estimated}/{line.booked}")
        for line in result.ledger.lines
    ]


# plan -> every line, main and remedy
SESSIONS: dict[str, tuple[str, list[str], tuple[int, int]]] = {
    "nothing goes wrong": (
        "steps: [{id: 1, tool: a}, {id: 2, tool: b}]",
        ["v1 - planning 280", "v1 1 execution 180", "v1 2 execution 180"],
        (640, 0),
    ),
    "further attempts": (
        """
steps: [{id: 1, tool: a}]
outcomes: [{match: {step: 1}, returns: [timeout, rate_limited, ok]}]
""",
        ["v1 - planning 220", "v1 1 execution 180", "v1 1 retry 200", "v1 1 retry 200"],
        (400, 400),
    ),
    "a fallback is a further attempt": (
        """
tools: {a: {fallback: b}, b: {}}
steps: [{id: 1, tool: a}]
policy: {retry: {max_attempts: 1}}
outcomes: [{match: {tool: a}, returns: [unavailable]}]
""",
        ["v1 - planning 220", "v1 1 execution 180", "v1 1 retry 200"],
        (400, 200),
    ),
    "what calls really cost": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}]
outcomes:
  - match: {step: 1}
    returns: [{status: timeout, tokens: 1}, {status: unavailable, tokens: 0}, {status: ok, tokens: 3000}]
  - {match: {step: 2}, returns: [{status: ok, tokens: 0}]}
""",
        [
            "v1 - planning 280",
            "v1 1 execution 180/1",
            "v1 1 retry 200/0",
            "v1 1 retry 200/3000",
            "v1 2 execution 180/0",
        ],
        (281, 3000),
    ),
    "a patch, and its step once more": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}]
outcomes: [{match: {step: 1}, returns: [shape, timeout, {status: ok, tokens: 5}]}]
""",
        [
            "v1 - planning 280",
            "v1 1 execution 180",
            "v1 1 replan patch 420",
            "v2 1 re-execution 180",
            "v2 1 retry 200/5",
            "v2 2 execution 180",
        ],
        (640, 605),
    ),
    "what was never called is no re-execution": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]
outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
""",
        [
            "v1 - planning 340",
            "v1 1 execution 180",
            "v1 1 replan tail 480",
            "v2 1 re-execution 180",
            "v2 4 execution 180",
            "v2 5 execution 180",
        ],
        (880, 660),
    ),
    "a missing variable makes no call": (
        """
steps: [{id: 1, tool: a, args: {of: "#E2"}, depends_on: []}, {id: 2, tool: b, depends_on: []}]
""",
        ["v1 - planning 280", "v1 1 replan patch 360", "v2 2 execution 180", "v2 1 execution 180"],
        (640, 360),
    ),
    "args that a schema refuses make no call": (
        """
tools: {a: {args: {required: [q]}}, b: {}}
steps: [{id: 1, tool: a, on_failure: skip}, {id: 2, tool: b, depends_on: []}]
""",
        ["v1 - planning 280", "v1 2 execution 180"],
        (460, 0),
    ),
    "a call that was denied before is not made": (
        """
steps: [{id: 1, tool: a, on_failure: skip}, {id: 2, tool: a, on_failure: skip, depends_on: []}]
outcomes: [{match: {tool: a}, returns: [denied]}]
""",
        ["v1 - planning 280", "v1 1 execution 180"],
        (460, 0),
    ),
    "skipped steps and gaps make none": (
        """
steps: [{id: 1, tool: a, on_failure: defer}, {id: 2, tool: b}, {id: 3, tool: c, depends_on: []}]
outcomes: [{match: {tool: a}, returns: [error]}]
""",
        ["v1 - planning 340", "v1 1 execution 180", "v1 3 execution 180", "v1 - solver 345"],
        (700, 345),
    ),
    "a global runs finished work again": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b, granularity: global}, {id: 3, tool: c}]
outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]
""",
        [
            "v1 - planning 340",
            "v1 1 execution 180",
            "v1 2 execution 180",
            "v1 2 replan global 445",
            "v2 4 re-execution 180",
            "v2 5 re-execution 180",
            "v2 6 execution 180",
        ],
        (880, 805),
    ),
    "a changed goal": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]
planner: [{steps: [{id: 8, tool: d}, {id: 9, tool: e}, {id: 10, tool: f}, {id: 11, tool: g}]}]
interruptions: [{after: 1, goal: h}]
""",
        [
            "v1 - planning 340",
            "v1 1 execution 180",
            "v1 - replan global 445",
            "v2 8 execution 180",
            "v2 9 execution 180",
            "v2 10 execution 180",
            "v2 11 execution 180",
        ],
        (1240, 445),
    ),
    "refused before it was asked": (
        """
steps: [{id: 1, tool: a}]
outcomes: [{match: {tool: a}, returns: [shape]}]
policy: {gates: {max_replans: 0}}
""",
        ["v1 - planning 220", "v1 1 execution 180"],
        (400, 0),
    ),
    "one that gave up was asked": (
        """
steps: [{id: 1, tool: a}]
outcomes: [{match: {tool: a}, returns: [shape]}]
planner: [{otherwise: give_up}]
""",
        ["v1 - planning 220", "v1 1 execution 180", "v1 1 replan patch 360"],
        (400, 360),
    ),
    "a bad draft was asked for too": (
        """
steps: [{id: 1, tool: a}]
outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
planner: [{when: {type: assumption}, steps: [{id: 1, tool: a, depends_on: [9]}]}, {otherwise: template}]
""",
        [
            "v1 - planning 220",
            "v1 1 execution 180",
            "v1 1 replan patch 360",
            "v1 1 replan patch 420",
            "v2 1 re-execution 180",
        ],
        (400, 960),
    ),
    "a draft for which no steps are left was asked for too": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}]
outcomes: [{match: {step: 1}, returns: [shape]}]
policy: {gates: {max_steps: 2}}
""",
        ["v1 - planning 280", "v1 1 execution 180", "v1 1 replan patch 420"],
        (460, 420),
    ),
    "a call that is cut off is an attempt": (
        """
steps: [{id: 1, tool: a}]
outcomes: [{match: {tool: a}, returns: [{status: ok, latency: 9s, tokens: 11}]}]
policy: {gates: {max_seconds: 4}}
""",
        ["v1 - planning 220", "v1 1 execution 180/11"],
        (231, 0),
    ),
    "coefficients": (
        """
steps: [{id: 1, tool: a}, {id: 2, tool: b}]
outcomes: [{match: {step: 2}, returns: [unavailable, shape, ok]}]
policy:
  coefficients: {prompt: 1, goal: 2, done_line: 10, failure: 20, lesson: 100, step: 1000, execution: 4, retry: 5}
""",
        [
            "v1 - planning 2003",
            "v1 1 execution 4",
            "v1 2 execution 4",
            "v1 2 retry 5",
            "v1 2 replan patch 1133",
            "v2 2 re-execution 4",
        ],
        (2011, 1142),
    ),
}


@pytest.mark.parametrize(("plan", "booked", "sums"), SESSIONS.values(), ids=SESSIONS)
def test_every_line(plan: str, booked: list[str], sums: tuple[int, int]) -> None:
    _, result = rehearse(f"goal: g\n{plan}")
    main, remedy = sums
    assert lines(result) == booked
    assert result.ledger.totals == LedgerTotals(main, remedy, main + remedy, round(remedy / main, 4))


@pytest.mark.parametrize("plan", [plan for plan, _, _ in SESSIONS.values()], ids=SESSIONS)
def test_the_token_gate_reads_what_the_replans_before_were_booked_at(plan: str) -> None:
    _, result = rehearse(f"goal: g\n{plan}")
    replans = [line for line in result.ledger.lines if line.kind == "replan"]
    readings = [gate.reading for gate in result.gates if gate.gate == "max_replan_tokens"]
    before = [sum(line.booked for line in replans[:at]) for at in range(len(replans))]
    assert readings == [spent + padded(line.estimated) for spent, line in zip(before, replans, strict=True)]


def test_an_exception_is_an_answer_that_is_booked() -> None:
    plan = "goal: g\nsteps: [{id: 1, tool: a}]\noutcomes: [{match: {step: 1, version: 1}, returns: [shape]}]"
    _, result = rehearse(plan, replanner=Answering(ValueError("no")))
    assert lines(result)[2:] == ["v1 1 replan patch 360", "v1 1 replan patch 420", "v2 1 re-execution 180"]


def test_without_a_main_flow_there_is_no_ratio() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}]\npolicy: {coefficients: {prompt: 0, goal: 0, step: 0, execution: 0}}",
        "outcomes: [{match: {step: 1}, returns: [timeout, ok]}]",
    )
    assert result.ledger.totals == LedgerTotals(0, 200, 200, 0.0)


def test_the_replacement_of_a_step_that_was_called_is_executed_again() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: a}, {id: 2, tool: b}]
planner: [{steps: [{id: 7, tool: c, depends_on: []}, {id: 8, tool: d}, {id: 9, tool: e}]}]
outcomes: [{match: {step: 1, version: 1}, returns: [semantic]}]
"""
    )
    assert lines(result)[3:] == ["v2 7 re-execution 180", "v2 8 execution 180", "v2 9 execution 180"]
