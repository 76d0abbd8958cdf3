"""Whose story a failed expectation tells: of the step that a place or the reason names, then of what failed last."""

from __future__ import annotations

import re

import pytest

from replanctl.cli.rehearsed import Rehearsed, rehearsed
from replanctl.files import Role, Source, parse_rehearsal

FOUR = """\
goal: g
steps:
  - {id: 1, tool: look, depends_on: [], on_failure: skip}
  - {id: 2, tool: read, depends_on: [], on_failure: skip}
  - {id: 3, tool: sum, depends_on: [], on_failure: skip}
  - {id: 4, tool: write, depends_on: []}
"""
FAIL = "outcomes: [{match: {tool: look}, returns: [shape]}, {match: {tool: read}, returns: [shape]}, " \
       "{match: {tool: sum}, returns: [shape]}]"  # fmt: skip
REQUIRED = f"policy: {{solver: {{require: [E1]}}}}\n{FAIL}\n"
# The same work fails twice, under another id once the goal has changed.
CHANGED = """\
goal: g
steps: [{id: 1, tool: look, depends_on: []}, {id: 2, tool: read, depends_on: []}]
outcomes: [{match: {tool: look}, returns: [shape, denied]}]
interruptions: [{after: 1, goal: h}]
"""


def session(text: str) -> Rehearsed:
    rehearsal = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])
    return rehearsed(rehearsal, rehearsal.policy)


def told(of: Rehearsed, **expected: object) -> list[str]:
    """The steps whose stories stand below what was other than expected, in their order."""
    said = of.told(of.other_than(expected))
    return re.findall(r"^  \S step (\S+):", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "expected", "steps"),
    [
        # The session ended for want of E1: step 1 comes first, though 3 failed last; there is room for two.
        (FOUR + REQUIRED, {"reason": "goal_met"}, ["1", "3"]),
        (FOUR + REQUIRED, {"status": "completed"}, ["1", "3"]),
        # Nothing that the session says names a step: what failed last comes first.
        (FOUR + FAIL, {"status": "failed"}, ["3", "2"]),
        # The steps are one piece of work, whose story is told once, from its last id.
        (CHANGED, {"status": "completed"}, ["3"]),
        # A place of the result that is about a step is asked before all.
        (FOUR + REQUIRED, {"reason": "goal_met", "variables": {"E2": 1}}, ["2"]),
        (FOUR + REQUIRED, {"history": [{}, {"tool": "x"}, {}, {"tool": "x"}]}, ["2", "4"]),
    ],
)
def test_the_step_that_the_reason_names_is_told_first(text: str, expected: dict[str, object], steps: list[str]) -> None:
    assert told(session(text), **expected) == steps
