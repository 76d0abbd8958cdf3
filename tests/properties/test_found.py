"""What random sessions found: each was a bug once."""

from __future__ import annotations

from replanctl.run.events import SolverCalled
from tests.rehearse import rehearse


def test_a_gap_that_is_listed_again_and_done_is_no_gap_any_more() -> None:
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: a, depends_on: [], on_failure: defer}
          - {id: 2, tool: b, depends_on: []}
        planner: [{steps: [{id: 1, tool: c}, {id: 2, tool: c}]}]
        outcomes: [{match: {tool: a}, returns: [shape]}, {match: {tool: b}, returns: [shape]}]
        """
    )
    assert (result.reason, result.gaps) == ("goal_met", ())


def test_the_solver_admits_that_it_has_nothing_to_go_by() -> None:
    events, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a, on_failure: defer}]",
        "outcomes: [{returns: [shape]}]",
        "policy: {solver: {min_evidence: 0}}",
    )
    solved = [(e.evidence, e.gaps, e.answered) for e in events if type(e) is SolverCalled]
    assert (result.reason, solved) == ("insufficient_evidence", [((), ("1",), False)])


def test_a_text_stays_text_when_a_step_of_that_id_comes_and_goes_again() -> None:
    """`#E3` is text in v1, where no step is 3; a replan brings step 3, and the next one puts step 4 in its place."""
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: a, depends_on: [], granularity: tail}
          - {id: 2, tool: b, depends_on: [1]}
          - {id: late, tool: c, depends_on: [two], args: {q: "see #E3!"}}
          - {id: two, tool: d, depends_on: [], args: {q: x}}
        outcomes:
          - {match: {step: 1}, returns: [shape, shape, ok]}
          - {match: {tool: d}, returns: [{status: ok, latency: 9}]}
        """
    )
    asked = [[(step.id, step.args) for step in version.steps if step.tool in "bc"] for version in result.versions]
    assert [[id_ for id_, _ in steps] for steps in asked] == [["2", "late"], ["3", "late"], ["4", "late"]]
    assert [args["q"] for steps in asked for id_, args in steps if id_ == "late"] == [
        "see #E3!",
        "see #E3!",
        "see #E3!",
    ]
    assert [execution.args["q"] for execution in result.history if execution.tool == "c"] == ["see #E3!"]


def test_a_skipped_step_follows_what_it_depended_on_so_that_a_global_can_list_it_again() -> None:
    """Step 4 is skipped because of step 3, and waits for step 2 no less: a tail of step 1 makes that step 5."""
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: a, depends_on: []}
          - {id: 2, tool: b, depends_on: [1], args: {q: "#E1"}}
          - {id: 3, tool: c, depends_on: [], on_failure: skip}
          - {id: 4, tool: d, depends_on: [2, 3], args: {q: "#E2"}}
          - {id: 5, tool: e, depends_on: []}
        policy: {max_parallel: 2, routing: {rules: [{name: deep, when: {error_type: unknown}, granularity: global}]}}
        outcomes:
          - {match: {tool: a}, returns: [semantic, ok]}
          - {match: {tool: c}, returns: [shape, ok]}
          - {match: {tool: e}, returns: [error, ok]}
        """
    )
    assert [(r.removed, r.added, r.revised, r.rewired) for r in result.revisions] == [
        (("2",), ("6",), ("4", "1"), ()),
        (("3", "4", "1", "6", "5"), ("7", "8", "9", "10", "11"), (), ()),
    ]
    waits = [{step.replaces or step.id: step.depends_on for step in v.steps}["4"] for v in result.versions]
    assert waits == [("2", "3"), ("6", "3"), ("10", "7")]


def test_a_typing_slip_is_not_mended_to_what_may_not_be_read() -> None:
    """The nearest id is that of a step whose result is void: a draft that reads it would be refused."""
    _, result = rehearse(
        """
        goal: g
        steps:
          - {id: 1, tool: a, assumes: [open], depends_on: []}
          - {id: 2, tool: b, depends_on: [], on_failure: skip}
          - {id: 3, tool: c, depends_on: [1], args: {q: "#E11"}}
        outcomes: [{match: {tool: b}, returns: [{status: shape, refutes: [open]}]}]
        """
    )
    assert (result.reason, result.versions[-1].steps[-1].args) == ("goal_met_with_gaps", {"q": None})
