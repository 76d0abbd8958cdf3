"""What a replanner is told: by depth, by what is done, and never more than that; and what it is booked at."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from replanctl.cost import padded
from replanctl.plan.model import Granularity, Step
from replanctl.replan.lessons import Lesson
from replanctl.replan.prompt import DoneStep, ReplanRequest, build_prompt
from replanctl.replan.signal import ErrorType, FailureSignal
from replanctl.run.result import SessionResult
from tests.rehearse import rehearse
from tests.replan.answering import Answering


def asked(plan: str, **policy: Any) -> tuple[list[ReplanRequest], SessionResult]:
    """Every request of a session that the template answers."""
    replanner = Answering()
    _, result = rehearse(plan, replanner=replanner, **policy)
    return replanner.requests, result


# 4 fails: 1 and 2 are done; 5 and 7 rest on it directly, 6 through 5; 8 and 9 are another branch.
PLAN = """
goal: Compare  “costs”
assumptions: {{p: x}}
steps:
  - {{id: 1, tool: look, action: look up A, args: {{secret: 1}}, depends_on: []}}
  - {{id: 2, tool: look, action: look up B, depends_on: []}}
  - {{id: 4, tool: sum, depends_on: [1, 2], granularity: {granularity}}}
  - {{id: 5, tool: write, depends_on: [4]}}
  - {{id: 6, tool: write, depends_on: [5]}}
  - {{id: 8, tool: other, depends_on: []}}
  - {{id: 7, tool: write, depends_on: [4]}}
  - {{id: 9, tool: other, depends_on: [8], assumes: [p]}}
outcomes:
  - {{match: {{step: 1}}, returns: [{{status: ok, value: {{rows: [a, b, c, d, e, f, g, h, i, j, k, l]}}}}]}}
  - {{match: {{step: 2}}, returns: [{{status: ok, value: ""}}]}}
  - {{match: {{step: 4, version: 1}}, returns: [{{status: shape, message: no price, refutes: [{refutes}]}}]}}
"""


@pytest.mark.parametrize(
    ("granularity", "refutes", "remaining", "radius"),
    [
        ("patch", "", "4 5 7", 3),
        ("patch", "p", "4 5 7", 4),
        ("tail", "", "4 5 6 7", 3),
        ("tail", "p", "4 5 6 7 9", 4),
        ("global", "", "4 5 6 8 7 9", 3),
    ],
)
def test_a_whole_request(granularity: str, refutes: str, remaining: str, radius: int) -> None:
    (request,), result = asked(PLAN.format(granularity=granularity, refutes=refutes))
    evidence = {"radius": radius, **({"refuted": [refutes]} if refutes else {})}
    lesson = "v1 step 4 assumption: expected none, got no price; avoid: sum: shape"
    assert request.goal == "Compare  “costs”"
    assert request.granularity is Granularity(granularity)
    assert (request.version, request.lineage) == ("v1", ("4",))
    assert request.signal == FailureSignal("4", ErrorType.ASSUMPTION, "no price", ("sum: shape",), evidence)
    assert list(request.done) == [
        DoneStep("1", "look up A", '{"rows":["a","b","c","d","e","f","g","h"…'),
        DoneStep("2", "look up B", "none"),
    ]
    assert " ".join(step.id for step in request.remaining) == remaining
    assert request.lessons == (lesson,)
    assert result.reason == "goal_met"


def test_the_whole_text_of_it() -> None:
    (request,), _ = asked(PLAN.format(granularity="tail", refutes=""))
    assert build_prompt(request).splitlines() == [
        "Goal: Compare  “costs”",
        "Done:",
        '  1 look up A: {"rows":["a","b","c","d","e","f","g","h"…',
        "  2 look up B: none",
        "Failed step: 4",
        "Failure: assumption: no price",
        "Attempted: sum: shape",
        "Lessons:",
        "  v1 step 4 assumption: expected none, got no price; avoid: sum: shape",
        "Remaining:",
        "  4 sum [sum] after 1, 2",
        "  5 write [write] after 4",
        "  6 write [write] after 5",
        "  7 write [write] after 4",
        "Replan (tail): Replace the failed step and all that rests on it; what is done stays done.",
    ]


@pytest.mark.parametrize("granularity", ["patch", "tail"])
def test_what_it_never_says(granularity: str) -> None:
    """The args of done steps, whole observations, and other branches' unfinished work."""
    (request,), _ = asked(PLAN.format(granularity=granularity, refutes=""))
    text = build_prompt(request)
    assert [word for word in ("secret", '"i"', "other", "\n  8 ", "\n  9 ") if word in text] == []


def test_it_never_says_what_was_replanned_earlier() -> None:
    requests, _ = asked("""
goal: g
steps: [{id: 1, tool: look, action: find}, {id: 2, tool: sum}]
outcomes: [{match: {step: 1}, returns: [shape, empty, ok]}]
policy: {lessons: {max: 0}}
""")
    assert [build_prompt(request).splitlines()[2:] for request in requests] == [
        [
            "Failed step: 1",
            f"Failure: assumption: {message}",
            f"Attempted: look: {message}",
            "Lessons: none",
            "Remaining:",
            f"  1 {action} [look] after none",
            "  2 sum [sum] after 1",
            closing,
        ]
        for message, action, closing in (
            (
                "shape",
                "find",
                "Replan (patch): Replace the failed step, and its direct successors where they must change; a step may"
                " go between. Everything else stays.",
            ),
            (
                "empty",
                "find (patch 1)",
                "Replan (tail): Replace the failed step and all that rests on it; what is done stays done.",
            ),
        )
    ]


def test_a_changed_goal_has_no_signal() -> None:
    (request,), _ = asked("""
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum, on_failure: skip}, {id: 3, tool: write}]
outcomes: [{match: {step: 2, version: 1}, returns: [error]}]
interruptions: [{after: 2, goal: h}]
""")
    assert (request.goal, request.signal, request.lineage) == ("h", None, ())
    assert [d.id for d in request.done] == ["1"]
    assert [step.id for step in request.remaining] == ["2", "3"]  # every step that is not done
    assert request.lessons == ("v1 step none goal-changed: the goal is now h; avoid: none",)


def test_done_steps_come_in_list_order() -> None:
    (request,), _ = asked(
        """
goal: g
steps:
  - {id: 3, tool: slow, depends_on: []}
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: sum, depends_on: [3, 1]}
outcomes:
  - {match: {step: 3}, returns: [{status: ok, latency: 5s}]}
  - {match: {step: 2, version: 1}, returns: [shape]}
""",
        max_parallel=2,
    )
    assert [d.id for d in request.done] == ["3", "1"]


def test_lessons_of_earlier_sessions_are_told_too() -> None:
    first, _ = asked(PLAN.format(granularity="patch", refutes=""))
    replanner = Answering()
    book = [Lesson("v9 step 1 unknown: old; avoid: none", 2, "v9", "1", "unknown")]
    rehearse(PLAN.format(granularity="patch", refutes=""), replanner=replanner, lessons=book)
    assert replanner.requests[0].lessons == (book[0].text, *first[0].lessons)


def row(done: int, rest: int) -> str:
    """So many steps that are done, one that fails by its wrong shape, and so many after it."""
    steps = "\n".join(f"  - {{id: {n}, tool: look}}" for n in range(1, done + rest + 2))
    return f"goal: g\nsteps:\n{steps}\noutcomes: [{{match: {{step: {done + 1}, version: 1}}, returns: [shape]}}]"


@pytest.mark.parametrize(
    ("done", "rest", "tokens"),
    [
        (0, 0, 300 + 60),
        (1, 1, 300 + 25 + 2 * 60),  # a patch: itself and the one that rests on it
        (8, 2, 300 + 8 * 25 + 3 * 60),
        (9, 8, 300 + 8 * 25 + 9 * 60),  # nine done fold to eight lines, nine steps do not fold
        (30, 9, 300 + 8 * 25 + 9 * 60),  # ten fold to nine
        (50, 90, 300 + 8 * 25 + 9 * 60),
    ],
)
def test_what_a_request_is_booked_at_is_what_it_carries(done: int, rest: int, tokens: int) -> None:
    (request,), result = asked(row(done, rest))
    lines = build_prompt(request).splitlines()
    carried = [line for line in lines if line.startswith("  ")]
    folded = carried[: lines.index(f"Failed step: {done + 1}") - 2] if done else []
    assert tokens == 300 + 25 * len(folded) + 60 * (len(carried) - len(folded) - 1)
    (line,) = (line for line in result.ledger.lines if line.kind == "replan")
    (gate,) = (gate for gate in result.gates if gate.gate == "max_replan_tokens")
    assert (line.estimated, line.booked, gate.reading) == (tokens, tokens, padded(tokens))


def test_a_step_is_remembered_as_it_was_listed() -> None:
    (request,), _ = asked(row(0, 0))
    assert list(request.remaining) == [Step("1", "look", depends_on=())]


def test_it_says_what_is_left_and_which_results_may_still_be_read() -> None:
    """Two assumptions carry 1, one 2 and none 3; the first of them falls with 4, and 2 goes with it."""
    (request,), _ = asked("""
goal: g
assumptions: {p: one, q: another}
steps:
  - {id: 1, tool: a, depends_on: [], assumes: [p, q]}
  - {id: 2, tool: a, depends_on: [], assumes: [p], expected_outcome: a list}
  - {id: 3, tool: a, depends_on: []}
  - {id: 4, tool: b, depends_on: []}
policy: {gates: {max_tool_calls: 9, max_seconds: 1m, max_replan_tokens: null}}
outcomes: [{match: {step: 4, version: 1}, returns: [{status: shape, refutes: [p]}]}]
""")
    assert [(d.id, d.health, d.because, d.expected_outcome) for d in request.done] == [
        ("1", "stale", "p", None),
        ("2", "void", "", "a list"),
        ("3", "clean", "", None),
    ]
    assert msgspec.structs.asdict(request.left) == {
        "replans": 5, "replan_tokens": None, "steps": 8, "calls": 5, "tokens": None, "seconds": 56.0
    }  # fmt: skip
