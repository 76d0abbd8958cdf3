"""Matrices: the grid, where there is no way out, and what never decided anything."""

from __future__ import annotations

import pytest

from replanctl.lab import Case, Facts, Matrix, MatrixOptions, matrix, matrix_trials, sweep_trials
from replanctl.script import FAULTS
from tests.lab.making import case, example

TWO = "goal: g\nsteps: [{id: 1, tool: look}, {id: 2, tool: write, args: {x: '#E1'}}]\n"


def matrix_of(of: Case, options: MatrixOptions = MatrixOptions()) -> Matrix:  # noqa: B008 a frozen value
    return matrix(of, sweep_trials([(of.rehearsal, matrix_trials(of, options))]))


def dead(of: Case) -> list[tuple[str, str, str]]:
    return [(one.kind, one.name, one.why) for one in matrix_of(of).coverage.dead]


def test_a_cell_is_the_session_of_that_fault() -> None:
    found = matrix_of(case(TWO))
    assert [row.step_id for row in found.rows] == ["1", "2"]
    cells = [facts.key for row in found.rows for facts in (*row.once, *row.always)]
    assert cells == [("fault", f"{n}={s}{how}") for n in "12" for how in ("", ":always") for s in FAULTS]
    assert (found.base.key, found.totals.sessions) == (("script",), 40)


def test_where_there_is_no_way_out() -> None:
    found = matrix_of(case(TWO))
    assert [(s.step_id, s.statuses, s.always) for s in found.stranded] == [
        ("1", ("denied",), False),
        ("1", tuple(str(status) for status in FAULTS if status != "denied"), True),
        ("2", ("denied",), False),
        ("2", tuple(str(status) for status in FAULTS if status != "denied"), True),
    ]
    assert found.bound_to_fail


def test_totals_add_up_and_leave_out_the_script_alone() -> None:
    totals = matrix_of(example("vendors")).totals
    parts = totals.absorbed + totals.by_replans + totals.with_gaps
    assert totals.completed == parts
    assert totals.sessions == parts + totals.handed_over + totals.stopped == 100


def test_the_planted_dead_are_found_with_their_reasons() -> None:
    assert dead(example("lab/prices")) == [
        ("rule", "shop-is-closed", "no failure has 3 steps resting on it"),
        ("fallback", "archive of shop", "its schema refuses every call it would get"),
    ]


ALTERNATIVES = "goal: g\nsteps: [{id: 1, tool: look, alternatives: [{tool: a}, {tool: b}, {tool: c, args: {x: 1}}]}]\n"


def test_alternatives_that_are_taken_live() -> None:
    fail = "outcomes: [{match: {tool: look}, returns: [shape]}, {match: {tool: a}, returns: [shape]}]\n"
    assert dead(case(ALTERNATIVES + fail)) == [("alternative", "3 of step 1 (c)", "")]
    assert dead(case(ALTERNATIVES)) == [("alternative", "2 of step 1 (b)", ""), ("alternative", "3 of step 1 (c)", "")]


def test_an_alternative_that_is_only_another_action_lives_when_it_is_taken() -> None:
    text = "goal: g\nsteps: [{id: 1, tool: look, alternatives: [{action: ask}, {action: ask again}]}]\n"
    assert dead(case(text + "policy: {gates: {per_step: 1}}\n")) == [("alternative", "2 of step 1 (ask again)", "")]


def test_an_alternative_that_is_carried_along_is_not_taken() -> None:
    """Step 2 is skipped where it fails; a new plan for step 1 lists it again, with its references renamed."""
    text = (
        "goal: g\nsteps:\n  - {id: 1, tool: look}\n"
        "  - {id: 2, tool: put, args: {x: '#E1'}, on_failure: skip, alternatives: [{tool: put, args: {y: '#E1'}}]}\n"
        "policy: {routing: {overrides: {'1': global}}}\n"
    )
    assert dead(case(text)) == [("alternative", "1 of step 2 (put)", "")]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("policy: {routing: {rules: [{name: r, when: {step: 1}, granularity: patch}]}}\n", []),
        (
            "tools: {look: {}, write: {}, other: {}}\n"
            "policy: {routing: {rules: [{name: r, when: {tool: other}, granularity: patch}]}}\n",
            [("rule", "r", "no step uses other")],
        ),
        ("tools: {look: {fallback: peek}, peek: {}, write: {}}\n", []),
        ("tools: {look: {}, write: {}, x: {fallback: look}}\n", [("fallback", "look of x", "no step uses x")]),
        (
            "planner: [{when: {error: never said}, steps: [{id: 9, tool: look}]}, {otherwise: template}]\n",
            [("planner rule", "1 (never said)", "")],
        ),
        ("outcomes: [{match: {step: 1}, returns: [ok]}, {match: {tool: look}, returns: [empty]}]\n",
         [("outcome rule", "in line 3", "")]),
    ],
)  # fmt: skip
def test_what_never_decided_anything(written: str, said: list[tuple[str, str, str]]) -> None:
    assert dead(case(TWO + written)) == said


def test_what_takes_effect_twice_is_told_by_tool() -> None:
    tools = "tools: {look: {}, write: {idempotent: false}}\n"
    found = matrix_of(case(TWO + tools))
    assert [(one.tool, one.idempotent, one.statuses) for one in found.twice] == [
        ("look", True, ("lost", "shape", "empty", "semantic"))
    ]


@pytest.mark.parametrize("said", ["{look: {}, write: {}}", "{look: {idempotent: true}, write: {idempotent: true}}", ""])
def test_to_be_idempotent_is_the_default_and_saying_so_changes_nothing(said: str) -> None:
    """A tool of which nothing is said may be called twice: the table makes no difference between the two."""
    found = matrix_of(case(TWO + (f"tools: {said}\n" if said else ""))).twice
    assert [(one.tool, one.idempotent, one.statuses) for one in found] == [
        ("look", True, ("lost", "shape", "empty", "semantic")), ("write", True, ("lost", "shape", "empty", "semantic"))
    ]  # fmt: skip


def test_a_fault_that_meets_no_call_is_told() -> None:
    found = matrix_of(case(TWO + "outcomes: [{match: {step: 1}, returns: [denied]}]\n"))
    assert found.unlanded == tuple(f"2={status}{how}" for how in ("", ":always") for status in FAULTS)


def test_a_fault_that_meets_no_call_is_no_failure_without_a_way_out() -> None:
    found = matrix_of(case(TWO + "outcomes: [{match: {step: 1}, returns: [denied]}]\n"))
    assert {one.step_id for one in found.stranded} == {"1"}


def test_a_changed_goal_after_each_step() -> None:
    own = "interruptions: [{after: 1, goal: one}, {after: 2, goal: another}]\n"
    assert [f.key for f in matrix_of(case(TWO), MatrixOptions(goals=True)).goals] == [
        ("goal", "1", "something else than before"),
        ("goal", "2", "something else than before"),
    ]
    assert len(matrix_of(case(TWO + own), MatrixOptions(goals=True)).goals) == 4


def test_one_goal_that_refutes_different_premises_is_two_changes() -> None:
    own = (
        "assumptions: {a: '', b: ''}\n"
        "interruptions: [{after: 1, goal: one, refutes: [a]}, {after: 2, goal: one, refutes: [b]}]\n"
    )
    assert len(matrix_of(case(TWO + own), MatrixOptions(goals=True)).goals) == 4


def test_a_sample_of_pairs_is_always_the_same_and_without_repeats() -> None:
    of = example("vendors")
    trials = [trial.key for trial in matrix_trials(of, MatrixOptions(pairs=300)) if trial.key[0] == "pair"]
    assert trials == [t.key for t in matrix_trials(of, MatrixOptions(pairs=300)) if t.key[0] == "pair"]
    assert len(set(trials)) == 300
    assert all(key[1].partition("=")[0] != key[2].partition("=")[0] for key in trials)


def test_all_pairs_are_as_many_as_there_are() -> None:
    found = matrix_of(case(TWO), MatrixOptions(pairs=1000)).pairs
    assert found is not None
    assert (found.tried, found.in_all) == (400, 400)
    ended = {(one.faults, one.reason) for one in found.shown}
    assert found.worse == 0 or ended


def test_pairs_that_only_together_end_a_session() -> None:
    limit = "policy: {gates: {max_replans: 1}}\n"
    found = matrix_of(case(TWO + limit), MatrixOptions(pairs=400)).pairs
    assert found is not None
    assert found.worse > 0
    assert found.shown[0].reason == "replan_budget"


def test_facts_of_pairs_are_counted_and_not_kept() -> None:
    of = case(TWO)
    facts = list(sweep_trials([(of.rehearsal, matrix_trials(of, MatrixOptions(pairs=1)))]))
    many: list[Facts] = [*facts[:-1], *facts[-1:] * 5000]
    found = matrix(of, iter(many))
    assert found.pairs is not None
    assert found.pairs.tried == 5000
    assert len(found.pairs.shown) <= 20
