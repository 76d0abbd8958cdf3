"""Random sessions, stopped and taken up again: a raised limit leaves no trace, and whatever changes, the laws hold."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.plan.model import Granularity
from replanctl.replan.gates import REASONS, GateLimits
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.amendments import NewInputs
from replanctl.run.engine import Session
from replanctl.run.events import AnyEvent, Event, Gate, PlanCommit, SessionComplete, StepEnd
from replanctl.run.policy import Policy
from replanctl.run.resume import Cut, where_to_cut
from replanctl.script import ScriptedTools
from tests.properties.laws.accounts import ledger_lines_sum_to_the_totals
from tests.properties.laws.attempts import no_void_variable_is_read
from tests.properties.laws.health import health_follows_from_what_fell, variables_carry_what_they_rest_on
from tests.properties.laws.order import (
    no_step_starts_before_its_dependencies_ended,
    only_what_rests_on_a_lost_step_is_skipped,
    step_states_only_move_along_the_table,
    what_depends_on_a_lost_step_does_not_wait,
    what_is_in_flight_finishes_before_the_plan_changes,
)
from tests.properties.laws.plans import (
    every_dependency_is_in_the_plan,
    no_id_gets_a_second_meaning,
    no_removed_id_comes_back,
    nothing_done_is_executed_again,
    refuted_premises_are_dropped,
    versions_form_a_chain,
)
from tests.properties.laws.results import (
    events_are_numbered_and_time_goes_on,
    every_event_survives_json,
    gaps_are_those_of_the_final_version,
    history_has_a_row_for_every_ending,
    status_reason_and_hand_over_agree,
    the_reason_is_what_the_final_version_deserves,
    variables_are_those_of_done_steps,
    versions_hold_the_plan_as_it_was,
)
from tests.properties.rehearsals import of_seed
from tests.properties.run import Run

WIDE = GateLimits(
    per_step=6, max_replans=8, max_replan_tokens=100_000, max_steps=80, max_tool_calls=300, max_tokens=10**6,
    max_seconds=3000.0, max_repeat=4,
)  # fmt: skip
# Each gate's limit where it is to stop a session: below so much.
LOW = {"per_step": 2, "max_replans": 3, "max_replan_tokens": 2500, "max_steps": 10, "max_tool_calls": 14,
       "max_tokens": 4000, "max_seconds": 30, "max_repeat": 2}  # fmt: skip

Change_ = Callable[[], NewInputs]  # tools keep count: each session needs its own
Amended = tuple[int, Change_, bool]  # from which event on, what, and whether behind a stop


def events_of(rehearsal: Rehearsal, amended: Sequence[Amended] = ()) -> list[AnyEvent]:
    session = Session(
        rehearsal.plan,
        rehearsal.policy,
        tools=ScriptedTools(rehearsal.outcomes),
        replanner=ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None,
        interruptions=rehearsal.interruptions,
    )
    events: list[Any] = []
    told = session.events()
    while not events or not isinstance(events[-1], SessionComplete):
        for seq, change, behind_stop in amended:
            if seq == len(events):
                session.amend(change(), behind_stop=behind_stop)
        events.append(next(told))
        assert len(events) < 5000
    return events


def without_limits(events: Sequence[Event]) -> list[dict[str, Any]]:
    told = [msgspec.to_builtins(event) for event in events]
    return [{name: value for name, value in event.items() if name not in ("limit", "limits")} for event in told]


def test_a_raised_limit_leaves_no_trace() -> None:
    stops: Counter[str] = Counter()
    for seed in range(1500):
        dice, rehearsal = random.Random(seed), of_seed(seed)
        gate = dice.choice([name for name in REASONS if name != "per_step"])  # the breaker hands over, and leaves that
        low = dice.uniform(0, LOW[gate]) if gate == "max_seconds" else dice.randrange(gate == "max_repeat", LOW[gate])
        if gate == "max_seconds":  # a fallback that was tried instead of a wait that was too long has happened
            rehearsal = without_fallbacks(rehearsal)
        wide = replace(rehearsal, policy=replace(rehearsal.policy, gates=WIDE))
        tight = replace(wide, policy=replace(rehearsal.policy, gates=replace(WIDE, **{gate: low})))
        stopped = events_of(tight)
        if ending(stopped).reason != REASONS[gate]:
            continue
        cut = where_to_cut(stopped)
        if denied(stopped[: cut.seq]):  # a person's resume lifts that
            continue
        resumed = events_of(tight, [(cut.seq, lambda policy=wide.policy: NewInputs(policy), cut.behind_stop)])
        assert without_limits(resumed) == without_limits(events_of(wide)), f"seed {seed}, {gate} {low}"
        stops[gate] += 1
    assert stops.keys() >= REASONS.keys() - {"max_repeat", "per_step"}, stops  # few random planners go in circles


def test_what_the_breaker_gave_up_is_pending_again_once_its_limit_is_raised() -> None:
    """Whatever else ended the session, and wherever it was killed; under the limit it had it stays given up."""
    taken_up = 0
    for seed in range(1500):
        dice, rehearsal = random.Random(seed), of_seed(seed)
        tight = replace(rehearsal, policy=replace(rehearsal.policy, gates=replace(WIDE, per_step=dice.randrange(2))))
        stopped = events_of(tight)
        if ending(stopped).reason != "step_breaker":
            continue
        refused = [e for e in stopped if type(e) is Gate and e.gate == "per_step" and not e.admitted]
        first = {event.step_id for event in refused}
        events = stopped[: dice.randrange(refused[-1].seq + 1, len(stopped) + 1)]
        for gates in (WIDE, tight.policy.gates):
            policy = replace(tight.policy, gates=gates)
            cut = where_to_cut(events)
            resumed = events_of(tight, [(cut.seq, lambda policy=policy: NewInputs(policy), cut.behind_stop)])
            again = {step.id for e in resumed if type(e) is PlanCommit and e.cause == "resume" for step in e.steps}
            assert bool(again & first) is (gates is WIDE), f"seed {seed}"
            assert gates is WIDE or ending(resumed).reason == "step_breaker", f"seed {seed}"
        taken_up += 1
    assert taken_up > 10


def denied(events: Sequence[Event]) -> bool:
    return any(type(e) is StepEnd and any(a.status == "denied" for a in e.attempts) for e in events)


def ending(events: Sequence[AnyEvent]) -> SessionComplete:
    assert isinstance(events[-1], SessionComplete)
    return events[-1]


def without_fallbacks(rehearsal: Rehearsal) -> Rehearsal:
    tools = {name: replace(tool, fallback=()) for name, tool in (rehearsal.plan.tools or {}).items()}
    return replace(rehearsal, plan=replace(rehearsal.plan, tools=tools or None))


# Laws that hold across stretches, whatever policy, script and stop each of them had.
ACROSS = (
    events_are_numbered_and_time_goes_on, every_event_survives_json, every_dependency_is_in_the_plan,
    gaps_are_those_of_the_final_version, health_follows_from_what_fell, history_has_a_row_for_every_ending,
    ledger_lines_sum_to_the_totals, no_id_gets_a_second_meaning, no_removed_id_comes_back,
    no_step_starts_before_its_dependencies_ended, no_void_variable_is_read, nothing_done_is_executed_again,
    only_what_rests_on_a_lost_step_is_skipped, refuted_premises_are_dropped, status_reason_and_hand_over_agree,
    step_states_only_move_along_the_table, the_reason_is_what_the_final_version_deserves,
    variables_are_those_of_done_steps, variables_carry_what_they_rest_on, versions_form_a_chain,
    versions_hold_the_plan_as_it_was, what_depends_on_a_lost_step_does_not_wait,
    what_is_in_flight_finishes_before_the_plan_changes,
)  # fmt: skip


def changes(dice: random.Random, goal: str, policy: Policy) -> tuple[Change_, Policy, bool]:
    """What a person changes, the policy that holds then, and whether it routes again what a gate refused."""
    kind = dice.choice(["nothing", "outcomes", "goal", "same goal", "granularity", "limits"])
    if kind == "granularity":
        depth = dice.choice([Granularity.PATCH, Granularity.TAIL, Granularity.GLOBAL])
        policy = replace(policy, routing=replace(policy.routing, force=depth))
    if kind == "limits" or dice.random() < 0.3:
        policy = replace(policy, gates=WIDE)
    goals = {"goal": f"{goal}, and by tomorrow", "same goal": goal}
    tools = ScriptedTools if kind == "outcomes" else None

    def change() -> NewInputs:
        return NewInputs(policy, tools(()) if tools else None, goal=goals.get(kind))

    return change, policy, kind in ("goal", "same goal", "granularity")


def stretches(seed: int) -> Iterator[tuple[Run, list[AnyEvent], Cut]]:
    """A session that is stopped or killed, changed and taken up three times: each time how it went on, what it was
    before, and where that was cut."""
    dice, rehearsal = random.Random(seed), of_seed(seed)
    policy, amended, events = rehearsal.policy, [], events_of(rehearsal)
    for _ in range(3):
        since = amended[-1][0] if amended else 0
        if dice.random() < 0.3:
            events = events[: dice.randrange(since, len(events))]
        elif ending(events).status == "completed":
            return
        change, policy, reroute = changes(dice, rehearsal.plan.goal, policy)
        cut = where_to_cut(events, since=since, reroute=reroute)
        behind_stop = cut.behind_stop
        if amended and cut.seq == since:  # the last change had no effect yet
            behind_stop |= amended.pop()[2]
        amended.append((cut.seq, change, behind_stop))
        before, events = events, events_of(rehearsal, amended)
        yield Run(rehearsal, list(events), []), before, cut


@pytest.mark.parametrize("hundred", range(5))
def test_whatever_changes_the_laws_hold_and_what_happened_stays(hundred: int) -> None:
    taken_up = 0
    for seed in range(hundred * 100, hundred * 100 + 100):
        for went_on, before, cut in stretches(seed):
            taken_up += 1
            assert went_on.events[: cut.seq] == before[: cut.seq]
            assert [f"seed {seed}: {law.__name__}: {said}" for law in ACROSS for said in law(went_on)] == []
    assert taken_up > 100
