"""The goal changes under the running plan: when it counts, what becomes of the old one, and when it changes nothing."""

from __future__ import annotations

import pytest

from replanctl.run.events import GoalChanged
from tests.rehearse import rehearse
from tests.run.telling import ending, gates, history, routes, versions

CHAIN = """
goal: first
assumptions: {p: premise, q: another, r: third}
steps:
  - {id: 1, tool: a, depends_on: [], assumes: [p, q, r]}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: 3, tool: c, depends_on: [2]}
"""


def changed(sections: str, outcomes: str = "") -> tuple[list[tuple[float, str, bool]], list[str], str]:
    """When which goal was taken up or not, the steps that ran, and how it ended."""
    events, result = rehearse(CHAIN + sections, f"outcomes: [{outcomes}]")
    goals = [(e.at, e.goal, e.accepted) for e in events if isinstance(e, GoalChanged)]
    return goals, [f"{one.version} {one.step_id}" for one in result.history], result.reason


@pytest.mark.parametrize(
    ("interruption", "at", "ran"),
    [
        ("after: 1", 1, ["v1 1", "v2 4", "v2 5", "v2 6"]),
        ("after: 2", 2, ["v1 1", "v1 2", "v2 4", "v2 5", "v2 6"]),
        ("after: 3", 3, ["v1 1", "v1 2", "v1 3", "v2 4", "v2 5", "v2 6"]),  # the last step counts like any other
        ("at: 0", 0, ["v2 4", "v2 5", "v2 6"]),
        ("at: 1s", 1, ["v1 1", "v2 4", "v2 5", "v2 6"]),  # exactly when a step ends
        ("at: 1500ms", 2, ["v1 1", "v1 2", "v2 4", "v2 5", "v2 6"]),  # what is in execution finishes
        ("at: 3", 3, ["v1 1", "v1 2", "v1 3", "v2 4", "v2 5", "v2 6"]),
    ],
)
def test_when_a_goal_changes(interruption: str, at: float, ran: list[str]) -> None:
    goals, history, reason = changed(f"interruptions: [{{{interruption}, goal: other}}]")
    assert (goals, history, reason) == ([(at, "other", True)], ran, "goal_met")


@pytest.mark.parametrize("interruption", ["at: 3001ms", "after: never"])
def test_one_that_never_comes_due_is_a_warning(interruption: str) -> None:
    _, result = rehearse(f"{CHAIN}interruptions: [{{{interruption}, goal: other}}]")
    assert (ending(result), result.goal) == ("completed goal_met 3s", "first")
    assert result.warnings[-1].startswith("the interruption ")
    assert result.warnings[-1].endswith(" never came due")


def test_after_means_either_way_it_ended() -> None:
    skipping = CHAIN.replace("tool: b,", "tool: b, on_failure: skip,")
    _, result = rehearse(
        skipping + "interruptions: [{after: 2, goal: other}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert versions(result)[1] == "v2 global goal-changed goal-changed: 4 5 6"


def test_a_skipped_step_has_not_ended() -> None:
    skipping = CHAIN.replace("tool: b,", "tool: b, on_failure: skip,")
    _, result = rehearse(
        skipping + "interruptions: [{after: 3, goal: other}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert (len(result.versions), result.warnings) == (1, ("the interruption after step 3 never came due",))


def test_after_means_whatever_replaced_the_step() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]\n"
        "interruptions: [{after: 3, goal: other}]",
        "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]",
    )
    assert versions(result) == [
        "v1 None None start: 1 2 3",
        "v2 tail wide-radius assumption@1: 1 4 5",
        "v3 global goal-changed goal-changed: 6 7 8",
    ]
    assert [f"{one.version} {one.step_id}" for one in result.history][:4] == ["v1 1", "v2 1", "v2 4", "v2 5"]


def test_each_comes_due_once() -> None:
    """Step 1 ends again, in what replaced it, without changing the goal again."""
    goals, _, _ = changed("interruptions: [{after: 1, goal: other}]")
    assert goals == [(1, "other", True)]


def test_a_changed_goal_answers_the_failures_of_its_wave() -> None:
    """Failures come after it, and their steps have left the plan: no route, no lesson, no replan of their own."""
    _, result = rehearse(
        CHAIN + "interruptions: [{after: 2, goal: other}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert routes(result) == ["v1 None None radius None goal-changed → global"]
    assert [lesson.text for lesson in result.lessons] == [
        "v1 step none goal-changed: the goal is now other; avoid: none"
    ]
    assert len(result.signals) == 1


@pytest.mark.parametrize(
    ("interruptions", "goals", "health"),
    [
        # due at once: the last of the list wins, and what they refute is united
        (
            "{after: 1, goal: x, refutes: [p]}, {at: 1s, goal: y, refutes: [q]}",
            [(1, "y", True)],
            ("stale", ("p", "q")),
        ),
        (
            "{at: 1s, goal: x, refutes: [p, q]}, {after: 1, goal: y, refutes: [r]}",
            [(1, "y", True)],
            ("void", ("p", "q", "r")),
        ),
        ("{at: 800ms, goal: y}, {at: 300ms, goal: x}", [(1, "y", True)], ("stale", ())),  # the last to come due wins
        (
            "{after: 1, goal: y, refutes: [q]}, {at: 300ms, goal: x, refutes: [p]}",
            [(1, "y", True)],
            ("stale", ("p", "q")),
        ),
        # one after the other
        ("{after: 1, goal: x}, {at: 2s, goal: y}", [(1, "x", True), (2, "y", True)], ("stale", ())),
        # equal to the current one: nothing, what it refutes included
        ("{after: 1, goal: first, refutes: [p]}", [(1, "first", False)], ("clean", ())),
        ("{at: 0, goal: first}", [(0, "first", False)], ("clean", ())),
        # a change that is taken back before it was made
        ("{at: 1s, goal: x, refutes: [p]}, {after: 1, goal: first}", [(1, "first", False)], ("clean", ())),
        ("{after: 1, goal: first, refutes: [p]}, {at: 500ms, goal: x}", [(1, "first", False)], ("clean", ())),
        # equal to the one in force when it comes due, or to the one that waits
        (
            "{at: 1s, goal: first, refutes: [p]}, {after: 1, goal: x}",
            [(1, "first", False), (1, "x", True)],
            ("stale", ()),
        ),
        (
            "{at: 1s, goal: x, refutes: [p]}, {after: 1, goal: x, refutes: [q, r]}",
            [(1, "x", False), (1, "x", True)],
            ("stale", ("p",)),
        ),
        # back to where it began is a change
        ("{after: 1, goal: x}, {at: 2s, goal: first}", [(1, "x", True), (2, "first", True)], ("stale", ())),
    ],
)
def test_what_has_come_due_is_one_change(
    interruptions: str, goals: list[tuple[float, str, bool]], health: tuple[str, tuple[str, ...]]
) -> None:
    events, result = rehearse(f"{CHAIN}interruptions: [{interruptions}]")
    told = [e for e in events if isinstance(e, GoalChanged)]
    assert [(e.at, e.goal, e.accepted) for e in told] == goals
    first = next((e for e in told if e.accepted), None)
    assert (result.variables["E1"].health, first.refutes if first else ()) == health
    assert result.goal == next((goal for _, goal, accepted in reversed(goals) if accepted), "first")


def test_a_goal_that_changes_nothing_is_a_warning_and_the_plan_goes_on() -> None:
    _, result = rehearse(CHAIN + "interruptions: [{after: 1, goal: first}]")
    assert (ending(result), len(result.versions)) == ("completed goal_met 3s", 1)
    assert result.warnings == ("the goal 'first' changes nothing: it is the current one",)


@pytest.mark.parametrize(("mode", "goal"), [("hybrid", "g"), ("rewoo", "other")])
def test_a_goal_that_changes_nothing_halts_nothing(mode: str, goal: str) -> None:
    _, result = rehearse(
        f"goal: g\nsteps: [{{id: 1, tool: a, depends_on: []}}, {{id: 2, tool: slow, depends_on: []}},"
        f" {{id: 3, tool: a, depends_on: []}}]\npolicy: {{max_parallel: 2, mode: {mode}}}\n"
        f"interruptions: [{{after: 1, goal: {goal}}}]",
        "outcomes: [{match: {tool: slow}, returns: [{status: ok, latency: 5s}]}]",
    )
    assert history(result) == ["v1 1 done 0-1 a:ok", "v1 3 done 1-2 a:ok", "v1 2 done 0-5 slow:ok"]


def test_a_goal_that_is_in_force_holds_up_nothing_at_the_instant_it_comes_due() -> None:
    """2 fails where it starts, with a step still to start beside 1."""
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: a, depends_on: []}
          - {id: 2, tool: b, depends_on: [], args: {x: "#E9"}, on_failure: skip}
          - {id: 3, tool: c, depends_on: []}
        interruptions: [{goal: g, after: 2}]
        policy: {max_parallel: 2}
        """
    )
    assert [(one.step_id, one.started) for one in result.history] == [("2", 0), ("1", 0), ("3", 0)]


@pytest.mark.parametrize(
    ("goal", "history"),
    [
        ("first", ["1 1", "2 1", "3 1", "4 1"]),  # taken back: at 2 s step 4 starts as if nothing had been
        ("other", ["1 1", "2 1", "3 1", "5 2", "6 2", "7 2", "8 2"]),
    ],
)
def test_a_change_that_is_taken_back_while_it_waits_lets_the_plan_go_on(goal: str, history: list[str]) -> None:
    _, result = rehearse(
        "goal: first\nsteps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: slow, depends_on: []},"
        " {id: 3, tool: slower, depends_on: []}, {id: 4, tool: a, depends_on: []}]\npolicy: {max_parallel: 3}\n"
        f"interruptions: [{{after: 1, goal: other}}, {{after: 2, goal: {goal}}}]",
        "outcomes: [{match: {tool: slow}, returns: [{status: ok, latency: 2s}]},"
        " {match: {tool: slower}, returns: [{status: ok, latency: 5s}]}]",
    )
    assert sorted(f"{one.step_id} {one.version[1:]}" for one in result.history) == history
    assert [one.started for one in result.history if one.step_id in "48"] == [2 if goal == "first" else 6]


@pytest.mark.parametrize("interruption", ["after: 1", "at: 0", "at: 1500ms", "after: 3"])
def test_under_rewoo_the_plan_runs_to_its_end(interruption: str) -> None:
    _, result = rehearse(
        CHAIN + f"policy: {{mode: rewoo}}\ninterruptions: [{{{interruption}, goal: other, refutes: [p]}}]"
    )
    assert (ending(result), result.goal, len(result.versions)) == ("completed goal_met 3s", "first", 1)
    assert (result.variables["E1"].health, result.warnings) == (
        "clean",
        ("the goal 'other' changes nothing: mode rewoo runs its plan to the end",),
    )


def test_its_gates_have_no_breaker_and_breaker_and_guard_start_afresh() -> None:
    """Twice the same failure before and after; the plan for the new goal may look like the one that was left."""
    _, result = rehearse(
        "goal: first\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}]\ninterruptions: [{at: 3s, goal: other}]\n"
        "policy: {gates: {per_step: 2}}",
        "outcomes: [{match: {step: 1}, returns: [shape, {status: shape, message: m}, ok, shape, shape, ok]}]",
    )
    assert [line for line in gates(result) if "per_step" in line or "None" in line or "max_repeat" in line] == [
        "v1 1 per_step 0/2",
        "v1 1 max_repeat 0/1",
        "v2 1 per_step 1/2",
        "v2 1 max_repeat 0/1",
        "v3 None max_replans 2/5",
        "v3 None max_replan_tokens 1506/20000",
        "v3 None max_repeat 0/1",
        "v3 None max_steps 5/12",
        "v4 4 per_step 0/2",
        "v4 4 max_repeat 0/1",
        "v5 4 per_step 1/2",
        "v5 4 max_repeat 0/1",
    ]
    assert ending(result) == "completed goal_met 7s"


def test_a_retry_under_way_is_in_flight() -> None:
    _, result = rehearse(
        CHAIN + "interruptions: [{at: 1500ms, goal: other}]",
        "outcomes: [{match: {step: 1, version: 1}, returns: [unavailable, ok]}]",
    )
    assert history(result)[:2] == ["v1 1 done 0-3 a:unavailable a:ok", "v2 4 done 3-4 a:ok"]


def test_an_empty_plan_means_that_nothing_is_left_to_do() -> None:
    _, result = rehearse(
        CHAIN
        + "interruptions: [{after: 2, goal: other}]\nplanner: [{when: {goal: other}, steps: [], verdicts: {E2: keep}}]"
    )
    assert (ending(result), versions(result)[1]) == (
        "completed goal_met 2s",
        "v2 global goal-changed goal-changed: 1 2",
    )
    assert {name: (v.health, v.verdict) for name, v in result.variables.items()} == {
        "E1": ("clean", "keep"), "E2": ("clean", "keep")
    }  # fmt: skip


def test_an_empty_plan_is_the_end_of_what_was_to_be_handed_over() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: []}]\n"
        "interruptions: [{after: 2, goal: other}]\nplanner: [{steps: []}]",
        "outcomes: [{match: {step: 1}, returns: [denied]}]",
    )
    assert (ending(result), result.goal) == ("completed goal_met_with_gaps 2s", "other")


def test_an_empty_plan_leaves_out_no_required_step() -> None:
    _, result = rehearse(
        CHAIN.replace("tool: c,", "tool: c, required: true,") + "interruptions: [{after: 2, goal: other}]\n"
        "planner: [{when: {type: invalid_draft}, steps: [{id: 3, tool: c}]}, {steps: []}]"
    )
    assert [one.text for one in result.lessons][1:] == [
        "v1 step none invalid_draft: step 3 is required and nothing stands for it: the step that takes its place says "
        "replaces: 3; avoid: none"
    ]
    assert (ending(result), history(result)[-1]) == ("completed goal_met 3s", "v2 4 done 2-3 c:ok")
