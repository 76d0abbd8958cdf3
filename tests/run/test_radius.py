"""How much rests on a failure, and what the signal says of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rehearse import rehearse
from tests.run.telling import routes, signals, versions

# 1 fails; 2 and 3 rest on it, 4 on both; 5 and 6 stand apart, 6 on a premise, and 7 rests on 6.
WEB = """
goal: g
assumptions: {p: premise, q: another}
policy: {max_parallel: 1}
steps:
  - {id: 0, tool: first, depends_on: []}
  - {id: 1, tool: fails, depends_on: [0]}
  - {id: 2, tool: t, depends_on: [1]}
  - {id: 3, tool: t, depends_on: [1, 0]}
  - {id: 4, tool: t, depends_on: [2, 3]}
  - {id: 5, tool: t, depends_on: [0]}
  - {id: 6, tool: t, depends_on: [0], assumes: [p]}
  - {id: 7, tool: t, depends_on: [6, 4], assumes: [p, q]}
"""


@pytest.mark.parametrize(
    ("refutes", "radius", "evidence"),
    [
        ("[]", 4, {"radius": 4}),  # 2 3 4 7
        ("[p]", 5, {"radius": 5, "refuted": ["p"]}),  # and 6
        ("[q]", 4, {"radius": 4, "refuted": ["q"]}),  # 7 is counted once
        ("[p, q]", 5, {"radius": 5, "refuted": ["p", "q"]}),
    ],
)
def test_the_radius_is_what_rests_on_the_failure_directly_or_not(
    refutes: str, radius: int, evidence: dict[str, Any]
) -> None:
    _, result = rehearse(
        WEB, f"outcomes: [{{match: {{step: 1}}, returns: [{{status: shape, refutes: {refutes}}}, ok]}}]"
    )
    assert routes(result) == [f"v1 1 assumption radius {radius} wide-radius → tail"]
    assert result.signals[0].evidence == evidence


def test_what_has_ended_no_longer_counts() -> None:
    """With 6 and 5 done before the failure, the premise carries a done step instead; what rests on 6 is still open."""
    _, result = rehearse(
        WEB.replace("{id: 1, tool: fails, depends_on: [0]}", "{id: 1, tool: fails, depends_on: [5, 6]}"),
        "outcomes: [{match: {step: 1}, returns: [{status: shape, refutes: [p]}, ok]}]",
    )
    assert routes(result) == ["v1 1 assumption radius 4 premise-overturned → global"]


def test_a_step_that_failed_and_waits_for_its_own_replan_counts() -> None:
    """3 rests on nothing but the premise; it has failed when the failure of 1 is routed."""
    _, result = rehearse(
        """
goal: g
assumptions: {p: premise}
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 3, tool: b, depends_on: [], assumes: [p]}
outcomes:
  - {match: {step: 1}, returns: [{status: shape, refutes: [p]}, ok]}
  - {match: {step: 3}, returns: [{status: shape, latency: 2s}, ok]}
"""
    )
    assert routes(result) == [
        "v1 1 assumption radius 1 small-radius → patch",
        "v2 3 assumption radius 0 small-radius → patch",
    ]


def test_a_premise_is_dropped_from_every_open_step_of_the_next_version() -> None:
    """1 overturned it while 3, which assumes it, was waiting for its replan: in v2 nothing rests on it any more."""
    _, result = rehearse(
        """
goal: g
assumptions: {p: premise, q: another}
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: a, depends_on: [], assumes: [p, q]}
  - {id: 3, tool: b, depends_on: []}
  - {id: 4, tool: c, depends_on: [], assumes: [p, q]}
outcomes:
  - {match: {step: 1}, returns: [{status: shape, refutes: [p], latency: 2s}, ok]}
  - {match: {step: 3}, returns: [shape, ok]}
"""
    )
    assert routes(result) == [
        "v1 3 assumption radius 0 small-radius → patch",
        "v2 1 assumption radius 0 small-radius → patch",
    ]
    assert [[step.assumes for step in v.steps] for v in result.versions] == [
        [("p", "q"), (), ("p", "q")],
        [(), ("q",), ("q",)],
        [("q",), (), ("q",)],
    ]


def test_a_step_that_failed_for_good_or_was_skipped_does_not_count() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: a, depends_on: [], on_failure: skip}
  - {id: 2, tool: b, depends_on: []}
  - {id: 3, tool: c, depends_on: [1, 2]}
  - {id: 4, tool: d, depends_on: [2]}
outcomes: [{match: {version: 1}, returns: [shape]}]
"""
    )
    assert routes(result) == ["v1 2 assumption radius 1 small-radius → patch"]


@pytest.mark.parametrize(
    ("which", "route", "replaced"),
    [
        ("transitive", "v1 1 unknown radius 3 wide-radius → tail", "1 5 6 7"),
        ("direct", "v1 1 unknown radius 1 small-radius → patch", "1 2 3 4"),
    ],
)
def test_routing_may_compare_the_direct_dependents_instead(which: str, route: str, replaced: str) -> None:
    _, result = rehearse(
        f"goal: g\nsteps: [{{id: 1, tool: a}}, {{id: 2, tool: b}}, {{id: 3, tool: c}}, {{id: 4, tool: d}}]\n"
        f"policy: {{routing: {{radius: {which}}}}}",
        "outcomes: [{match: {step: 1}, returns: [error, ok]}]",
    )
    assert routes(result) == [route]
    assert versions(result)[1].split(": ")[1] == replaced


def test_what_a_tail_replaces_stays_the_same_whatever_is_compared() -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b, depends_on: [1]}, {id: 3, tool: c, depends_on: [1]},"
        " {id: 4, tool: d, depends_on: [3]}]\npolicy: {routing: {radius: direct}}",
        "outcomes: [{match: {step: 1}, returns: [error, ok]}]",
    )
    assert routes(result) == ["v1 1 unknown radius 2 wide-radius → tail"]
    assert versions(result)[1] == "v2 tail wide-radius unknown@1: 1 5 6 7"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{status: shape, message: no field named price}", "assumption: no field named price"),
        ("timeout", "environmental: timeout"),
        ("{status: ok, value: {rows: null}}", "assumption: rows: expected list, got null"),
        ("{status: ok, value: {}}", "assumption: no field named rows"),
    ],
)
def test_every_failed_execution_has_a_signal_and_only_a_replan_has_a_route(entry: str, message: str) -> None:
    for on_failure, routed in (("replan", True), ("skip", False), ("abort", False), ("defer", False)):
        _, result = rehearse(
            f"goal: g\nsteps: [{{id: 1, tool: t, produces: {{rows: list}}, on_failure: {on_failure}}}]",
            f"outcomes: [{{returns: [{entry}]}}]",
            "policy: {retry: {max_attempts: 1}, gates: {max_replans: 0}}",
        )
        assert (signals(result), bool(result.routes), bool(result.lessons)) == ([f"v1 1 {message}"], routed, routed)


def test_the_way_to_an_open_step_may_lead_through_one_that_is_done() -> None:
    """1 is a gap, 2 ran on it all the same; a draft lists 1 again while 3, behind 2, still waits for 4."""
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 0, tool: first, depends_on: []}
  - {id: 1, tool: gap, depends_on: [], on_failure: defer}
  - {id: 2, tool: t, depends_on: [0, 1]}
  - {id: 4, tool: fails, depends_on: [2]}
  - {id: 3, tool: t, depends_on: [2, 4]}
planner: [{when: {step: 4}, steps: [{id: 1, tool: gap}, {id: 4, tool: other}, {id: 3, tool: t, depends_on: [2, 4]}]}]
outcomes:
  - {match: {tool: gap}, returns: [shape, shape, ok]}
  - {match: {tool: fails}, returns: [shape]}
"""
    )
    assert routes(result)[:2] == [
        "v1 4 assumption radius 1 small-radius → patch",
        "v2 1 assumption radius 2 wide-radius → tail",
    ]
