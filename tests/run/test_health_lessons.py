"""When a lesson is written in a session, what it says, and what becomes of it."""

from __future__ import annotations

import pytest

from replanctl.replan.lessons import Lesson
from replanctl.run.events import LessonLearned
from tests.rehearse import rehearse

PLAN = """
goal: g
steps:
  - {{id: 1, tool: look}}
  - {{id: 2, tool: sum, {step}}}
  - {{id: 3, tool: write}}
outcomes: [{{match: {{step: 2, version: 1}}, returns: [{outcome}]}}]
"""
SHAPE = "{status: shape, message: no rows}"
CAUSED = '{status: shape, message: no rows, cause: "by quote"}'

# step, outcome, rest of the file -> the lessons
TEXTS: dict[str, tuple[str, str, str, list[str]]] = {
    "what was expected and what came": (
        "expected_outcome: a total",
        SHAPE,
        "",
        ["v1 step 2 assumption: expected a total, got no rows; avoid: sum: shape"],
    ),
    "nothing was expected": ("", SHAPE, "", ["v1 step 2 assumption: expected none, got no rows; avoid: sum: shape"]),
    "no message": ("", "semantic", "", ["v1 step 2 semantic: expected none, got semantic; avoid: sum: semantic"]),
    "the outcome's cause": (
        "expected_outcome: a total",
        CAUSED,
        "",
        ["v1 step 2 assumption: by quote; avoid: sum: shape"],
    ),
    "the planner's cause goes first": (
        "",
        CAUSED,
        "planner: [{when: {step: 9}, cause: x, steps: []}, {cause: the planner says so, steps: [{id: 2, tool: ask}]}]",
        ["v1 step 2 assumption: the planner says so; avoid: sum: shape"],
    ),
    "a planner rule without a cause": (
        "",
        CAUSED,
        "planner: [{steps: [{id: 2, tool: ask}]}]",
        ["v1 step 2 assumption: by quote; avoid: sum: shape"],
    ),
    "no planner rule matches": (
        "",
        CAUSED,
        "planner: [{when: {step: 9}, cause: x, steps: []}]",
        ["v1 step 2 assumption: by quote; avoid: sum: shape"],
    ),
    "the planner is not asked": (
        "granularity: none",
        CAUSED,
        "planner: [{cause: the planner says so, steps: [{id: 2, tool: ask}]}]",
        ["v1 step 2 assumption: by quote; avoid: sum: shape"],
    ),
    "everything that was tried": (
        "",
        "unavailable, timeout, " + SHAPE,
        "",
        [
            "v1 step 2 assumption: expected none, got no rows; avoid: sum: unavailable, sum: timeout, sum: shape",
        ],
    ),
    "nothing was tried": (
        'args: {of: "#E3"}',
        "ok",
        "",
        ["v1 step 2 missing_var: expected none, got #E3: pending; avoid: none"],
    ),
    "handed over to a person": (
        "",
        "denied",
        "",
        ["v1 step 2 permission: expected none, got denied; avoid: sum: denied"],
    ),
    "a gate refuses the replan": (
        "",
        SHAPE,
        "policy: {gates: {max_replans: 0}}",
        ["v1 step 2 assumption: expected none, got no rows; avoid: sum: shape"],
    ),
    "a skipped failure is not routed": ("on_failure: skip", SHAPE, "", []),
    "a deferred one neither": ("on_failure: defer", SHAPE, "", []),
    "nor one that aborts": ("on_failure: abort", SHAPE, "", []),
    "nor one that a gate abandoned": (
        "",
        "unavailable",
        "policy: {gates: {max_tool_calls: 2}}",
        [],
    ),
    "a changed goal": (
        "",
        "ok",
        'interruptions: [{after: 2, goal: "a yearly cost"}]',
        ["v1 step none goal-changed: the goal is now a yearly cost; avoid: none"],
    ),
    "no room in the book": ("", SHAPE, "policy: {lessons: {max: 0}}", []),
}


@pytest.mark.parametrize(("step", "outcome", "rest", "texts"), TEXTS.values(), ids=TEXTS)
def test_what_a_lesson_says(step: str, outcome: str, rest: str, texts: list[str]) -> None:
    _, result = rehearse(f"{PLAN.format(step=step or 'args: {}', outcome=outcome)}\n{rest}")
    assert [lesson.text for lesson in result.lessons] == texts


def test_it_is_written_after_the_route_and_before_the_gates() -> None:
    events, _ = rehearse(PLAN.format(step="args: {}", outcome=SHAPE))
    kinds = [str(event.__struct_config__.tag) for event in events]
    at = kinds.index("lesson")
    assert kinds[at - 2 : at + 2] == ["signal", "route", "lesson", "gate"]


FOUR = """
goal: g
steps:
  - {id: 1, tool: a, granularity: patch}
  - {id: 2, tool: b, granularity: patch}
outcomes:
  - match: {step: 1}
    returns: [{status: shape, message: x}, {status: semantic, message: y}, {status: shape, message: x}, ok]
  - {match: {step: 2}, returns: [{status: shape, message: z}, ok]}
"""
A, B, C = (
    "v1 step 1 assumption: expected none, got x; avoid: a: shape",
    "v2 step 1 semantic: expected none, got y; avoid: a: semantic",
    "v4 step 2 assumption: expected none, got z; avoid: b: shape",
)


@pytest.mark.parametrize(
    ("policy", "book", "told"),
    [
        ("{}", [(A, 2), (B, 1), (C, 1)], [(A, 1, None), (B, 1, None), (A, 2, None), (C, 1, None)]),
        ("{max: 2}", [(B, 1), (C, 1)], [(A, 1, None), (B, 1, None), (A, 2, None), (C, 1, A)]),
        (
            "{max: 1}",
            [(C, 1)],
            [(A, 1, None), (B, 1, A), (A.replace("v1", "v3"), 1, B), (C, 1, A.replace("v1", "v3"))],
        ),
        ("{max: 2, evict: by_type}", [(B, 1), (C, 1)], [(A, 1, None), (B, 1, None), (A, 2, None), (C, 1, A)]),
        ("{max: 0}", [], [(A, 1, A), (B, 1, B), (A.replace("v1", "v3"), 1, A.replace("v1", "v3")), (C, 1, C)]),
        ("{max: null}", [(A, 2), (B, 1), (C, 1)], [(A, 1, None), (B, 1, None), (A, 2, None), (C, 1, None)]),
    ],
)
def test_the_book_of_a_session(
    policy: str, book: list[tuple[str, int]], told: list[tuple[str, int, str | None]]
) -> None:
    events, result = rehearse(f"{FOUR}\npolicy: {{lessons: {policy}}}")
    assert [(lesson.text, lesson.count) for lesson in result.lessons] == book
    learned = [event for event in events if isinstance(event, LessonLearned)]
    assert [(event.text, event.count, event.evicted) for event in learned] == told


def test_where_and_when_it_was_learned_first() -> None:
    _, result = rehearse(FOUR)
    assert [(x.version, x.step_id, x.error_type, x.count) for x in result.lessons] == [
        ("v1", "1", "assumption", 2),
        ("v2", "1", "semantic", 1),
        ("v4", "2", "assumption", 1),
    ]


def test_a_book_goes_from_trial_to_trial() -> None:
    _, first = rehearse(FOUR)
    book = [Lesson(x.text, x.count, x.version, x.step_id, x.error_type) for x in first.lessons]
    _, second = rehearse(FOUR, lessons=book)
    assert [(x.text, x.count) for x in second.lessons] == [(A, 4), (B, 2), (C, 2)]


def test_a_book_that_is_carried_along_is_counted_and_cut() -> None:
    old = [Lesson(f"v7 step {n} unknown: old; avoid: none", n, "v7", str(n), "unknown") for n in (7, 8, 9)]
    _, result = rehearse(f"{FOUR}\npolicy: {{lessons: {{max: 4}}}}", lessons=old)
    assert [(x.text, x.count) for x in result.lessons] == [(old[2].text, 9), (A, 2), (B, 1), (C, 1)]
    # the lines of the first request: three old ones and the new one
    assert next(line.booked for line in result.ledger.lines if line.kind == "replan") == 240 + 4 * 60 + 2 * 60


def test_of_two_failures_in_one_wave_both_name_the_version_that_failed() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: []}]
policy: {max_parallel: 2}
outcomes: [{match: {version: 1}, returns: [shape]}]
"""
    )
    assert [(x.text.partition(" ")[0], x.version, x.step_id) for x in result.lessons] == [
        ("v1", "v1", "1"),
        ("v1", "v1", "2"),
    ]
    assert [(route.version, route.step_id) for route in result.routes] == [("v1", "1"), ("v2", "2")]
