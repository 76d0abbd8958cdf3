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
