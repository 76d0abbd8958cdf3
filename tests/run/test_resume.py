"""Where a stopped session is cut, what a change means between two events, and which call was cut off."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.errors import UsageError
from replanctl.files import Role, Source, parse_rehearsal
from replanctl.plan.model import Plan, Step, Tool
from replanctl.replan.gates import GateLimits
from replanctl.run.accounts import doubts
from replanctl.run.amendments import NewInputs
from replanctl.run.engine import Session
from replanctl.run.events import AnyEvent, StepEnd, StepStart
from replanctl.run.policy import Policy
from replanctl.run.resume import Cut, call_cut_off, where_to_cut
from replanctl.run.tools import CUT_OFF, Call, Outcome
from replanctl.script import ScriptedTools
from tests.rehearse import rehearse

# Step 2 fails twice; 1 and 2 may run side by side, 3 comes after both.
PLAN = """
goal: g
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: []}
  - {id: 3, tool: c, depends_on: [1, 2]}
outcomes:
  - {match: {tool: a}, returns: [{status: ok, latency: 4s}]}
  - {match: {tool: b}, returns: [shape, shape, ok]}
"""


def events_under(gates: dict[str, Any], **policy: Any) -> list[AnyEvent]:
    events, _ = rehearse(PLAN, gates=GateLimits(**gates), **policy)
    return events  # type: ignore[return-value]


# The gates and the policy, whether the last failure is routed again, where the session is cut, the last event kept.
CUTS: list[tuple[dict[str, Any], dict[str, Any], bool, Cut, str]] = [
    ({"max_replans": 1}, {}, False, Cut(25), "gate"),
    ({"max_replans": 1}, {}, True, Cut(26, True), "gate"),
    ({"max_steps": 4}, {}, False, Cut(20), "step.start"),
    ({"max_steps": 4}, {}, True, Cut(31, True), "gate"),
    ({"max_steps": 0}, {}, False, Cut(3), "ledger"),
    ({"max_steps": 0}, {}, True, Cut(3), "ledger"),
    ({"max_tool_calls": 1}, {}, False, Cut(4), "step.start"),
    ({"max_tool_calls": 1}, {"max_parallel": 2}, False, Cut(4), "step.start"),
    ({"max_seconds": 4}, {}, False, Cut(5), "step.end"),
    ({"max_seconds": 2}, {}, False, Cut(4), "step.start"),
    ({"max_seconds": 2}, {"max_parallel": 2}, False, Cut(4), "step.start"),
]


@pytest.mark.parametrize(("gates", "policy", "reroute", "cut", "last"), CUTS, ids=lambda value: str(value)[:30])
def test_where_a_gate_s_stop_is_cut(
    gates: dict[str, Any], policy: dict[str, Any], reroute: bool, cut: Cut, last: str
) -> None:
    events = events_under(gates, **policy)
    assert where_to_cut(events, reroute=reroute) == cut
    assert type(events[cut.seq - 1]).__struct_config__.tag == last
    unfinished = events[:-1]  # killed before it could say that it was over
    assert where_to_cut(unfinished, reroute=reroute) == cut


@pytest.mark.parametrize("reroute", [False, True])
@pytest.mark.parametrize("third", ["[1, 2]", "[1]"])
def test_the_breaker_s_check_is_not_made_again(third: str, reroute: bool) -> None:
    """It hands its step over; what is skipped for that, if anything, comes behind it."""
    events, _ = rehearse(PLAN.replace("[1, 2]", third), gates=GateLimits(per_step=0))
    told: Any = events
    assert where_to_cut(told, reroute=reroute) == Cut(len(events) - 1, behind_stop=True)
    assert [where_to_cut(told[:seq], reroute=reroute) for seq in (10, 11)] == [Cut(10), Cut(11)]


def test_what_came_before_the_session_was_taken_up_stays() -> None:
    events = events_under({"max_steps": 4})
    assert [where_to_cut(events, since=since) for since in (6, 25, 30)] == [Cut(20), Cut(25), Cut(30)]
    assert where_to_cut(events, since=31) == Cut(31, behind_stop=True)


def test_any_other_stop_is_taken_up_behind_it_and_a_killed_session_at_its_end() -> None:
    escalated, _ = rehearse(PLAN.replace("shape, shape, ok", "denied"))
    assert where_to_cut(escalated) == Cut(len(escalated) - 1, behind_stop=True)
    assert [where_to_cut(escalated[:seq]) for seq in (0, 1, 7)] == [Cut(0), Cut(1), Cut(7)]


def test_a_completed_session_is_not_cut() -> None:
    with pytest.raises(UsageError, match="nothing to resume"):
        where_to_cut(events_under({}))


# A call is under way from the beginning to the 20th second; at 4 s the session is given another time.
LONG = """
goal: g
steps:
  - {id: 1, tool: a, depends_on: []}
  - {id: 2, tool: b, depends_on: []}
policy: {max_parallel: 2, gates: {max_seconds: 10}}
outcomes:
  - {match: {tool: a}, returns: [{status: ok, latency: 4s}]}
  - {match: {tool: b}, returns: [{status: ok, latency: 20s}]}
"""


@pytest.mark.parametrize(
    ("seconds", "ends", "state"),
    [(10.0, 10.0, "failed"), (15.0, 15.0, "failed"), (20.0, 20.0, "done"), (None, 20.0, "done"), (1.0, 4.0, "failed")],
)
def test_another_time_limit_holds_for_calls_under_way(seconds: float | None, ends: float, state: str) -> None:
    rehearsal = parse_rehearsal([Source("plan.yaml", Role.PLAN, LONG)])
    session = Session(rehearsal.plan, rehearsal.policy, tools=ScriptedTools(rehearsal.outcomes))
    ended = []
    for event in session.events():
        if isinstance(event, StepEnd):
            ended.append((event.step_id, event.at, event.state, event.attempts[0].latency))
            session.amend(NewInputs(Policy(max_parallel=2, gates=GateLimits(max_seconds=seconds))))
    assert ended == [("1", 4.0, "done", 4.0), ("2", ends, state, ends)]


def test_the_call_that_was_cut_off_is_the_one_that_began_last() -> None:
    events, _ = rehearse(PLAN + "tools: {a: {idempotent: false}, b: {idempotent: false}, c: {}}")
    begun = {seq: call for seq in range(len(events)) if (call := cut_off(events[:seq]))}  # type: ignore[arg-type]
    assert begun == {4: ("1", 1, 1), 6: ("2", 1, 1)}


def cut_off(events: list[AnyEvent]) -> Any:
    return call_cut_off(events, doubts(events, broken_off=True))


class Answers:
    """Tools that remember which attempts were made."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def call(self, call: Call) -> Outcome:
        self.made.append(call.attempt)
        return Outcome(value="heard")


@pytest.mark.parametrize(("idempotent", "made"), [(True, [1]), (False, [])])
def test_only_an_unsafe_call_that_was_cut_off_is_not_made_again(idempotent: bool, made: list[int]) -> None:
    answers, plan = Answers(), Plan.of("g", [Step("2", "b")], tools={"b": Tool(idempotent=idempotent)})
    session, ended = Session(plan, tools=answers), []
    for event in session.events():
        if isinstance(event, StepStart):
            session.amend(NewInputs(cut_off=("2", 1, 1)))
        elif isinstance(event, StepEnd):
            ended.append((event.state, event.error.error_msg if event.error else "", event.value))
    assert answers.made == made
    assert ended[0] == (("done", "", "heard") if idempotent else ("failed", CUT_OFF, None))
