"""A call of a tool with `idempotent: false` that acted, or may have, is not made again, whoever comes to it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from replanctl.run.events import Event, PlanRejected
from replanctl.run.result import SessionResult
from tests.rehearse import rehearse
from tests.run.telling import ending, history, routes, states

TOOLS = "tools: {mail: {idempotent: false, timeout: 5s}, wire: {idempotent: false}, ask: {}, sum: {}}"
NOT_AGAIN = "not made again: mail acts only once, and step"


def made(result: SessionResult, tool: str = "mail") -> int:
    """How often a tool was called."""
    return sum(attempt.tool == tool for row in result.history for attempt in row.attempts)


def refusals(events: Iterable[Event]) -> list[str]:
    """Why drafts were refused."""
    return [reason for event in events if isinstance(event, PlanRejected) for reason in event.reasons]


# -- retries, fallbacks, and how a failure is routed -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "calls", "route"),
    [
        ("rate_limited", "mail:rate_limited mail:rate_limited ask:ok", None),
        ("unavailable", "mail:unavailable mail:unavailable ask:ok", None),
        ("timeout", "mail:timeout", "environmental radius 0 environmental"),
        ("lost", "mail:lost", "environmental radius 0 environmental"),
        ("tool_error", "mail:tool_error", "environmental radius 0 environmental"),
        ("{status: rate_limited, latency: 9s}", "mail:timeout", "environmental radius 0 environmental"),
        ("error", "mail:error", "unknown radius 0 may-have-happened"),
        ("denied", "mail:denied", "permission radius 0 permission"),
    ],
)
def test_it_is_tried_again_only_after_what_says_that_it_did_not_act(status: str, calls: str, route: str | None) -> None:
    _, result = rehearse(
        "goal: g\ntools: {mail: {idempotent: false, timeout: 5s, fallback: ask}, ask: {}}\n"
        "steps: [{id: 1, tool: mail}]\npolicy: {retry: {max_attempts: 2}}",
        f"outcomes: [{{match: {{tool: mail}}, returns: [{status}]}}]",
    )
    (row,) = result.history
    assert " ".join(f"{attempt.tool}:{attempt.status}" for attempt in row.attempts) == calls
    assert routes(result) == ([f"v1 1 {route} → none"] if route else [])
    doubtful = "idempotent" in " ".join(result.warnings)
    assert doubtful is (status not in ("rate_limited", "unavailable", "denied"))
    assert result.reason == ("escalated" if route else "goal_met")


def test_an_error_of_a_tool_that_may_be_called_again_is_replanned_as_ever() -> None:
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 1, tool: ask}}]", "outcomes: [{match: {version: 1}, returns: [error]}]"
    )
    assert (routes(result), result.reason) == (["v1 1 unknown radius 0 small-radius → patch"], "goal_met")


def test_a_fallback_that_acts_once_is_judged_by_its_own_tool() -> None:
    _, result = rehearse(
        "goal: g\ntools: {ask: {fallback: mail}, mail: {idempotent: false}}\nsteps: [{id: 1, tool: ask}]\n"
        "policy: {retry: {max_attempts: 2}}",
        "outcomes: [{match: {tool: ask}, returns: [unavailable]}, {match: {tool: mail}, returns: [error]}]",
    )
    assert history(result) == ["v1 1 failed 0-4 ask:unavailable ask:unavailable mail:error (unknown: error)"]
    assert routes(result) == ["v1 1 unknown radius 0 may-have-happened → none"]


# -- which step's call counts for whom -------------------------------------------------------------------------------

FIRST = "{id: 1, tool: mail, args: {to: a}, on_failure: skip}"


def after(drafted: str, *, first: str = FIRST, returns: str = "ok", more: str = "", tool: str = "ask") -> SessionResult:
    """v1 mails, then a step fails and a planner drafts another one."""
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{first}, {{id: 2, tool: {tool}, depends_on: []}}{more}]\n"
        f"planner: [{{when: {{type: assumption}}, steps: [{{id: 2, tool: sum}}, {drafted}]}}, {{otherwise: give_up}}]",
        f"outcomes: [{{match: {{step: 1}}, returns: [{returns}]}},"
        " {match: {step: 2, version: 1}, returns: [shape]}]",
    )
    return result


@pytest.mark.parametrize(
    ("drafted", "returns", "line"),
    [
        # an answer that will do is taken
        ("{id: 9, tool: mail, args: {to: a}, action: mail again}", "{status: ok, value: 7}", "v2 9 done 3-3"),
        ("{id: 9, tool: mail, args: {to: b}}", "{status: ok, value: 7}", "v2 9 done 3-4 mail:ok"),
        ("{id: 9, tool: wire, args: {to: a}}", "{status: ok, value: 7}", "v2 9 done 3-4 wire:ok"),
        # meant to be made once more
        ("{id: 9, tool: mail, args: {to: a}, again: true}", "{status: ok, value: 7}", "v2 9 done 3-4 mail:ok"),
        ("{id: 9, tool: mail, args: {to: a}, again: true}", "semantic", "v2 9 done 3-4 mail:ok"),
        # a call that did not act is made
        ("{id: 9, tool: mail, args: {to: a}}", "unavailable, unavailable, unavailable, ok", "v2 9 done 8-9 mail:ok"),
    ],
)
def test_what_a_draft_adds_is_made_unless_it_was(drafted: str, returns: str, line: str) -> None:
    result = after(drafted, returns=returns)
    assert history(result)[-1] == line
    assert result.reason in ("goal_met", "goal_met_with_gaps")


@pytest.mark.parametrize(
    ("drafted", "returns", "why"),
    [
        ("{id: 9, tool: mail, args: {to: a}}", "shape", "call took effect"),
        ("{id: 9, tool: mail, args: {to: a}}", "empty", "call took effect"),
        ("{id: 9, tool: mail, args: {to: a}}", "semantic", "call took effect"),
        (
            "{id: 9, action: x, tool: mail, args: {to: a}, produces: {n: int}}",
            "{status: ok, value: 7}",
            "call took effect",
        ),
        ("{id: 9, tool: mail, args: {to: a}}", "timeout", "call may have"),
        ("{id: 9, tool: mail, args: {to: a}}", "lost", "call may have"),
        ("{id: 9, tool: mail, args: {to: a}}", "tool_error", "call may have"),
        ("{id: 9, tool: mail, args: {to: a}}", "error", "call may have"),
        ("{id: 9, tool: mail, args: {to: a}, again: true}", "error", "call may have"),
        ("{id: 9, tool: mail, args: {to: a}, again: true}", "lost", "call may have"),
    ],
)
def test_a_draft_with_a_call_that_is_not_made_again_is_refused(drafted: str, returns: str, why: str) -> None:
    result = after(drafted, returns=returns)
    assert (result.reason, result.lessons[-1].error_type) == ("no_plan", "invalid_draft")
    text = f"step 9 makes a call of mail that is {NOT_AGAIN} 1's {why}"
    assert text in result.lessons[-1].text


@pytest.mark.parametrize(
    ("second", "line"),
    [
        ("{id: 3, tool: mail, args: {to: a}}", "v1 3 done 2-3 mail:ok"),  # v1 lists the call twice: they are two
        ("{id: 3, tool: mail, args: {to: '#E2'}, depends_on: [2]}", "v1 3 done 2-3 mail:ok"),
    ],
)
def test_what_v1_lists_twice_is_two_calls(second: str, line: str) -> None:
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{FIRST}, {{id: 2, tool: ask}}, {second}]",
        "outcomes: [{match: {tool: ask}, returns: [{status: ok, value: a}]}]",
    )
    assert history(result)[-1] == line
    assert result.effects[0].times == made(result) == 2


def test_what_a_drafts_step_did_counts_for_all() -> None:
    """Step 1 did not act as v1 has it; the patched one did, and v1's step 3 has the same call."""
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps:\n"
        "  - {id: 1, tool: mail, args: {to: a}, granularity: patch}\n"
        "  - {id: 3, tool: mail, args: {to: a}}\n",
        "outcomes: [{match: {version: 1}, returns: [unavailable]}]",
        "{policy: {retry: {max_attempts: 1}}}",
    )
    assert history(result)[1:] == ["v2 1 done 1-2 mail:ok", "v2 3 done 2-2"]
    assert result.warnings == (
        "no-progress: step 1 makes the same call again",
        "taken from step 1: mail acts only once",
    )


def test_a_step_that_a_draft_changed_is_not_v1s_any_more() -> None:
    """Step 3 is listed again under its id with another action: what v1's step 1 did counts for it now."""
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{FIRST}, {{id: 2, tool: ask}}, {{id: 3, tool: mail, args: {{to: a}}}}]\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 3, tool: mail, args: {to: a}, action: mail it}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]",
    )
    assert (history(result)[-1], made(result)) == ("v2 3 done 3-3", 1)


# -- taken -----------------------------------------------------------------------------------------------------------


def test_a_taken_answer_costs_nothing_but_an_execution() -> None:
    result = after("{id: 9, tool: mail, args: {to: a}, action: mail again}", returns="{status: ok, value: 7}")
    row = result.history[-1]
    assert (row.step_id, row.status, row.result, row.attempts, row.started, row.ended) == ("9", "done", 7, (), 3, 3)
    assert result.variables["E9"].value == 7
    assert [line for line in result.ledger.lines if line.step_id == "9"] == []
    assert result.effects[0].times == 1
    assert result.warnings == ("taken from step 1: mail acts only once",)


def test_it_rests_on_what_the_answer_rested_on_and_has_its_health() -> None:
    _, result = rehearse(
        f"goal: g\nassumptions: {{p: p, q: q}}\n{TOOLS}\nsteps:\n"
        "  - {id: 1, tool: mail, args: {to: a}, assumes: [p, q]}\n"
        "  - {id: 2, tool: ask}\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 9, tool: mail, args: {to: a}, action: again}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [q]}]}]",
        "policy: {routing: {overrides: {'2': patch}}}",
    )
    taken = result.variables["E9"]
    assert (taken.health, taken.assumptions, taken.version) == ("stale", ("p", "q"), "v2")
    assert result.reason == "goal_met_with_gaps"


def test_a_void_answer_is_not_taken() -> None:
    events, result = rehearse(
        f"goal: g\nassumptions: {{p: p}}\n{TOOLS}\nsteps:\n"
        "  - {id: 1, tool: mail, args: {to: a}, assumes: [p]}\n"
        "  - {id: 2, tool: ask}\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 9, tool: mail, args: {to: a}, action: again}]},"
        " {otherwise: give_up}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}]",
        "policy: {routing: {overrides: {'2': patch}}}",
    )
    assert refusals(events)[0] == f"step 9 makes a call of mail that is {NOT_AGAIN} 1's call took effect"
    assert made(result) == 1


def test_an_answer_that_broke_the_contract_of_another_step_will_do_where_it_keeps_this_ones() -> None:
    result = after(
        "{id: 9, tool: mail, args: {to: a}}",
        first="{id: 1, tool: mail, args: {to: a}, produces: {n: int}, on_failure: skip}",
        returns="{status: ok, value: 7}",
    )
    assert (history(result)[-1], result.variables["E9"].value) == ("v2 9 done 3-3", 7)


# -- at the call -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returns", "line"),
    [
        ("{status: ok, value: 7}", "v1 3 done 3-3"),
        ("semantic", f"v1 3 failed 3-3 (permission: {NOT_AGAIN} 8's call took effect)"),
        ("error", f"v1 3 failed 3-3 (permission: {NOT_AGAIN} 8's call may have)"),
    ],
)
def test_a_step_that_comes_to_it_does_not_make_it(returns: str, line: str) -> None:
    """Step 3 is v1's and pending while a draft's step 8 makes its call."""
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 2, tool: ask}}, {{id: 3, tool: mail, args: {{to: a}}, on_failure: skip}}]\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 8, tool: mail, args: {to: '#E2'}, on_failure: skip}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}, {match: {tool: sum},"
        f" returns: [{{status: ok, value: a}}]}}, {{match: {{step: 8}}, returns: [{returns}]}}]",
        "policy: {routing: {overrides: {'2': patch}}}",
    )
    assert history(result)[-1] == line.replace("v1", "v2")
    assert made(result) == 1


def test_a_step_waits_for_its_call_in_flight_while_others_start() -> None:
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 2, tool: ask}}]\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 7, tool: mail, depends_on: []},"
        " {id: 8, tool: mail, action: again, depends_on: []}, {id: 9, tool: ask, depends_on: []}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]},"
        " {match: {step: 7}, returns: [unavailable, {status: ok, latency: 3s}]}]",
        "policy: {max_parallel: 3}",
    )
    assert history(result)[1:] == [
        "v2 2 done 1-2 sum:ok",
        "v2 9 done 1-2 ask:ok",
        "v2 7 done 1-6 mail:unavailable mail:ok",
        "v2 8 done 6-6",
    ]


def test_a_call_in_flight_that_comes_to_nothing_is_made_by_the_one_that_waited() -> None:
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 2, tool: ask}}]\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 7, tool: mail, depends_on: [], on_failure: skip},"
        " {id: 8, tool: mail, action: again, depends_on: []}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}, {match: {step: 7}, returns: [unavailable]}]",
        "policy: {max_parallel: 3, retry: {max_attempts: 2}}",
    )
    assert history(result)[2:] == [
        "v2 7 failed 1-4 mail:unavailable mail:unavailable (environmental: unavailable)",
        "v2 8 done 4-5 mail:ok",
    ]


def test_a_fallback_call_that_is_not_made_again_is_passed_over() -> None:
    _, result = rehearse(
        "goal: g\ntools: {mail: {idempotent: false}, ask: {fallback: [mail, sum]}, sum: {}, look: {}}\n"
        "steps: [{id: 1, tool: mail, args: {to: a}}, {id: 2, tool: look}]\n"
        "planner: [{steps: [{id: 2, tool: sum}, {id: 9, tool: ask, args: {to: a}}]}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}, {match: {tool: ask}, returns: [unavailable]}]",
        "policy: {retry: {max_attempts: 1}}",
    )
    assert history(result)[-1] == "v2 9 done 3-5 ask:unavailable sum:ok"


def test_again_is_good_for_one_answered_call() -> None:
    """Made once more it is answered with the wrong thing; the patch of the template does not make it a third time."""
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 2, tool: ask}}]\n"
        "planner: [{when: {type: assumption}, steps: [{id: 2, tool: sum}, {id: 7, tool: mail, args: {to: a}},"
        " {id: 9, tool: mail, args: {to: a}, again: true}]}, {otherwise: template}]",
        "outcomes: [{match: {step: 2, version: 1}, returns: [shape]}, {match: {step: 9}, returns: [semantic, ok]}]",
        "policy: {routing: {overrides: {'9': patch}}}",
    )
    assert made(result) == 2
    assert history(result)[-1] == "v2 9 failed 3-4 mail:semantic (semantic: semantic)"
    assert ending(result) == "failed escalated 4s"


# -- drafts ----------------------------------------------------------------------------------------------------------


def test_a_global_takes_what_was_mailed() -> None:
    """The template's copy of a done step does not mail again, whether its args hold a reference or not."""
    _, result = rehearse(
        f"goal: g\nassumptions: {{p: p, q: q}}\n{TOOLS}\nsteps:\n"
        "  - {id: 1, tool: ask, assumes: [p, q]}\n"
        "  - {id: 2, action: send the bill, tool: mail, args: {to: a}, depends_on: []}\n"
        "  - {id: 3, action: send the copy, tool: mail, args: {to: '#E1'}, depends_on: [1]}\n"
        "  - {id: 4, tool: sum}\n",
        "outcomes: [{match: {step: 4, version: 1}, returns: [{status: shape, refutes: [p]}]},"
        " {match: {tool: ask}, returns: [{status: ok, value: x}]}]",
    )
    assert routes(result) == ["v1 4 assumption radius 0 premise-overturned → global"]
    assert made(result) == 2
    assert [row.times for row in result.effects if row.tool == "mail"] == [1, 1]
    assert result.warnings == (
        "taken from step 2: mail acts only once",
        "step 7 does again what step 3 did (send the copy), with args that can't be read yet: mail acts on the world",
        "no-progress: step 8 makes the same call as step 4 again",
        "taken from step 3: mail acts only once",
    )


@pytest.mark.parametrize(
    ("drafted", "warned"),
    [
        ("{id: 9, tool: mail, args: {to: b}, action: send the bill}", "other args"),
        ("{id: 9, tool: mail, args: {to: '#E2'}, action: send the bill}", "args that can't be read yet"),
        ("{id: 9, tool: mail, args: {to: b}, action: send the bill, again: true}", ""),
        ("{id: 9, tool: mail, args: {to: b}, action: send the copy}", ""),
        ("{id: 9, tool: wire, args: {to: b}, action: send the bill}", ""),
        ("{id: 9, tool: mail, args: {to: b}}", ""),
    ],
)
def test_an_action_that_is_done_and_drafted_with_other_args_is_a_warning(drafted: str, warned: str) -> None:
    result = after(drafted, first="{id: 1, tool: mail, args: {to: a}, action: send the bill}")
    text = f"step 9 does again what step 1 did (send the bill), with {warned}: mail acts on the world"
    assert result.warnings == ((text,) if warned else ())


@pytest.mark.parametrize("status", ["shape", "semantic", "error", "timeout"])
@pytest.mark.parametrize("granularity", ["patch", "tail", "global"])
def test_the_template_hands_over_a_step_that_it_could_only_call_again(status: str, granularity: str) -> None:
    events, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 1, tool: mail}}, {{id: 2, tool: ask, depends_on: []}}]\n"
        f"policy: {{routing: {{overrides: {{'1': {granularity}}}}}}}",
        f"outcomes: [{{match: {{tool: mail}}, returns: [{status}, ok]}}]",
    )
    assert (len(refusals(events)), made(result)) == (1, 1)
    assert ending(result).startswith("failed escalated")
    assert states(result) == "1 failed, 2 done"


def test_it_has_another_way() -> None:
    _, result = rehearse(
        f"goal: g\n{TOOLS}\nsteps: [{{id: 1, tool: mail, alternatives: [{{tool: ask}}]}}]",
        "outcomes: [{match: {tool: mail}, returns: [semantic, ok]}]",
    )
    assert history(result)[-1] == "v2 1 done 1-2 ask:ok"
    assert result.reason == "goal_met"
