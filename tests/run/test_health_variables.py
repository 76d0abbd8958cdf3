"""What becomes of results when a premise falls, the goal changes or a draft says what it keeps."""

from __future__ import annotations

import pytest

from replanctl.run.events import PlanCommit, StepStart, VariableHealth
from tests.rehearse import rehearse
from tests.replan.listing import health, refusals
from tests.run.telling import history

# plan -> the health of every variable, the reason
SESSIONS: dict[str, tuple[str, dict[str, str], str]] = {
    "all it rests on was refuted": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, assumes: [p]}
          - {id: 2, tool: look, assumes: [p, q]}
          - {id: 3, tool: look, assumes: [q]}
          - {id: 4, tool: ask, on_failure: skip}
        outcomes: [{match: {step: 4}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "void", "E2": "stale", "E3": "clean"},
        "goal_met_with_gaps",
    ),
    "two premises of two failures": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, assumes: [p, q]}
          - {id: 2, tool: ask, on_failure: skip, depends_on: []}
          - {id: 3, tool: ask, on_failure: defer, depends_on: []}
        outcomes:
          - {match: {step: 2}, returns: [{status: shape, refutes: [p]}]}
          - {match: {step: 3}, returns: [{status: error, refutes: [q]}]}
        """,
        {"E1": "void"},
        "goal_met_with_gaps",
    ),
    "what was computed from it": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, assumes: [p]}
          - {id: 2, tool: sum, args: {of: "#E1.rows"}, produces: {rows: list}, assumes: [q]}
          - {id: 3, tool: sum, args: {of: "<#E2.rows>"}, assumes: [r]}
          - {id: 4, tool: sum, args: {of: "##E1"}, assumes: [q]}
          - {id: 5, tool: ask, on_failure: skip}
        outcomes:
          - {match: {step: 1}, returns: [{status: ok, value: {rows: [1]}}]}
          - {match: {step: 5}, returns: [{status: shape, refutes: [p]}]}
        """,
        {"E1": "void", "E2": "void", "E3": "void", "E4": "clean"},
        "goal_met_with_gaps",
    ),
    "a dependency alone is nothing it was computed from": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, assumes: [p]}
          - {id: 2, tool: sum, depends_on: [1]}
          - {id: 3, tool: ask, on_failure: skip}
        outcomes: [{match: {step: 3}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "void", "E2": "clean"},
        "goal_met_with_gaps",
    ),
    "whatever is done about the failure: abort": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: ask, on_failure: abort}]
        outcomes: [{match: {step: 2}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "void"},
        "aborted",
    ),
    "whatever is done about the failure: a person": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p, q]}, {id: 2, tool: ask}]
        outcomes: [{match: {step: 2}, returns: [{status: denied, refutes: [p]}]}]
        """,
        {"E1": "stale"},
        "escalated",
    ),
    "whatever is done about the failure: a gate": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: ask}]
        outcomes: [{match: {step: 2}, returns: [{status: shape, refutes: [p]}]}]
        policy: {gates: {max_replans: 0}}
        """,
        {"E1": "void"},
        "replan_budget",
    ),
    "a result that comes later and still rests on it is born so": (
        """
        goal: g
        steps:
          - {id: 1, tool: ask, on_failure: skip, depends_on: []}
          - {id: 2, tool: slow, assumes: [p], depends_on: []}
          - {id: 3, tool: slow, assumes: [p, q], depends_on: []}
        policy: {max_parallel: 3}
        outcomes:
          - {match: {step: 1}, returns: [{status: shape, refutes: [p]}]}
          - {match: {tool: slow}, returns: [{status: ok, latency: 9s}]}
        """,
        {"E2": "void", "E3": "stale"},
        "goal_met_with_gaps",
    ),
    "only the last attempt refutes": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: ask}]
        outcomes: [{match: {step: 2}, returns: [{status: unavailable, refutes: [p]}, ok]}]
        """,
        {"E1": "clean", "E2": "clean"},
        "goal_met",
    ),
    "open steps of the next version no longer rest on it": (
        """
        goal: g
        steps:
          - {id: 1, tool: ask, depends_on: [], granularity: patch}
          - {id: 2, tool: look, assumes: [p, q], depends_on: []}
          - {id: 3, tool: look, assumes: [p], depends_on: []}
        outcomes: [{match: {step: 1, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "clean", "E2": "clean", "E3": "clean"},
        "goal_met",
    ),
    "but what they were computed from still does": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, assumes: [p, q]}
          - {id: 2, tool: ask, granularity: patch}
          - {id: 3, tool: sum, assumes: [p], args: {of: "#E1"}, depends_on: [1, 2]}
        outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "stale", "E2": "clean", "E3": "stale"},
        "goal_met_with_gaps",
    ),
    "a changed goal makes what is clean stale": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p, q]}, {id: 2, tool: look, assumes: [p]}, {id: 3, tool: look}]
        planner: [{steps: [{id: 9, tool: ask}]}]
        interruptions: [{after: 3, goal: h, refutes: [p]}]
        """,
        {"E1": "stale", "E2": "void", "E3": "stale", "E9": "clean"},
        "goal_met",
    ),
    "a goal that is the current one refutes nothing": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: look}]
        interruptions: [{after: 1, goal: g, refutes: [p]}]
        """,
        {"E1": "clean", "E2": "clean"},
        "goal_met",
    ),
    "verdicts": (
        """
        goal: g
        steps:
          - {id: 1, tool: look}
          - {id: 2, tool: look}
          - {id: 3, tool: look}
          - {id: 4, tool: sum, args: {of: "#E3"}, depends_on: [3]}
          - {id: 5, tool: sum, args: {of: "#E4"}}
          - {id: 6, tool: look, assumes: [p], depends_on: []}
        planner:
          - steps: [{id: 9, tool: ask, args: {a: "#E1", b: "<#E2>", c: "#E5"}}]
            verdicts: {E1: keep, E2: convert, E3: discard, E5: keep, E6: keep, E99: keep}
        interruptions: [{after: 6, goal: h, refutes: [p]}]
        """,
        {"E1": "clean", "E2": "clean", "E3": "void", "E4": "void", "E5": "clean", "E6": "void", "E9": "clean"},
        "goal_met",
    ),
    "a verdict holds also for what is computed from it later": (
        """
        goal: g
        steps: [{id: 1, tool: look, assumes: [p, q]}, {id: 2, tool: ask, granularity: tail}]
        planner: [{steps: [{id: 2, tool: sum, args: {of: "#E1"}}], verdicts: {E1: keep}}]
        outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        {"E1": "clean", "E2": "clean"},
        "goal_met",
    ),
    "verdicts of a refused draft have no effect": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: ask}]
        planner:
          - {when: {type: semantic}, steps: [{id: 2, tool: ask, depends_on: [99]}], verdicts: {E1: discard}}
          - {steps: [{id: 2, tool: ask}]}
        outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
        """,
        {"E1": "clean", "E2": "clean"},
        "goal_met",
    ),
    "verdicts of an empty answer to a changed goal": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: look}, {id: 3, tool: ask}]
        planner: [{steps: [], verdicts: {E1: keep, E2: keep}}]
        interruptions: [{after: 2, goal: h}]
        """,
        {"E1": "clean", "E2": "clean"},
        "goal_met",
    ),
    "an empty answer to a changed goal that judges nothing": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: look}]
        planner: [{steps: []}]
        interruptions: [{after: 1, goal: h}]
        """,
        {"E1": "clean"},  # what is there will do
        "goal_met",
    ),
    "an empty answer keeps nothing that is stale for another reason, and overrules no verdict": (
        """
        goal: g
        assumptions: {p: premise, q: another}
        steps:
          - {id: 1, tool: look, depends_on: [], assumes: [p, q]}
          - {id: 2, tool: look, depends_on: []}
          - {id: 3, tool: look, depends_on: []}
        planner: [{steps: [], verdicts: {E2: discard}}]
        interruptions: [{after: 3, goal: h, refutes: [p]}]
        """,
        {"E1": "stale", "E2": "void", "E3": "clean"},
        "goal_met_with_gaps",
    ),
}


@pytest.mark.parametrize(("plan", "healths", "reason"), SESSIONS.values(), ids=SESSIONS)
def test_health_at_the_end(plan: str, healths: dict[str, str], reason: str) -> None:
    _, result = rehearse(plan)
    assert (health(result), result.reason) == (healths, reason)


READING = """
goal: g
steps:
  - {{id: 1, tool: look, assumes: [{assumes}]}}
  - {{id: 2, tool: ask, on_failure: skip}}
  - {{id: 3, tool: sum, args: {{of: "#E1", n: "<#E1>"}}, depends_on: [1], granularity: none}}
outcomes: [{{match: {{step: 2}}, returns: [{{status: shape, refutes: [p]}}]}}]
"""


def test_a_void_variable_is_not_read() -> None:
    _, result = rehearse(READING.format(assumes="p"))
    assert history(result)[-1] == "v1 3 failed 2-2 (missing_var: #E1: void)"
    assert (result.routes[-1].rule, result.warnings) == ("override", ())


def test_a_stale_variable_is_read_with_a_warning() -> None:
    events, result = rehearse(READING.format(assumes="p, q"))
    assert history(result)[-1] == "v1 3 done 2-3 sum:ok"
    assert result.history[-1].args == {"of": "ok", "n": "<ok>"}
    assert result.warnings == ("step 3 reads E1, which is stale",)
    assert [e.warnings for e in events if isinstance(e, StepStart)][-1] == result.warnings


def test_a_clean_one_is_read() -> None:
    _, result = rehearse(READING.format(assumes="q"))
    assert (history(result)[-1], result.warnings) == ("v1 3 done 2-3 sum:ok", ())


JUDGED = """
goal: g
steps:
  - {id: 1, tool: look, assumes: [p, q], produces: {rows: list}}
  - {id: 2, tool: sum, args: {of: "#E1"}, assumes: [r]}
  - {id: 3, tool: ask, granularity: tail}
planner:
  - {when: {error: first}, steps: [{id: 3, tool: ask, granularity: tail, args: {of: "#E1"}}], verdicts: {E1: keep}}
  - {steps: [{id: 3, tool: ask}], verdicts: {E2: discard}}
outcomes:
  - {match: {step: 1}, returns: [{status: ok, value: {rows: [1]}}]}
  - match: {step: 3}
    returns: [{status: shape, message: first, refutes: [p]}, {status: shape, message: second, refutes: [q]}, ok]
"""


def test_the_story_of_two_variables() -> None:
    events, result = rehearse(JUDGED)
    assert refusals(events) == []
    told = [(e.version, e.name, e.health, e.because, e.verdict) for e in events if isinstance(e, VariableHealth)]
    assert told == [
        ("v1", "E1", "stale", "p", None),
        ("v1", "E2", "stale", "p", None),
        ("v2", "E1", "clean", "verdict", "keep"),
        ("v2", "E1", "void", "q", None),
        ("v2", "E2", "void", "computed from E1", None),
    ]
    assert [(e.version, e.verdicts) for e in events if isinstance(e, PlanCommit)][1:] == [
        ("v2", {"E1": "keep"}),
        ("v3", {"E2": "discard"}),
    ]
    seen = {
        name: (v.value, v.health, v.assumptions, v.step_id, v.version, v.verdict)
        for name, v in result.variables.items()
    }
    assert seen == {
        "E1": ({"rows": [1]}, "void", ("p", "q"), "1", "v1", "keep"),
        "E2": ("ok", "void", ("r", "p", "q"), "2", "v1", None),
        "E3": ("ok", "clean", (), "3", "v3", None),
    }
