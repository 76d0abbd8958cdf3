"""Statistics of runs as they went: what of their replans is counted, and which made the failed call again."""

from __future__ import annotations

from replanctl.lab import Stats, stats
from tests.rehearse import rehearse

WAVE = """\
goal: g
steps: [{id: 1, tool: a, depends_on: []}, {id: 2, tool: b, depends_on: []}, {id: 3, tool: c, depends_on: [1, 2]}]
policy: {max_parallel: 2}
outcomes: [{match: {step: 1}, returns: [shape, ok]}, {match: {step: 2}, returns: [shape, ok]}]
"""
REFUSED = """\
goal: g
steps: [{id: 1, tool: a}]
planner: [{when: {type: assumption}, steps: [{id: 9, tool: b, args: {x: '#E404'}}]}]
outcomes: [{match: {step: 1}, returns: [shape]}]
"""


def stats_of(plan: str) -> Stats:
    events, _ = rehearse(plan)
    return stats([(events, False)])


def test_two_replans_of_one_wave_both_make_the_failed_call_again() -> None:
    found = stats_of(WAVE)
    assert (found.replans, found.repeated) == (2, 2)


def test_a_replan_whose_draft_was_refused_was_asked_for() -> None:
    found = stats_of(REFUSED)
    events, result = rehearse(REFUSED)
    assert found.replans == sum(line.kind == "replan" for line in result.ledger.lines) > len(result.versions) - 1
    assert [event.type for event in events].count("plan.rejected") > 0
