"""What a person gets when a session stops short, and what they could do next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from replanctl.kinds import ErrorType, Health, Reason, StepState
from replanctl.replan import GATE, GATES, Unit
from replanctl.run.accounts import Doubt
from replanctl.run.result import (
    ExecutionView,
    Gap,
    GateView,
    HandOver,
    LessonView,
    Revision,
    StepView,
    VariableView,
)
from replanctl.run.settle_flag import ways
from replanctl.run.tools import StepError

# What to type next, by reason; at a gate its row says what. {run} is the run's number, {step} the step at issue,
# {more} what a gate's reading lacked, {steps} and {tokens} no less than that.
# A hand-over that only says what went wrong leaves a person where they were. So each reason has its commands, which run
# as they stand, in the order in which they would be tried: to go on, then to look.
_GO_ON = "replanctl resume {run}"
NEXT: dict[Reason, tuple[str, ...]] = {
    **{row.reason: (f"replanctl resume {{run}} {row.raises}", *row.look) for row in GATES},
    Reason.NO_PLAN: ("replanctl prompt {run}",),
    Reason.ABORTED: ("replanctl why {step} --run {run}", _GO_ON),
    Reason.ESCALATED: ("replanctl why {step} --run {run}", _GO_ON),
    Reason.INSUFFICIENT_EVIDENCE: (_GO_ON,),
    Reason.INTERRUPTED: (_GO_ON,),
}
# More than a reading lacked, so that the session comes a little further than to the next refusal.
_MARGIN = {Unit.SECONDS: 60, Unit.TOKENS: 10_000, Unit.COUNT: 0}
_NOT_STORED = ("store the run (leave out --no-store) to look into it and go on",)


class Findings(msgspec.Struct, frozen=True):
    """What a session came to: what it executed, what each new version changed, the steps of the final one as they
    stand, its variables, lessons and gaps, and the calls that a person has to settle."""

    history: Sequence[ExecutionView]
    revisions: Sequence[Revision]
    steps: Sequence[StepView]
    variables: Mapping[str, VariableView]
    lessons: tuple[LessonView, ...]
    gaps: tuple[Gap, ...]
    doubts: Sequence[Doubt] = ()


def hand_over(
    reason: Reason, gate: GateView | None, found: Findings, failed_step: str | None, run: int | None
) -> HandOver:
    """Clean results, what was never run, the path that was taken, and commands that go on from here."""
    clean: dict[str, Any] = {name: v.value for name, v in found.variables.items() if v.health is Health.CLEAN}
    never_run = tuple(step.id for step in found.steps if step.state in _NEVER_RUN)
    following = _next(reason, gate, failed_step, run, found.doubts)
    return HandOver(reason, gate, clean, never_run, tuple(_trajectory(found)), found.lessons, found.gaps, following)


_NEVER_RUN = (StepState.PENDING, StepState.SKIPPED)


def _trajectory(found: Findings) -> Iterator[str]:
    """A line for everything that ended and for every new version: nothing ends in a version but behind its commit."""
    # Sorted by version alone, which keeps the order within one: each version is told before what ran in it.
    executed = [(int(one.version[1:]), _executed(one)) for one in found.history]
    replanned = [(int(one.to[1:]), _replanned(one)) for one in found.revisions]
    return (line for _, line in sorted([*replanned, *executed], key=itemgetter(0)))


def _executed(execution: ExecutionView) -> str:
    error = f": {error_in_words(execution.error)}" if execution.error is not None else ""
    return f"{execution.version} step {execution.step_id} {execution.status}{error}"


def error_in_words(error: StepError) -> str:
    """An error's class and message; an execution that a gate ended says in its message what it was."""
    abandoned = error.error_type is ErrorType.ABANDONED
    return error.error_msg if abandoned else f"{error.error_type}: {error.error_msg}"


def _replanned(revision: Revision) -> str:
    """What a new version removed, added and changed."""
    why = f"{revision.granularity} for {revision.cause}" if revision.granularity is not None else revision.cause
    fields = ("removed", "added", "revised", "rewired")
    changes = [f"{name} {', '.join(ids)}" for name in fields if (ids := getattr(revision, name))]
    return f"{revision.to} {why}: {'; '.join(changes) or 'nothing changed'}"


def _next(
    reason: Reason, gate: GateView | None, failed_step: str | None, run: int | None, doubts: Sequence[Doubt]
) -> tuple[str, ...]:
    if run is None:
        return _NOT_STORED
    lacking = _lacking(gate)  # with less than it, the same gate would stop the run where it stands
    words = {"run": run, "step": failed_step, "more": lacking}
    words |= {"steps": max(6, lacking), "tokens": max(10_000, lacking)}
    commands = NEXT.get(reason, ())
    told = tuple(command.format(**words) for command in commands if failed_step or "{step}" not in command)
    return _settling(told, run, doubts) if doubts else told


def _settling(commands: Sequence[str], run: int, doubts: Sequence[Doubt]) -> tuple[str, ...]:
    """The commands with what a person has to say of calls that may have happened; without it none goes on."""
    resume = f"replanctl resume {run}"
    first = next((each for each in commands if each.startswith(resume)), resume)
    others = (each for each in commands if not each.startswith(resume))
    return (*(f"{first} {way}" for way in ways(doubts)), *others)


def _lacking(gate: GateView | None) -> int:
    """What to raise a gate's limit by, so that what it refused is inside."""
    if gate is None or gate.limit is None:
        return 0
    return _MARGIN[GATE[gate.gate].unit] + math.ceil(gate.reading - gate.limit)
