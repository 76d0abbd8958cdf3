"""The mock tools: what each status comes to, which rule answers, how long it takes, and what is counted."""

from __future__ import annotations

import pytest

from replanctl.files import Role, Source, parse_rehearsal
from replanctl.host.rehearse import session_of
from replanctl.run.fold import fold
from tests.rehearse import rehearse
from tests.run.telling import calls_again, ending, history, signals

ONE = "goal: g\nsteps: [{id: 1, tool: t, on_failure: skip%s}]\npolicy: {retry: {max_attempts: 1}}\n"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("ok", "done 0-1 t:ok"),
        ("timeout", "failed 0-30 t:timeout (environmental: timeout)"),
        ("rate_limited", "failed 0-1 t:rate_limited (environmental: rate_limited)"),
        ("unavailable", "failed 0-1 t:unavailable (environmental: unavailable)"),
        ("tool_error", "failed 0-1 t:tool_error (environmental: tool_error)"),
        ("shape", "failed 0-1 t:shape (assumption: shape)"),
        ("empty", "failed 0-1 t:empty (assumption: empty)"),
        ("semantic", "failed 0-1 t:semantic (semantic: semantic)"),
        ("denied", "failed 0-1 t:denied (permission: denied)"),
        ("error", "failed 0-1 t:error (unknown: error)"),
    ],
)
def test_what_each_status_comes_to(status: str, line: str) -> None:
    for written in (status, f"{{status: {status}}}"):
        _, result = rehearse(ONE % "", f"outcomes: [{{returns: [{written}]}}]")
        assert history(result) == [f"v1 1 {line}"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{status: shape, message: timeout or denied}", "assumption: timeout or denied"),
        ('{status: tool_error, message: "wrong shape, semantic"}', "environmental: wrong shape, semantic"),
        ("{status: error, message: no such permission}", "unknown: no such permission"),
        (f"{{status: error, message: {'x' * 300}}}", f"unknown: {'x' * 200}"),
        ("{status: ok, value: {rows: null}}", "assumption: rows: expected list, got null"),
        ("{status: ok, value: 3}", "assumption: no field named rows"),
    ],
)
def test_only_the_status_decides_the_class(entry: str, told: str) -> None:
    _, result = rehearse(ONE % ", produces: {rows: list}", f"outcomes: [{{returns: [{entry}]}}]")
    assert signals(result) == [f"v1 1 {told}"]


@pytest.mark.parametrize(
    ("produces", "value"),
    [
        ("", "ok"),
        (", produces: {rows: list, n: int, x: float}", {"rows": ["ok"], "n": 1, "x": 1.0}),
        (", produces: {s: str, b: bool, d: dict, a: any}", {"s": "ok", "b": True, "d": {"ok": True}, "a": "ok"}),
        (", produces: {rows: 'list?'}", {"rows": ["ok"]}),
    ],
)
def test_a_value_that_is_left_out_satisfies_the_contract(produces: str, value: object) -> None:
    _, result = rehearse(ONE % produces, "outcomes: [{returns: [ok]}]")
    assert (ending(result), result.variables["E1"].value) == ("completed goal_met 1s", value)


def test_without_outcomes_every_call_succeeds() -> None:
    _, result = rehearse("goal: g\nsteps: [{id: 1, tool: t}, {id: 2, tool: u, produces: {rows: list}}]")
    assert history(result) == ["v1 1 done 0-1 t:ok", "v1 2 done 1-2 u:ok"]


def test_one_entry_for_each_attempt_and_the_last_repeats() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 1, tool: t, on_failure: skip}, {id: 2, tool: t, depends_on: []}]
policy: {retry: {max_attempts: 2, backoff: 0}}
outcomes: [{match: {tool: t}, returns: [unavailable, rate_limited, tool_error, {status: ok, value: 4}]}]
"""
    )
    assert history(result) == [
        "v1 1 failed 0-2 t:unavailable t:rate_limited (environmental: rate_limited)",
        "v1 2 done 2-4 t:tool_error t:ok",
    ]


MATCHING = """
goal: g
steps:
  - {id: 1, tool: look, args: {vendor: A, deep: {x: 1, y: [1, 2]}}, on_failure: skip, depends_on: []}
  - {id: 2, tool: ask, args: {of: "#E1"}, on_failure: skip, depends_on: [1]}
"""


@pytest.mark.parametrize(
    ("match", "matched"),
    [
        ("", "1 2"),
        ("tool: look", "1"),
        ("step: 2", "2"),
        ("step: '2'", "2"),
        ("step: 2, tool: ask", "2"),
        ("step: 1, tool: ask", ""),
        ("args: {vendor: A}", "1"),
        ("args: {vendor: B}", ""),
        ("args: {deep: {x: 1}}", "1"),
        ("args: {deep: {y: [1, 2]}}", "1"),
        ("args: {deep: {y: [1]}}", ""),
        ("args: {deep: {x: true}}", ""),
        ("args: {of: ok}", "2"),  # as substituted
        ('args: {of: "#E1"}', ""),
        ("version: 1", "1 2"),
        ("version: v1", "1 2"),
        ("version: v2", ""),
        ("tool: look, version: 1, args: {}", "1"),
    ],
)
def test_a_rule_answers_the_calls_it_matches(match: str, matched: str) -> None:
    """The rule answers with a value of its own, so that it shows which steps it answered."""
    rules = f"{{match: {{{match}}}, returns: [{{status: ok, value: mine}}]}}, {{returns: [ok]}}"
    _, result = rehearse(MATCHING, f"outcomes: [{rules}]")
    assert [one.step_id for one in result.history if one.result == "mine"] == matched.split()


def test_the_first_rule_that_matches_wins_and_each_counts_its_own_attempts() -> None:
    _, result = rehearse(
        """
goal: g
steps:
  - {id: 1, tool: look, args: {vendor: A}, depends_on: []}
  - {id: 2, tool: look, args: {vendor: B}, depends_on: []}
  - {id: 3, tool: look, args: {vendor: A}, depends_on: []}
outcomes:
  - match: {args: {vendor: A}}
    returns: [{status: ok, value: a1}, {status: ok, value: a2}]
  - match: {tool: look}
    returns: [{status: ok, value: b1}, {status: ok, value: b2}]
"""
    )
    assert [one.result for one in result.history] == ["a1", "b1", "a2"]


@pytest.mark.parametrize(
    ("version", "values"),
    [("v1", ["mine"]), ("2", ["mine"]), ("v2", ["mine"]), ("v3", [])],
)
def test_a_rule_may_mean_one_version(version: str, values: list[str]) -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]",
        f"""
outcomes:
  - {{match: {{tool: b, version: 1}}, returns: [shape]}}
  - {{match: {{version: {version}}}, returns: [{{status: ok, value: mine}}, ok]}}
""",
    )
    assert [v.version for v in result.versions] == ["v1", "v2"]
    assert [one.result for one in result.history if one.result == "mine"] == values


def test_a_rule_for_a_step_means_whatever_replaced_it() -> None:
    """Step 3 is replaced by a new step of another id, and 4 likewise; the draws go on."""
    _, result = rehearse(
        """
goal: g
steps: [{id: 3, tool: look}, {id: 4, tool: use}]
planner:
  - when: {step: 3}
    steps: [{id: x, tool: look, args: {again: true}, replaces: 3}, {id: y, tool: use, replaces: 4}]
policy: {routing: {patch_radius: 0}}
outcomes:
  - {match: {step: 3}, returns: [shape, {status: ok, value: second}]}
  - {match: {step: 4}, returns: [{status: ok, value: fourth}]}
"""
    )
    assert [v.version for v in result.versions] == ["v1", "v2"]
    assert {name: v.value for name, v in result.variables.items()} == {"Ex": "second", "Ey": "fourth"}


def test_a_rule_for_a_later_step_does_not_mean_the_one_it_replaced() -> None:
    _, result = rehearse(
        """
goal: g
steps: [{id: 3, tool: look}]
planner: [{steps: [{id: x, tool: look, args: {again: true}}]}]
outcomes:
  - {match: {step: x}, returns: [{status: ok, value: mine}]}
  - {match: {step: 3}, returns: [shape]}
"""
    )
    assert history(result) == ["v1 3 failed 0-1 look:shape (assumption: shape)", "v2 x done 1-2 look:ok"]


def test_a_rule_for_a_step_means_it_while_it_uses_the_tool_it_had() -> None:
    """A fallback and an alternative get out of it; with the first tool again it counts on."""
    events, result = rehearse(
        """
goal: g
tools: {t: {fallback: f}, f: {}, other: {}}
steps:
  - id: 1
    tool: t
    alternatives: [{tool: other}, {tool: t}]
policy: {retry: {max_attempts: 1}, gates: {max_repeat: null}}
outcomes:
  - {match: {step: 1}, returns: [unavailable, {status: ok, value: t again}]}
  - {match: {tool: f}, returns: [shape]}
  - {match: {tool: other}, returns: [shape]}
"""
    )
    assert history(result) == [
        "v1 1 failed 0-2 t:unavailable f:shape (assumption: shape)",
        "v2 1 failed 2-3 other:shape (assumption: shape)",
        "v3 1 done 3-4 t:ok",
    ]
    assert (calls_again(events), result.variables["E1"].value) == (["1s f instead of t"], "t again")


def test_a_rule_that_names_step_and_tool_means_that_tool() -> None:
    _, result = rehearse(
        """
goal: g
tools: {t: {fallback: f}, f: {}}
steps: [{id: 1, tool: t}]
policy: {retry: {max_attempts: 1}}
outcomes:
  - {match: {step: 1, tool: f}, returns: [{status: ok, value: fallen back}]}
  - {match: {step: 1}, returns: [unavailable]}
"""
    )
    assert history(result) == ["v1 1 done 0-2 t:unavailable f:ok"]


def test_parallel_steps_draw_in_the_order_of_the_clock() -> None:
    """Both start at 0 and draw in list order; then 2 ends first and draws before 1 tries again."""
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: t, depends_on: []}
  - {id: 2, tool: t, depends_on: []}
outcomes:
  - returns:
      - {status: unavailable, latency: 5s}
      - {status: unavailable, latency: 1s}
      - {status: ok, value: third}
      - {status: ok, value: fourth}
"""
    )
    assert history(result) == ["v1 2 done 0-3 t:unavailable t:ok", "v1 1 done 0-7 t:unavailable t:ok"]
    assert [one.result for one in result.history] == ["third", "fourth"]


@pytest.mark.parametrize(
    ("tokens", "lines"),
    [
        ("", [("execution", 180, 180), ("retry", 200, 200)]),
        (", tokens: 7", [("execution", 180, 7), ("retry", 200, 200)]),
        (", tokens: 0", [("execution", 180, 0), ("retry", 200, 200)]),
    ],
)
def test_a_call_books_its_own_tokens_instead_of_the_coefficient(tokens: str, lines: list[tuple[str, int, int]]) -> None:
    _, result = rehearse(
        "goal: g\nsteps: [{id: 1, tool: t}]",
        f"outcomes: [{{returns: [{{status: unavailable{tokens}}}, ok]}}]",
    )
    assert [(x.kind, x.estimated, x.booked) for x in result.ledger.lines if x.kind != "planning"] == lines


def test_a_rule_that_was_never_used_is_a_warning_at_the_end() -> None:
    text = """goal: g
steps: [{id: 1, tool: t}]
outcomes:
  - {match: {tool: t}, returns: [ok]}
  - {match: {tool: t}, returns: [timeout]}
"""
    rehearsal = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])
    events = list(session_of(rehearsal, rehearsal.policy).events())
    assert fold(events).warnings == ("the outcome rule in line 5 was never used",)
    assert events[-1].warnings == ("the outcome rule in line 5 was never used",)  # type: ignore[attr-defined]


def test_the_same_inputs_give_the_same_events() -> None:
    text = MATCHING + "policy: {max_parallel: 2}\noutcomes: [{match: {step: 1}, returns: [timeout, shape]}]"
    assert rehearse(text) == rehearse(text)
