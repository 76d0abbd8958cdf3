"""What starts when: dependencies, list order, side by side, and what a wave waits for before it is answered."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.run.telling import ending, history, routes, signals, versions


@pytest.mark.parametrize(
    ("steps", "order"),
    [
        ("{id: 1, tool: t}, {id: 2, tool: t}, {id: 3, tool: t}", "1 2 3"),
        (
            "{id: c, tool: t, depends_on: a}, {id: b, tool: t, depends_on: []}, {id: a, tool: t, depends_on: []}",
            "b a c",
        ),
        (
            "{id: c, tool: t, depends_on: [a]}, {id: a, tool: t, depends_on: []}, {id: b, tool: t, depends_on: []}",
            "a c b",
        ),
        (
            "{id: d, tool: t, depends_on: [b, a]}, {id: a, tool: t, depends_on: [c]}, {id: b, tool: t, depends_on: []},"
            " {id: c, tool: t, depends_on: []}",
            "b c a d",
        ),
    ],
)
def test_dependencies_first_then_list_order(steps: str, order: str) -> None:
    _, result = rehearse(f"goal: g\nsteps: [{steps}]")
    assert [one.step_id for one in result.history] == order.split()


@pytest.mark.parametrize(("width", "seconds"), [(1, 30), (2, 20), (3, 10), (9, 10)])
def test_steps_run_side_by_side_on_the_virtual_clock(width: int, seconds: int) -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: t, depends_on: []}, {id: 2, tool: t, depends_on: []}, {id: 3, tool: t, depends_on: []}]
outcomes: [{returns: [{status: ok, latency: 10s}]}]
""",
        max_parallel=width,
    )
    assert ending(result) == f"completed goal_met {seconds}s"


def test_a_free_place_goes_to_the_first_of_the_list_that_is_ready() -> None:
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: t, args: {s: 3}, depends_on: []}
  - {id: 2, tool: t, args: {s: 1}, depends_on: []}
  - {id: 3, tool: t, args: {s: 1}, depends_on: [1]}
  - {id: 4, tool: t, args: {s: 5}, depends_on: [2]}
  - {id: 5, tool: t, args: {s: 1}, depends_on: []}
outcomes:
  - {match: {args: {s: 3}}, returns: [{status: ok, latency: 3s}]}
  - {match: {args: {s: 5}}, returns: [{status: ok, latency: 5s}]}
"""
    )
    assert history(result) == [
        "v1 2 done 0-1 t:ok",
        "v1 1 done 0-3 t:ok",
        "v1 3 done 3-4 t:ok",
        "v1 5 done 4-5 t:ok",
        "v1 4 done 1-6 t:ok",
    ]


def test_a_step_that_waits_for_its_retry_keeps_its_place() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: t, depends_on: []}, {id: 2, tool: u, depends_on: []}]",
        "outcomes: [{match: {tool: t}, returns: [unavailable, ok]}]",
    )
    assert history(result) == ["v1 1 done 0-3 t:unavailable t:ok", "v1 2 done 3-4 u:ok"]


WAVE = """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: fails, depends_on: [], on_failure: %s}
  - {id: 2, tool: slow, depends_on: []}
  - {id: 3, tool: t, depends_on: []}
outcomes:
  - {match: {tool: fails}, returns: [shape, ok]}
  - {match: {tool: slow}, returns: [{status: ok, latency: 5s}]}
"""


@pytest.mark.parametrize(
    ("on_failure", "lines", "end"),
    [
        (
            "replan",
            ["v1 2 done 0-5 slow:ok", "v2 1 done 5-6 fails:ok", "v2 3 done 5-6 t:ok"],
            "completed goal_met 6s",
        ),
        ("abort", ["v1 2 done 0-5 slow:ok"], "failed aborted 5s"),
        ("skip", ["v1 3 done 1-2 t:ok", "v1 2 done 0-5 slow:ok"], "completed goal_met_with_gaps 5s"),
        ("defer", ["v1 3 done 1-2 t:ok", "v1 2 done 0-5 slow:ok"], "completed goal_met_with_gaps 5s"),
    ],
)
def test_after_a_failure_nothing_new_starts_until_all_that_is_in_flight_has_ended(
    on_failure: str, lines: list[str], end: str
) -> None:
    """`skip` and `defer` halt nothing."""
    _, result = rehearse(WAVE % on_failure)
    assert history(result) == ["v1 1 failed 0-1 fails:shape (assumption: shape)", *lines]
    assert ending(result) == end


def test_a_changed_goal_waits_for_what_is_in_flight_too() -> None:
    _, result = rehearse(
        WAVE.replace("%s", "skip") + "interruptions: [{at: 500ms, goal: other}]\n",
        "outcomes: [{match: {tool: slow, version: 1}, returns: [{status: ok, latency: 5s}]}]",
    )
    assert history(result) == [
        "v1 1 done 0-1 fails:ok",
        "v1 2 done 0-5 slow:ok",
        "v2 4 done 5-6 fails:ok",
        "v2 5 done 5-6 slow:ok",
        "v2 6 done 6-7 t:ok",
    ]
    assert ending(result) == "completed goal_met 7s"


@pytest.mark.parametrize("width", [2, 3])
def test_everything_that_ends_at_one_instant_is_handled_before_anything_starts(width: int) -> None:
    """1 makes room for 3 at the very instant at which 2 fails: 3 belongs to the next version."""
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: t, depends_on: []}
  - {id: 2, tool: fails, depends_on: []}
  - {id: 3, tool: t, depends_on: [1]}
outcomes: [{match: {tool: fails}, returns: [shape, ok]}]
""",
        max_parallel=width,
    )
    assert history(result) == [
        "v1 1 done 0-1 t:ok",
        "v1 2 failed 0-1 fails:shape (assumption: shape)",
        "v2 2 done 1-2 fails:ok",
        "v2 3 done 1-2 t:ok",
    ]


def test_a_fallback_does_not_start_before_all_that_ends_at_its_instant() -> None:
    """The very call that the fallback would make is denied to another step at that instant."""
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2, retry: {max_attempts: 1}}
tools: {t: {fallback: x}, x: {}}
steps: [{id: 1, tool: t, depends_on: [], on_failure: skip}, {id: 2, tool: x, depends_on: [], on_failure: skip}]
outcomes:
  - {match: {tool: t}, returns: [unavailable]}
  - {match: {tool: x}, returns: [denied, ok]}
"""
    )
    assert history(result) == [
        "v1 2 failed 0-1 x:denied (permission: denied)",
        "v1 1 failed 0-1 t:unavailable (environmental: unavailable)",
    ]


PAIR = """
goal: g
assumptions: {p: premise}
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: [], assumes: [p]}
  - {id: 3, tool: c, depends_on: [1]}
  - {id: 4, tool: d, depends_on: [2]}
"""


def test_the_earliest_failure_of_a_wave_is_answered_first() -> None:
    _, result = rehearse(
        PAIR,
        """
outcomes:
  - {match: {tool: a}, returns: [{status: shape, latency: 3s}, ok]}
  - {match: {tool: b}, returns: [{status: shape, latency: 2s}, ok]}
""",
    )
    assert routes(result) == [
        "v1 2 assumption radius 1 small-radius → patch",
        "v2 1 assumption radius 1 small-radius → patch",
    ]
    # each draft goes before what else is open
    assert versions(result) == [
        "v1 None None start: 1 2 3 4",
        "v2 patch small-radius assumption@2: 2 1 3 4",
        "v3 patch small-radius assumption@1: 1 2 3 4",
    ]
    assert [line[:4] for line in history(result)[2:]] == ["v3 1", "v3 2", "v3 3", "v3 4"]


def test_at_one_instant_the_step_that_started_first_failed_first() -> None:
    _, result = rehearse(PAIR, "outcomes: [{match: {version: 1}, returns: [shape]}]")
    assert [line.split(" radius")[0] for line in routes(result)] == ["v1 1 assumption", "v2 2 assumption"]


@pytest.mark.parametrize(
    ("refutes", "planner", "answered"),
    [
        # the patch of 1 drops the premise of 2, which has still failed as it stands
        ("[p]", "", ["v1 1 assumption radius 3 override → patch", "v2 2 assumption radius 1 small-radius → patch"]),
        # the draft revises 2, so that its old failure is answered
        (
            "[]",
            "planner: [{steps: [{id: 1, tool: a, args: {x: 1}, depends_on: []}, {id: 2, tool: e, depends_on: []}]}]",
            ["v1 1 assumption radius 1 override → patch"],
        ),
    ],
)
def test_a_later_failure_is_answered_where_its_step_still_stands_as_it_failed(
    refutes: str, planner: str, answered: list[str]
) -> None:
    _, result = rehearse(
        PAIR.replace("{id: 1,", "{id: 1, granularity: patch,") + planner,
        f"""
outcomes:
  - {{match: {{tool: a}}, returns: [{{status: shape, refutes: {refutes}}}, ok]}}
  - {{match: {{tool: b}}, returns: [{{status: shape, latency: 2s}}, ok]}}
""",
    )
    assert signals(result) == ["v1 1 assumption: shape", "v1 2 assumption: shape"]
    assert routes(result) == answered
    assert ending(result) == "completed goal_met 4s"


def test_a_later_failure_is_dropped_where_its_step_has_left_the_plan() -> None:
    """2 rests on the premise that 1 overturned: the tail of 1 replaces both."""
    _, result = rehearse(
        PAIR,
        """
outcomes:
  - {match: {tool: a}, returns: [{status: shape, refutes: [p]}, ok]}
  - {match: {tool: b}, returns: [shape, ok]}
""",
    )
    assert routes(result) == ["v1 1 assumption radius 3 wide-radius → tail"]
    assert versions(result)[1] == "v2 tail wide-radius assumption@1: 1 5 6 7"
    assert ending(result) == "completed goal_met 3s"
