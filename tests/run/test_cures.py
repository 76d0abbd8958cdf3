"""What a missing variable is cured by: for a step that had not run, how things stood when its reader failed counts."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.run.telling import args_of, states

PLAN = """
goal: g
steps:
  - {id: 2, tool: b, depends_on: [], on_failure: ON_FAILURE}
  - {id: 1, tool: a, depends_on: [], on_failure: skip}
  - {id: 3, tool: c, depends_on: [], args: {x: "#E2"}, granularity: GRANULARITY}
policy: {max_parallel: 3}
"""


@pytest.mark.parametrize("granularity", ["patch", "tail", "global"])
@pytest.mark.parametrize(
    ("on_failure", "returns", "read", "reason"),
    [
        ("replan", "[{status: ok, value: 7}]", 7, "goal_met"),  # done by the time of the replan
        ("replan", "[shape, {status: ok, value: 7}]", 7, "goal_met"),  # failed, and waits for its own replan
        ("skip", "[shape, {status: ok, value: 7}]", None, "goal_met_with_gaps"),  # failed for good
        ("defer", "[shape, {status: ok, value: 7}]", None, "goal_met_with_gaps"),
    ],
)
def test_a_hidden_dependency_is_cured_by_how_things_stood(
    granularity: str, on_failure: str, returns: str, read: object, reason: str
) -> None:
    plan = PLAN.replace("ON_FAILURE", on_failure).replace("GRANULARITY", granularity)
    _, result = rehearse(plan, f"outcomes: [{{match: {{step: 2}}, returns: {returns}}}]")
    reader = next(step for step in result.versions[-1].steps if step.tool == "c")
    waits_for = next(step.id for step in result.versions[-1].steps if step.tool == "b")
    assert (result.reason, args_of(result, reader.id)) == (reason, {"x": read}), states(result)
    assert reader.depends_on == ((waits_for,) if read else ())


def test_an_alternative_gives_up_the_reference_that_was_mended_away() -> None:
    _, result = rehearse(
        """
        goal: g
        steps: [{id: 1, tool: t, args: {x: "#E9"}, alternatives: [{args: {q: plain}}, {tool: u}]}]
        """,
        "outcomes: [{match: {}, returns: [shape, ok]}]",
    )
    assert (result.reason, args_of(result, "1")) == ("goal_met", {"q": "plain"})


def test_an_alternative_that_keeps_the_args_keeps_their_gaps() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: t, args: {x: '#E9'}, alternatives: [{tool: u}]}]",
        "outcomes: [{match: {}, returns: [shape, ok]}]",
    )
    assert (result.reason, args_of(result, "1")) == ("goal_met_with_gaps", {"x": None})


def test_patches_are_numbered_on_when_the_goal_changes() -> None:
    """Ladder and breaker start afresh, but the lineage has had its first patch."""
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: t}]\ninterruptions: [{goal: other, at: 1500ms}]",
        "outcomes: [{match: {}, returns: [error, error, error, ok]}]",
    )
    assert [version.steps[0].action for version in result.versions] == [
        "t",
        "t (patch 1)",
        "t (patch 1)",
        "t (patch 2)",
    ]
    assert result.revisions[-1].revised == ("2",)
