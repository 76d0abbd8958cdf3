"""Where a stopped session is taken up again: up to which event it is kept, and what was cut off in the middle.

A session is a function of its inputs, so the kept part is run again (in milliseconds, or from the recorded answers
of real tools), the inputs are changed between two events, and the session goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from replanctl.errors import UsageError
from replanctl.replan.gates import REASONS
from replanctl.replan.signal import Status
from replanctl.run import events as e
from replanctl.run.ending import ABANDONED
from replanctl.run.finish import COMPLETED
from replanctl.run.policy import Policy
from replanctl.run.tools import Call, Outcome, Tools

_GATE_REASONS = frozenset(REASONS.values())
_STARTS = (e.StepStart, e.StepRetry, e.StepFallback)
_FINISHING = (e.SolverCalled, e.SessionComplete)

CUT_OFF = "cut off when the session was killed: the call may have happened"


class Amendment(msgspec.Struct, frozen=True):
    """From event `seq` on, other inputs hold. `goal` is a person's new goal, `outcomes` the name of a new script's
    source, `reopen` whether what the stop gave up is pending again, `reroute` whether the last failure is routed again;
    `cut_off` are calls (step, version, attempt) whose answer nobody heard."""

    seq: int
    policy: Policy
    goal: str | None = None
    outcomes: str | None = None
    reopen: bool = False
    reroute: bool = False
    cut_off: tuple[tuple[str, int, int], ...] = ()


class Cut(msgspec.Struct, frozen=True):
    """How a stored session can be taken up: the events before `seq` are kept."""

    seq: int
    reopen: bool = False


def where_to_cut(events: Sequence[e.Event], *, reroute: bool) -> Cut:
    """Where this session's stop begins. With `reroute` the last failure is routed again (a forced granularity, a new
    goal or new outcomes may change its route); without, only the refused check is made again.

    Raises UsageError for a session that completed, or that never had a plan.
    """
    end = events[-1] if events else None
    if not isinstance(end, e.SessionComplete):
        return Cut(len(events))
    if end.reason in COMPLETED:
        raise UsageError("the session is completed: there is nothing to resume")
    if end.reason in _GATE_REASONS:
        return Cut(_gate_cut(events, reroute=reroute))
    if end.reason == "no_plan":
        return Cut(_last_route(events, end.seq))
    first = end.seq
    while isinstance(events[first - 1], (*_FINISHING, e.Ledger)):
        first -= 1
    return Cut(first, reopen=True)


def _gate_cut(events: Sequence[e.Event], *, reroute: bool) -> int:
    refused = len(events) - 2  # the refused check is the last thing before the end
    abandoned = [event for event in events if isinstance(event, e.StepEnd) and _was_abandoned(event)]
    if abandoned:
        return _last_start(events, abandoned[0]) + 1
    if reroute and isinstance(events[refused - 1], (e.Gate, e.LessonLearned, e.Ledger, e.PlanDraft)):
        return _last_route(events, refused)
    return refused


def _was_abandoned(event: e.StepEnd) -> bool:
    return event.error is not None and event.error.error_type == ABANDONED


def _last_start(events: Sequence[e.Event], ended: e.StepEnd) -> int:
    """The event that began the last call of an execution."""
    before = range(ended.seq - 1, -1, -1)
    return next(i for i in before if isinstance(s := events[i], _STARTS) and s.step_id == ended.step_id)


def _last_route(events: Sequence[e.Event], before: int) -> int:
    for seq in range(before - 1, -1, -1):
        event = events[seq]
        if isinstance(event, e.Route):  # at a changed goal, the change itself is what comes up again
            return _goal_change_before(events, seq) if event.step_id is None else seq
    raise UsageError("the session never had a plan: there is nothing to resume")


def _goal_change_before(events: Sequence[e.Event], seq: int) -> int:
    return next(i for i in range(seq, -1, -1) if isinstance(events[i], e.GoalChanged))


def calls_cut_off(events: Iterable[e.Event]) -> tuple[tuple[str, int, int], ...]:
    """The calls that had begun when the session was killed: (step, version, attempt)."""
    under_way: dict[str, tuple[str, int, int]] = {}
    for event in events:
        if isinstance(event, e.StepEnd):
            under_way.pop(event.step_id, None)
        elif isinstance(event, _STARTS):
            attempt = 1 if isinstance(event, e.StepStart) else event.attempt
            under_way[event.step_id] = (event.step_id, int(event.version[1:]), attempt)
    return tuple(under_way.values())


class CutOff:
    """Tools of a session that was killed: a call that was cut off runs again, unless that is not safe."""

    def __init__(self, tools: Tools, cut_off: Iterable[tuple[str, int, int]]) -> None:
        self._tools = tools
        self._cut_off = frozenset(cut_off)

    def call(self, call: Call) -> Outcome:
        """The tools' answer; for an unsafe call that was cut off, a failure that says so."""
        if not call.idempotent and (call.step_id, call.version, call.attempt) in self._cut_off:
            return Outcome(Status.ERROR, message=CUT_OFF, latency=0.0)
        return self._tools.call(call)
