"""Going on with gaps: what runs on what is left, what the Solver is asked, and how the session is judged."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.run.events import SolverCalled
from replanctl.run.result import Gap
from tests.rehearse import rehearse
from tests.replan.listing import kinds
from tests.run.telling import args_of, history, states

THREE = """
goal: g
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: look, depends_on: [], on_failure: defer}
  - {id: 3, tool: sum, args: {a: "#E1", b: "#E2", c: "#E2.rows[0]", d: "<#E2.rows> and <#E1>"}, depends_on: [1, 2]}
"""


def failing(*steps: str, status: str = "error") -> str:
    """Outcomes in which these steps fail."""
    return "outcomes: [" + ", ".join(f"{{match: {{step: {s}}}, returns: [{status}]}}" for s in steps) + "]"


@pytest.mark.parametrize("status", ["timeout", "rate_limited", "shape", "empty", "semantic", "denied", "error"])
def test_a_failure_of_any_type_is_a_gap(status: str) -> None:
    _, result = rehearse(THREE, failing("2", status=status), "policy: {retry: {max_attempts: 1}}")
    (signal,) = result.signals
    assert result.gaps == (Gap("2", signal.error_type, status, ()),)
    assert (result.status, result.reason, result.routes, result.lessons) == ("completed", "goal_met_with_gaps", (), ())


def test_a_missing_variable_of_a_deferred_step_is_a_gap_too() -> None:
    _, result = rehearse("goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b, args: {a: '#E9'}, on_failure: defer}]")
    assert result.gaps == (Gap("2", "missing_var", "#E9: no such step", ()),)


def test_what_a_later_step_reads_of_a_gap() -> None:
    _, result = rehearse(THREE, failing("2"))
    assert args_of(result, "3") == {"a": "ok", "b": None, "c": None, "d": "<[gap: E2]> and <ok>"}
    assert states(result) == "1 done, 2 failed, 3 done"


# plan -> the history behind step 1, the gaps, the reason
BLOCKED: dict[str, tuple[str, list[str], list[Gap], str]] = {
    "all it depends on is a gap": (
        "[{id: 1, tool: a, on_failure: defer}, {id: 2, tool: b}, {id: 3, tool: c, depends_on: []}]",
        ["v1 2 skipped 1-1 (missing_var: blocked by E1)", "v1 3 done 1-2 c:ok"],
        [Gap("1", "unknown", "error", ()), Gap("2", "missing_var", "blocked by E1", ("1",))],
        "goal_met_with_gaps",
    ),
    "and so on down the chain": (
        "[{id: 1, tool: a, on_failure: defer}, {id: 2, tool: b}, {id: 3, tool: c}, {id: 4, tool: d, depends_on: []}]",
        [
            "v1 2 skipped 1-1 (missing_var: blocked by E1)",
            "v1 3 skipped 1-1 (missing_var: blocked by E2)",
            "v1 4 done 1-2 d:ok",
        ],
        [
            Gap("1", "unknown", "error", ()),
            Gap("2", "missing_var", "blocked by E1", ("1",)),
            Gap("3", "missing_var", "blocked by E2", ("2",)),
        ],
        "goal_met_with_gaps",
    ),
    "both of two": (
        """[{id: 1, tool: a, on_failure: defer}, {id: 2, tool: b}, {id: 3, tool: c, depends_on: [2, 1]},
            {id: 4, tool: d, depends_on: [3, 5]}, {id: 5, tool: e, depends_on: []}]""",
        [
            "v1 2 skipped 1-1 (missing_var: blocked by E1)",
            "v1 3 skipped 1-1 (missing_var: blocked by E2, E1)",
            "v1 5 done 1-2 e:ok",
            "v1 4 done 2-3 d:ok",
        ],
        [
            Gap("1", "unknown", "error", ()),
            Gap("2", "missing_var", "blocked by E1", ("1",)),
            Gap("3", "missing_var", "blocked by E2, E1", ("2", "1")),
        ],
        "goal_met_with_gaps",
    ),
    "nothing is left": (
        "[{id: 1, tool: a, on_failure: defer}, {id: 2, tool: b}]",
        ["v1 2 skipped 1-1 (missing_var: blocked by E1)"],
        [Gap("1", "unknown", "error", ()), Gap("2", "missing_var", "blocked by E1", ("1",))],
        "insufficient_evidence",
    ),
}


@pytest.mark.parametrize(("steps", "after", "gaps", "reason"), BLOCKED.values(), ids=BLOCKED)
def test_a_step_with_nothing_but_gaps_to_run_on(steps: str, after: list[str], gaps: list[Gap], reason: str) -> None:
    _, result = rehearse(f"goal: g\nsteps: {steps}", failing("1"))
    assert (history(result)[1:], list(result.gaps), result.reason) == (after, gaps, reason)


def test_a_skipped_failure_is_no_gap_and_takes_what_rests_on_it_whatever_else_it_has() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: a, on_failure: defer, depends_on: []}
  - {id: 2, tool: b, on_failure: skip, depends_on: []}
  - {id: 3, tool: c, depends_on: [1, 2]}
""",
        failing("1", "2"),
    )
    assert states(result) == "1 failed, 2 failed, 3 skipped"
    assert [gap.step_id for gap in result.gaps] == ["1"]


def solver(events: list[Any]) -> list[tuple[str, str, str, bool]]:
    return [
        (" ".join(e.evidence), " ".join(e.gaps), " ".join(e.missing), e.answered)
        for e in events
        if isinstance(e, SolverCalled)
    ]


DEFERRED = """
  - {id: 1, tool: a, on_failure: defer, depends_on: []}
  - {id: 2, tool: b, depends_on: []}
  - {id: 3, tool: c, depends_on: []}
"""

# policy, what fails -> what the Solver was told, the reason, the detail, the tokens
SOLVED: dict[str, tuple[str, str, list[tuple[str, str, str, bool]], str, str, list[int]]] = {
    "no gap, nobody is asked": ("{}", "", [], "goal_met", "", []),
    "a gap": (
        "{}",
        "1",
        [("2 3", "1", "", True)],
        "goal_met_with_gaps",
        "not everything holds: 1",
        [120 + 40 + 25 * 2 + 80],
    ),
    "enough evidence": (
        "{solver: {min_evidence: 2}}",
        "1",
        [("2 3", "1", "", True)],
        "goal_met_with_gaps",
        "not everything holds: 1",
        [290],
    ),
    "too little evidence": (
        "{solver: {min_evidence: 3}}",
        "1",
        [("2 3", "1", "", False)],
        "insufficient_evidence",
        "2 pieces of evidence, and the Solver needs 3",
        [290],
    ),
    "little evidence is no matter where nobody is asked": ("{solver: {min_evidence: 9}}", "", [], "goal_met", "", []),
    "what is required is there": (
        "{solver: {require: [E2, E3]}}",
        "1",
        [("2 3", "1", "", True)],
        "goal_met_with_gaps",
        "not everything holds: 1",
        [290],
    ),
    "what is required is a gap": (
        "{solver: {require: [E2, E1]}}",
        "1",
        [("2 3", "1", "E1", False)],
        "insufficient_evidence",
        "required and not done: E1",
        [290],
    ),
    "what is required is asked without a gap too": (
        "{solver: {require: [E9, E2]}}",
        "",
        [],
        "insufficient_evidence",
        "required and not done: E9",
        [],
    ),
    "always in mode rewoo": ("{mode: rewoo}", "", [("1 2 3", "", "", True)], "goal_met", "", [120 + 40 + 25 * 3]),
    "in mode rewoo evidence counts without a gap": (
        "{mode: rewoo, solver: {min_evidence: 4}}",
        "",
        [("1 2 3", "", "", False)],
        "insufficient_evidence",
        "3 pieces of evidence, and the Solver needs 4",
        [235],
    ),
    "in mode rewoo also when nothing was done": (
        "{mode: rewoo}",
        "1 2 3",
        [("", "1 2 3", "", False)],
        "insufficient_evidence",
        "nothing of the final plan was done",
        [120 + 40 + 80 * 3],
    ),
    "coefficients": (
        "{coefficients: {prompt: 1, goal: 2, done_line: 10, failure: 100}}",
        "1",
        [("2 3", "1", "", True)],
        "goal_met_with_gaps",
        "not everything holds: 1",
        [123],
    ),
}


@pytest.mark.parametrize(("policy", "fails", "told", "reason", "detail", "tokens"), SOLVED.values(), ids=SOLVED)
def test_the_solver(
    policy: str, fails: str, told: list[tuple[str, str, str, bool]], reason: str, detail: str, tokens: list[int]
) -> None:
    events, result = rehearse(f"goal: g\nsteps:{DEFERRED}policy: {policy}", failing(*fails.split()))
    assert (solver(events), result.reason, result.detail) == (told, reason, detail)
    assert [line.booked for line in result.ledger.lines if line.kind == "solver"] == tokens


def test_the_solver_is_asked_when_everything_is_over() -> None:
    events, _ = rehearse(THREE, failing("2"))
    assert kinds(events)[-4:] == ["step.end", "solver", "ledger", "session.complete"]


@pytest.mark.parametrize(
    ("plan", "outcomes", "reason"),
    [
        (THREE, failing("2", "3", status="denied"), "escalated"),
        (THREE.replace("{id: 1, tool: look,", "{id: 1, tool: look, on_failure: abort,"), failing("1"), "aborted"),
        (THREE + "policy: {gates: {max_steps: 2}}", failing("2"), "step_budget"),
        (THREE + "policy: {gates: {max_replans: 0}}", failing("2", "3"), "replan_budget"),
    ],
)
def test_nobody_asks_it_when_the_session_stops_short(plan: str, outcomes: str, reason: str) -> None:
    events, result = rehearse(plan, outcomes)
    assert (solver(events), result.reason) == ([], reason)


def test_what_is_required_of_a_step_may_be_delivered_by_what_replaced_it() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
policy: {solver: {require: [E2]}}
planner: [{steps: [{id: 7, tool: ask}]}]
""",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert result.reason == "goal_met"


@pytest.mark.parametrize(
    ("after", "steps", "verdicts", "why"),
    [
        (1, "[{id: 7, tool: ask}]", "{}", "required and not done: E2"),  # it left the plan before it was done
        (2, "[{id: 7, tool: ask}]", "{}", ""),  # it was done, and left: nothing stands for it
        (2, "[{id: 7, tool: ask}]", "{E2: discard}", "required and not done: E2"),
        # what stands for it now fails for good
        (
            2,
            "[{id: 7, tool: ask}, {id: 8, tool: look, replaces: 2, on_failure: skip}]",
            "{}",
            "required and not done: E2",
        ),
        (2, "[]", "{}", ""),
        (1, "[]", "{}", "required and not done: E2"),
    ],
)
def test_what_is_required_must_have_been_done(after: int, steps: str, verdicts: str, why: str) -> None:
    _, result = rehearse(
        f"""
goal: g
steps: [{{id: 1, tool: ask}}, {{id: 2, tool: look}}]
policy: {{solver: {{require: [E2]}}}}
planner: [{{steps: {steps}, verdicts: {verdicts}}}]
interruptions: [{{after: {after}, goal: h}}]
outcomes: [{{match: {{tool: look, version: 2}}, returns: [error]}}]
"""
    )
    assert (result.reason, result.detail) == ("insufficient_evidence" if why else "goal_met", why)


def test_a_step_that_is_required_in_the_file_is_asked_for_at_the_end() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: ask, depends_on: []}, {id: 2, tool: look, required: true, on_failure: skip}]\n"
        "outcomes: [{match: {step: 2}, returns: [error]}]"
    )
    assert (result.reason, result.detail) == ("insufficient_evidence", "required and not done: E2")


def test_a_gap_that_left_the_plan_is_dropped() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: look, on_failure: defer, depends_on: []}, {id: 2, tool: sum, depends_on: []}]
planner: [{steps: [{id: 7, tool: ask}]}]
interruptions: [{after: 2, goal: h}]
""",
        failing("1"),
    )
    assert (result.gaps, result.reason) == ((), "goal_met")


def test_a_gap_that_is_listed_again_and_done_is_none_any_more() -> None:
    events, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: defer, depends_on: []}
  - {id: 2, tool: sum, depends_on: []}
  - {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}
planner:
  - steps:
      - {id: 1, tool: find, depends_on: []}
      - {id: 2, tool: sum, depends_on: []}
      - {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}
""",
        "outcomes: [{match: {tool: look}, returns: [error]}, {match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert (result.gaps, result.reason, solver(events)) == ((), "goal_met", [])
    assert args_of(result, "3") == {"a": "ok"}


def test_a_gap_that_is_listed_again_is_waited_for_by_what_stays() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: defer, depends_on: []}
  - {id: 2, tool: sum, depends_on: [], granularity: patch}
  - {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}
  - {id: 4, tool: other, depends_on: []}
planner: [{steps: [{id: 2, tool: sum}, {id: 1, tool: find, depends_on: [4]}]}]
""",
        "outcomes: [{match: {tool: look}, returns: [error]}, {match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert history(result)[2:] == [
        "v2 2 done 2-3 sum:ok",
        "v2 4 done 3-4 other:ok",
        "v2 1 done 4-5 find:ok",
        "v2 3 done 5-6 write:ok",
    ]
    assert (args_of(result, "3"), result.gaps, result.reason) == ({"a": "ok"}, (), "goal_met")


def test_a_draft_on_nothing_but_gaps_is_a_gap_at_once() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: defer, depends_on: []}
  - {id: 2, tool: sum, depends_on: []}
planner: [{steps: [{id: 2, tool: sum}, {id: 7, tool: a, depends_on: [1]}, {id: 8, tool: b, depends_on: [7]}]}]
""",
        "outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert [(gap.step_id, gap.error_msg) for gap in result.gaps] == [
        ("1", "error"),
        ("7", "blocked by E1"),
        ("8", "blocked by E7"),
    ]
    assert states(result) == "1 failed, 2 done, 7 skipped, 8 skipped"


# mode, what each of three steps says -> what a failure of the first leads to
MODES: dict[str, tuple[str, str, str, list[str]]] = {
    "hybrid: each step's own word": ("hybrid", "defer", "goal_met_with_gaps", []),
    "hybrid: replan where nothing is said": ("hybrid", "", "goal_met", ["small-radius"]),
    "replan: all alike": ("replan", "defer", "goal_met", ["small-radius"]),
    "replan: also what aborts": ("replan", "abort", "goal_met", ["small-radius"]),
    "rewoo: all alike": ("rewoo", "replan", "goal_met_with_gaps", []),
    "rewoo: also what aborts": ("rewoo", "abort", "goal_met_with_gaps", []),
    "auto: the coupling test where nothing is said": ("auto", "", "goal_met_with_gaps", []),
    "auto: a step's own word": ("auto", "replan", "goal_met", ["small-radius"]),
    "auto: also to abort": ("auto", "abort", "aborted", []),
}


@pytest.mark.parametrize(("mode", "says", "reason", "rules"), MODES.values(), ids=MODES)
def test_modes(mode: str, says: str, reason: str, rules: list[str]) -> None:
    on_failure = f", on_failure: {says}" if says else ""
    plan = f"""
goal: g
steps:
  - {{id: 1, tool: look, depends_on: []{on_failure}}}
  - {{id: 2, tool: look, depends_on: []}}
  - {{id: 3, tool: sum, depends_on: [1, 2]}}
policy: {{mode: {mode}}}
"""
    _, result = rehearse(plan, "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]")
    assert (result.reason, [route.rule for route in result.routes]) == (reason, rules)


@pytest.mark.parametrize(
    ("fails", "rules"),
    [("1", ["wide-radius"]), ("2", []), ("3", []), ("4", ["small-radius"])],
)
def test_the_coupling_test_decides_step_by_step(fails: str, rules: list[str]) -> None:
    plan = """
goal: g
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: a, depends_on: [1]}
  - {id: 3, tool: b, depends_on: [1]}
  - {id: 4, tool: sum, depends_on: [2, 3]}
policy: {mode: auto}
"""
    _, result = rehearse(plan, f"outcomes: [{{match: {{step: {fails}, version: 1}}, returns: [shape]}}]")
    assert [route.rule for route in result.routes] == rules


def test_in_mode_rewoo_the_goal_does_not_change() -> None:
    events, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: sum}]
policy: {mode: rewoo}
interruptions: [{after: 1, goal: h, refutes: [p]}]
"""
    )
    assert (result.goal, len(result.versions), result.reason) == ("g", 1, "goal_met")
    assert result.warnings == ("the goal 'h' changes nothing: mode rewoo runs its plan to the end",)
    assert result.variables["E1"].health == "clean"
    assert kinds(events).count("goal.changed") == 1


@pytest.mark.parametrize("on_failure", ["skip", "defer"])
def test_skip_and_defer_never_halt_a_wave(on_failure: str) -> None:
    _, result = rehearse(
        f"""
goal: g
steps:
  - {{id: 1, tool: look, depends_on: [], on_failure: {on_failure}}}
  - {{id: 2, tool: slow, depends_on: []}}
  - {{id: 3, tool: next, depends_on: []}}
policy: {{max_parallel: 2}}
""",
        "outcomes: [{match: {step: 1}, returns: [shape]}, {match: {step: 2}, returns: [{status: ok, latency: 9s}]}]",
    )
    assert history(result) == [
        "v1 1 failed 0-1 look:shape (assumption: shape)",
        "v1 3 done 1-2 next:ok",
        "v1 2 done 0-9 slow:ok",
    ]
