"""Tuning: what it says of a limit is what comes of running every limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import pytest

from replanctl.kinds import GateName
from replanctl.lab import Case, Facts, Stopped, Trial, Tuning, sweep_trials, tune, tune_trials, tuned_policy
from replanctl.run import Policy
from tests.lab.making import case, example, limited

STUBBORN = """\
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: write, args: {x: '#E1'}}]
outcomes: [{match: {tool: look}, returns: [shape, shape, shape, shape, shape, ok]}]
"""
SLOW = """\
goal: g
tools: {look: {fallback: peek}, peek: {}, write: {}}
steps: [{id: 1, tool: look}, {id: 2, tool: write, args: {x: '#E1'}}]
outcomes:
  - {match: {tool: look}, returns: [{status: timeout, latency: 7.25}, {status: rate_limited, retry_after: 12}, ok]}
"""

# A session and the limits under which a gate stops it.
STOPPED: list[tuple[Case, dict[str, Any]]] = [
    *((example(name), {gate: limit}) for name in ("pipeline", "vendors", "parallel", "goal-change", "premise")
      for gate, limit in (("max_steps", 1), ("max_steps", 4), ("max_replans", 0), ("max_tool_calls", 2))),
    *((example(name), {gate: limit}) for name in ("vendors", "render")
      for gate, limit in (("max_replan_tokens", 0), ("max_replan_tokens", 500), ("max_tokens", 900), ("per_step", 0))),
    (case(STUBBORN), {}),
    (case(STUBBORN), {"per_step": 1}),
    (case(STUBBORN), {"per_step": None, "max_replans": 2}),
    (case(STUBBORN), {"per_step": None, "max_repeat": 1, "max_steps": 3}),
    *((example(f"gates/{gate}"), {}) for gate in ("oscillation", "replan_budget", "session_token_budget",
      "step_breaker", "step_budget", "token_budget", "tool_call_budget")),
]  # fmt: skip


def facts_of(of: Case) -> Facts:
    (facts,) = sweep_trials([(of.rehearsal, tune_trials(of))])
    return facts


def first_that_completes(of: Case, gate: str, above: int, most: int) -> int | None:
    """By brute force: every limit above the one in force, one after the other."""
    limits = range(above + 1, most)
    trials = [Trial((str(limit),), policy=limited(of, **{gate: limit}).rehearsal.policy) for limit in limits]
    for limit, facts in zip(limits, sweep_trials([(of.rehearsal, trials)]), strict=True):
        if facts.completed:
            return limit
    return None


@pytest.mark.parametrize(("of", "limits"), STOPPED, ids=[f"{of.name}-{limits}" for of, limits in STOPPED])
def test_the_smallest_limit_is_that_of_brute_force(of: Case, limits: dict[str, Any]) -> None:
    of = limited(of, **limits)
    facts = facts_of(of)
    assert facts.stopped is not None
    gate, above = str(facts.stopped.gate), int(facts.stopped.limit or 0)
    most = int(facts.freed.limit) + 1 if facts.freed else above + 60
    found = first_that_completes(of, gate, above, most)
    assert found == (facts.freed and facts.freed.limit)
    if facts.freed:
        (after,) = sweep_trials([(of.rehearsal, [Trial((), policy=limited(of, **{gate: found}).rehearsal.policy)])])
        assert after.tokens - facts.tokens == facts.freed.tokens


def test_some_are_freed_and_some_are_not() -> None:
    freed = [facts_of(limited(of, **limits)).freed is not None for of, limits in STOPPED]
    assert freed.count(True) >= 15
    assert freed.count(False) >= 3


def test_time_is_found_to_the_millisecond() -> None:
    of = limited(case(SLOW), max_seconds=5)
    facts = facts_of(of)
    assert facts.freed is not None
    limit = facts.freed.limit
    assert facts_of(limited(of, max_seconds=limit)).completed
    assert not facts_of(limited(of, max_seconds=limit - 0.002)).completed


def every_session() -> Iterator[tuple[Case, Facts]]:
    for name in ("vendors", "pipeline", "parallel", "goal-change", "premise", "slips", "rewoo", "chinese"):
        of = example(name)
        yield of, facts_of(of)


@pytest.mark.parametrize("gate", list(GateName))
def test_what_a_session_needs_is_enough_and_not_less(gate: GateName) -> None:
    met = 0
    for of, facts in every_session():
        for need in facts.needs if facts.completed else ():
            if need.gate is gate and (need.limit or gate is not GateName.MAX_REPEAT):
                enough = max(need.limit, 1) if gate is GateName.MAX_REPEAT else need.limit
                assert facts_of(limited(of, **{gate: enough})).reason == facts.reason
                if need.limit >= 2 and gate is not GateName.MAX_SECONDS:
                    met += 1
                    assert gate in facts_of(limited(of, **{gate: need.limit - 1})).refused
    assert met or gate in (GateName.PER_STEP, GateName.MAX_REPEAT, GateName.MAX_SECONDS)


TWO_FAIL = """\
goal: g
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: ask, depends_on: []}
  - {id: 3, tool: write, depends_on: [2]}
outcomes:
  - {match: {tool: look}, returns: [shape, shape, shape, ok]}
  - {match: {tool: ask}, returns: [semantic, ok]}
"""


def test_the_breaker_of_one_step_is_told_although_the_rest_went_on() -> None:
    """The last gate that is asked is the step budget, at the replan of step 2 behind it."""
    facts = facts_of(limited(case(TWO_FAIL), per_step=1))
    assert (facts.reason, facts.stopped) == ("step_breaker", Stopped(GateName.PER_STEP, 1, 1))
    assert facts.freed is not None
    assert facts.freed.limit == 3


def test_exactly_at_the_limit_of_time_is_inside() -> None:
    of = case("goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]\n")
    for limit in (0.5, 1, 1.2345, 2.999):
        facts = facts_of(limited(of, max_seconds=limit))
        assert facts.freed is not None
        assert facts.freed.limit == 3.0


def test_a_session_that_nothing_else_would_end_is_not_run_without_end() -> None:
    text = STUBBORN.replace("[shape, shape, shape, shape, shape, ok]", "[shape]")
    lifted = dict.fromkeys(("per_step", "max_replan_tokens", "max_repeat", "max_steps"))
    facts = facts_of(limited(case(text), max_replans=2, **lifted))
    assert (facts.reason, facts.freed, facts.runs) == ("replan_budget", None, 2)


# What a session that completes asks for last and does not spend: (its plan, the gate, the limit that it needs).
ASKED: list[tuple[str, GateName, float]] = [
    # The last step's args can't be read: it makes no call, and is asked for one.
    (
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b, args: {x: '#E1.no'}, on_failure: skip}]\n",
        GateName.MAX_TOOL_CALLS,
        2,
    ),
    # The last call takes no time, and at the limit nothing begins.
    (
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}]\n"
        "outcomes: [{match: {step: 2}, returns: [{status: ok, latency: 0s}]}]\n",
        GateName.MAX_SECONDS,
        1.001,
    ),
    # The last call took fewer tokens than the coefficient that was asked for.
    (
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}]\n"
        "outcomes: [{match: {step: 2}, returns: [{status: ok, tokens: 10}]}]\n",
        GateName.MAX_TOKENS,
        280 + 180 + 180,
    ),
]


@pytest.mark.parametrize(("text", "gate", "needed"), ASKED, ids=[str(row[1]) for row in ASKED])
def test_what_was_asked_for_and_not_spent_is_needed(text: str, gate: GateName, needed: float) -> None:
    of = case(text)
    assert {need.gate: need.limit for need in facts_of(of).needs}[gate] == needed
    assert facts_of(limited(of, **{gate: needed})).completed
    less = needed - (0.001 if gate is GateName.MAX_SECONDS else 1)
    assert not facts_of(limited(of, **{gate: less})).completed


# -- a whole corpus ----------------------------------------------------------------------------------------------------


def tuned(*cases: Case, solved: dict[str, bool | None] | None = None) -> Tuning:
    return tune(sweep_trials((of.rehearsal, tune_trials(of)) for of in cases), solved)


def of_length(steps: int, fails: int, name: str) -> Case:
    """A chain whose first step fails so often, so that it takes steps + fails executions under tails."""
    chain = "".join(f"  - {{id: {n}, tool: t{n}}}\n" for n in range(1, steps + 1))
    script = f"outcomes: [{{match: {{step: 1}}, returns: [{', '.join(['shape'] * fails + ['ok'])}]}}]\n"
    return case(f"goal: g\nsteps:\n{chain}{script}", name)


def test_no_limit_is_proposed_that_stops_what_completes_now() -> None:
    short = limited(of_length(4, 3, "short"), max_steps=6)
    long = of_length(15, 2, "long")  # completes under its own default, which is larger than what frees the short one
    (gate,) = (gate for gate in tuned(short, long).gates if gate.gate is GateName.MAX_STEPS)
    needed = next(need.limit for need in facts_of(long).needs if need.gate is GateName.MAX_STEPS)
    assert gate.stopped == ("short",)
    assert gate.would_finish[0].limit < needed
    assert gate.proposed == needed
    now, frees_short, proposed = gate.curve
    assert (now.limit, now.completed) == (None, 1)
    assert (frees_short.completed, proposed.completed, proposed.proposed) == (1, 2, True)
    policy, comments = tuned_policy(Policy(), tuned(short, long))
    assert policy.gates.max_steps == needed
    until = "until now 6 to 30 (each rehearsal has its own)"
    assert comments == {
        "max_steps": f"frees 1 of the 1 it stopped, of 2 sessions; {until}; fewer than five decide little"
    }
    assert all(facts_of(Case("", of.rehearsal)).completed for of in (limited(short, max_steps=needed), long))


def test_recorded_truth_decides_what_is_worth_freeing() -> None:
    cases = [limited(of_length(4, fails, str(fails)), max_replans=0, per_step=None) for fails in (1, 2, 3)]
    solved = {"1": True, "2": True, "3": False}
    found = tuned(*cases, solved=solved)
    (gate,) = (gate for gate in found.gates if gate.gate is GateName.MAX_REPLANS)
    assert [(one.case, one.limit) for one in gate.would_finish] == [("1", 1), ("2", 2), ("3", 3)]
    assert (gate.solved_when_recorded, gate.worth_freeing, gate.proposed, gate.by_few) == (2, 2, 2, True)
    assert [(level.limit, level.frees) for level in gate.levels] == [(1, 1), (2, 2), (3, 3)]
    assert [(s.hits, s.trials) for s in (found.stop_rate, found.could_finish, found.wrongly_stopped)] == [
        (3, 3),
        (3, 3),
        (2, 3),
    ]


def test_a_recording_that_solved_its_task_counts_although_no_limit_frees_its_session() -> None:
    never = limited(case(STUBBORN.replace(", ok]", "]"), "never"), max_replans=1, per_step=None)
    soon = limited(of_length(4, 1, "soon"), max_replans=0)
    found = tuned(never, soon, solved={"never": True, "soon": True})
    (gate,) = (gate for gate in found.gates if gate.gate is GateName.MAX_REPLANS)
    assert (gate.stopped, [one.case for one in gate.would_finish]) == (("never", "soon"), ["soon"])
    assert (gate.solved_when_recorded, gate.solved, found.wrongly_stopped.hits) == (2, ("never", "soon"), 2)


def test_a_corpus_that_nothing_stops() -> None:
    found = tuned(example("vendors"), example("rewoo"))
    assert (found.sessions, found.runs, found.stop_rate.hits) == (2, 2, 0)
    assert [gate.proposed for gate in found.gates] == [None] * len(GateName)
    assert tuned_policy(Policy(), found) == (Policy(), {})


def test_only_stopped_sessions_are_kept() -> None:
    """Facts may stream without end: here a thousand of a generator that keeps none."""
    of = example("vendors")
    (one,) = sweep_trials([(of.rehearsal, tune_trials(of))])
    found = tune(islice((one for _ in count()), 1000))
    assert (found.sessions, found.completed) == (1000, 1000)


def held(tuning: Tuning, gate: GateName) -> tuple[tuple[Any, Any], str]:
    """What is said of a gate's limits in force: their span, and the rule that they follow."""
    (found,) = (one for one in tuning.gates if one.gate is gate)
    return found.limits, found.rule


def test_limits_in_force_are_those_of_all_sessions_and_the_rule_that_they_follow() -> None:
    found = tuned(limited(of_length(4, 9, "short"), per_step=None, max_replans=99), of_length(15, 2, "long"))
    (gate,) = (gate for gate in found.gates if gate.gate is GateName.MAX_STEPS)
    assert gate.stopped == ("short",)  # under its 12, while the long one has 30
    assert held(found, GateName.MAX_STEPS) == ((12, 30), "12, or twice the steps of v1 where that is more")
    assert held(found, GateName.PER_STEP) == ((3, None), "")
    assert held(found, GateName.MAX_REPLAN_TOKENS) == ((20_000, 20_000), "")
    assert held(found, GateName.MAX_TOKENS) == ((None, None), "")
    _, comments = tuned_policy(Policy(), found)
    assert comments["max_steps"] == (
        "frees 1 of the 1 it stopped, of 2 sessions; until now 12 to 30 "
        "(12, or twice the steps of v1 where that is more); fewer than five decide little"
    )


def test_a_limit_that_some_state_follows_no_rule() -> None:
    found = tuned(limited(of_length(4, 3, "short"), max_steps=6), of_length(15, 2, "long"))
    assert held(found, GateName.MAX_STEPS) == ((6, 30), "")
