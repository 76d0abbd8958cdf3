"""Where a stopped session is taken up again: up to which event it is kept, and which call was cut off.

A session is a function of its inputs, so the kept part is run again (in milliseconds, or from the recorded answers of
real tools), the inputs are changed between two events, and the session goes on from there. What happened stays: only
the end goes, and a check that refused, so that it can be made again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from replanctl.errors import UsageError
from replanctl.kinds import Ending, ErrorType, GateName, Status
from replanctl.replan import GATE, Moment, Spent
from replanctl.run import events as e
from replanctl.run.accounts import Doubt
from replanctl.run.tools import CUT_OFF, Started

_STARTS = (e.StepStart, e.StepRetry, e.StepFallback)
_OPENING = 3  # events before anything may start: the session's, the plan's, what it cost
# What makes the reading of a gate grow that keeps steps from starting while others run.
_SPENDING: dict[Spent, tuple[type[e.Event], ...]] = {Spent.EXECUTIONS: (e.StepStart,), Spent.CALLS: _STARTS}


# Why a session is run again instead of being read back: its state is a function of its inputs, so there is one way to
# come to it, and no second format that could say something else. The kept events must come out byte for byte as they
# were stored, or the run is refused. What is taken away is chosen so that the rest is what would have happened had the
# new limit been there from the start: a check is made again where its limit was *first felt*. A gate that refuses a
# replan is felt where it refuses. One that keeps steps from starting may have been felt earlier, while others were in
# flight, but never before the last call that spent of it; one that ended an execution is felt at that execution's call.


class Cut(msgspec.Struct, frozen=True):
    """The events before `seq` are kept. `behind_stop`: the session still comes to its stop, and goes on behind it."""

    seq: int
    behind_stop: bool = False


def where_to_cut(
    events: Sequence[e.AnyEvent],
    *,
    since: int = 0,
    reroute: bool = False,
    settles: bool = False,
    raises_only: bool = True,
    side_by_side: bool = True,
) -> Cut:
    """Up to where a session is kept that is to go on.

    A gate's check is made again where it refused, or behind the last call, where its limit was first felt; the
    breaker's is not, since it ends no session: what it gave up is pending again once its limit is raised. With
    `reroute` one that refused a replan stays, and what was to be replanned is routed once more: a forced granularity or
    a changed goal may lead elsewhere. Where a person `settles` calls, all that happened stays: what they say holds of
    it. So it does where more changes than limits that are raised (`raises_only` false): what has ended since a limit
    was first felt would come out otherwise, and done work would be done again. Where steps do not run `side_by_side`
    no limit is felt before it refuses. What came before `since`, where the session was last taken up, stays anyway.
    Raises UsageError for a session that completed.
    """
    end = events[-1] if events else None
    stopped = isinstance(end, e.SessionComplete)
    if isinstance(end, e.SessionComplete) and end.status is Ending.COMPLETED:
        raise UsageError("the session is completed: there is nothing to resume")
    upto = len(events) - stopped
    refusal = events[upto - 1] if upto > since else None
    if settles:
        return Cut(upto, behind_stop=stopped or (isinstance(refusal, e.Gate) and not refusal.admitted))
    if (call := _first_call_given_up(events, since)) is not None:
        as_if = raises_only and not _denied(events[max(since, call + 1) :])
        return Cut(max(since, call + 1)) if as_if else Cut(upto, behind_stop=True)
    if not isinstance(refusal, e.Gate) or refusal.admitted or refusal.gate is GateName.PER_STEP:
        return Cut(upto, behind_stop=stopped)
    if reroute and _checks_a_replan(events, refusal):
        return Cut(upto, behind_stop=True)
    felt = max(since, _felt_from(events, refusal) if raises_only and side_by_side else refusal.seq)
    return Cut(refusal.seq if _denied(events[felt:]) else felt)


def _denied(events: Sequence[e.AnyEvent]) -> bool:
    """Whether a call was denied: a person lifts that, so what came of it stays behind them."""
    return any(
        isinstance(event, e.StepEnd) and any(a.status is Status.DENIED for a in event.attempts) for event in events
    )


def _felt_from(events: Sequence[e.AnyEvent], refusal: e.Gate) -> int:
    """Where a gate's limit was first felt. One that keeps steps from starting may have done so while others ran."""
    spent = GATE[refusal.gate].spent
    if spent is None:
        return refusal.seq
    last = (event.seq + 1 for event in reversed(events) if isinstance(event, _SPENDING[spent]))
    return min(next(last, _OPENING), refusal.seq)


def _first_call_given_up(events: Sequence[e.AnyEvent], since: int) -> int | None:
    """The first of the calls whose executions a gate ended, since the session was last taken up: from there on the
    limits of the gate were felt. What was cut off with the session itself is none of them."""
    started: dict[str, int] = {}
    handed_over = []
    for event in events:
        if isinstance(event, _STARTS):
            started[event.step_id] = event.seq
        elif isinstance(event, e.StepEnd) and event.seq >= since and _given_up(event.error):
            handed_over.append(started[event.step_id])
    return min(handed_over, default=None)


def _given_up(error: e.StepError | None) -> bool:
    return error is not None and error.error_type is ErrorType.ABANDONED and error.error_msg != CUT_OFF


def _checks_a_replan(events: Sequence[e.AnyEvent], check: e.Gate) -> bool:
    """Whether this check stands before a replan or its commit, and not before a step."""
    before = events[check.seq - 1]
    # One that let the replan pass: only the step budget's is asked behind one, before a commit. Behind the breaker that
    # refused comes a step.
    behind_another = isinstance(before, e.Gate) and before.admitted
    return Moment.STEP not in GATE[check.gate].asked or behind_another


def call_cut_off(events: Sequence[e.AnyEvent], doubts: Sequence[Doubt]) -> Started | None:
    """The call in doubt that had begun when the session was killed: nothing came after its start."""
    last = events[-1] if events else None
    if not isinstance(last, _STARTS) or all(doubt.began != last.seq for doubt in doubts):
        return None
    attempt = 1 if isinstance(last, e.StepStart) else last.attempt
    return last.step_id, int(last.version[1:]), attempt
