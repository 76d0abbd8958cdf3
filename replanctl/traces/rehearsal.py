"""A recorded run as a rehearsal: steps, what their calls returned, and what the agent did after each failure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.kinds import ErrorType, Status
from replanctl.plan import Step, Tool
from replanctl.replan import ERROR_TYPES
from replanctl.traces.binding import Binder, Values
from replanctl.traces.disguise import Disguise
from replanctl.traces.trace import RecordedCall, Trace

MOST_ATTEMPTS = 1000  # what a policy may allow


class Recorded(msgspec.Struct):
    """One call with all its attempts, and the number its step gets."""

    number: int
    attempts: list[RecordedCall]

    @property
    def first(self) -> RecordedCall:
        """The attempt that began it."""
        return self.attempts[0]

    @property
    def last(self) -> RecordedCall:
        """The attempt that decided it."""
        return self.attempts[-1]

    @property
    def succeeded(self) -> bool:
        """Whether its last attempt succeeded."""
        return self.last.status is Status.OK

    @property
    def args(self) -> dict[str, Any]:
        """What it was called with; nothing where the recording does not say."""
        return {} if self.first.args is UNSET else self.first.args


def gather(calls: Iterable[RecordedCall]) -> list[Recorded]:
    """The calls in the order they began, repeats after an environmental failure as further attempts.

    A repeat is one that began after the failure had ended and before any other call did.
    """
    gathered: list[Recorded] = []
    failed: dict[tuple[str, bytes], Recorded] = {}
    for call in sorted(calls, key=lambda call: call.began):
        key = (call.tool, b"" if call.args is UNSET else msgspec.json.encode(call.args))
        before = failed.pop(key, None)
        # Any call that begins after a failure had ended shows that the agent went on: what comes back to the failed
        # call later is a decision, not a retry.
        failed = {other: step for other, step in failed.items() if step.last.ended > call.began}
        if before is not None and before.last.ended <= call.began and len(before.attempts) < MOST_ATTEMPTS:
            before.attempts.append(call)
        else:
            before = Recorded(len(gathered) + 1, [call])
            gathered.append(before)
        if ERROR_TYPES[call.status] is ErrorType.ENVIRONMENTAL if call.status is not Status.OK else False:
            failed[key] = before
    return gathered


def versions(steps: Sequence[Recorded]) -> list[list[Recorded]]:
    """The stretches that the recorded plan was in force for: each but the last ends with a call that failed."""
    found: list[list[Recorded]] = [[]]
    for step in steps:
        found[-1].append(step)
        if not step.succeeded:
            found.append([])
    return found


# Goals and messages may be whole prompts and stack traces. The first words tell a person which run it was; all of them
# would make a plan nobody opens.
GOAL_LENGTH = 400  # characters of what the user asked for
MESSAGE_LENGTH = 500  # characters of an error
TELLING_LENGTH = 28  # characters of the arg that tells two calls of a tool apart
ACTION_LENGTH = 70


# From a recorded run to a rehearsal that goes the same way.
#
# A recording holds calls, in the order they began, with what they were given and what came back. It holds no plan, no
# dependencies and no decisions. Each of these is read out of the calls by one rule, and nothing else is:
#
# - Steps. One call is one step, numbered in the order they began. The same call again after an environmental failure is
#   no new step but a further attempt, for that is what an execution layer does; again after an answer it is a step of
#   its own that says `again`, for that is what an agent does.
# - Dependencies. A step rests on the earlier ones whose results its args hold (`binding.py`). They are inferred from
#   equal values, so they may be missing where a value was reworded and accidental where it is common; `bound` counts
#   them, so that nobody takes them for recorded.
# - Versions. Every call that failed for good ends a version, whether the agent planned anew in so many words or not:
#   what it did from there on is what its plan had become. So the first version is the calls up to the first failure,
#   and each later stretch is the draft that the scripted planner answers that failure with.
# - Outcomes. What came back is what the script returns, attempt by attempt. A step's rule names its number; since
#   drafts list every step under its own number, each rule meets the step it was recorded from.
#
# The proof is a run: with gates lifted and every failure sent to a `tail`, the rehearsal has to make the recorded calls
# with the recorded args in the recorded order (`report.py`). Bindings are part of that proof, since a reference that
# resolves to anything else makes another call.
#
# What was only planned (ReWOO) has no outcomes and keeps its own references.
class PlanOf(StrEnum):
    """What becomes the first version: what was planned when the first call failed, or all that succeeded."""

    RECORDED = "recorded"
    WHOLE = "whole"


class Made(msgspec.Struct, frozen=True):
    """A rehearsal, and what it should do: the recorded calls as (tool, args), in order, each once.

    `bound` counts the values of args that became references, `whole` the steps of a plan of all that succeeded.
    """

    document: dict[str, Any]
    steps: list[Recorded]
    bound: int
    calls: list[tuple[str, dict[str, Any]]]
    whole: int


def rehearse(trace: Trace, plan_of: PlanOf, disguise: Disguise) -> Made:
    """The rehearsal of a trace. It has at least one call."""
    steps = gather(trace.calls)
    drafted = _Drafter(trace, disguise).steps(steps)
    bound = sum(count for _, count in drafted)
    written = {step.number: item for step, (item, _) in zip(steps, drafted, strict=True)}
    succeeded = [step for step in steps if step.succeeded]
    kept = succeeded if plan_of is PlanOf.WHOLE else steps
    # `whole` asks what the plan would have been had nothing failed: all that succeeded is v1, and there is nothing to
    # replan.
    first, *replans = [kept] if plan_of is PlanOf.WHOLE else versions(kept)
    document: dict[str, Any] = {
        "goal": disguise.text(_goal(trace)),
        "tools": _tools(steps),
        "steps": [written[step.number] for step in first],
    }
    # A rule that names a step answers for what replaced it too, and the first rule wins: the newest comes first.
    if not trace.planned:
        document["outcomes"] = [_outcome(step, disguise) for step in reversed(kept)]
    if replans:
        failed = [step for step in kept if not step.succeeded]
        drafts = [[written[step.number] for step in version] for version in replans]
        document["planner"] = [_rule(step, draft) for step, draft in zip(failed[::-1], drafts[::-1], strict=True)]
    calls = [(step.first.tool, disguise.value(step.args)) for step in kept]
    return Made(document, kept, bound, calls, len(succeeded))


class _Drafter:
    """Writes steps, one after the other, with what earlier ones produced as references."""

    def __init__(self, trace: Trace, disguise: Disguise) -> None:
        self._trace, self._disguise = trace, disguise
        self._values = Values()
        self._made: set[bytes] = set()  # calls that were made before

    def steps(self, steps: Sequence[Recorded]) -> list[tuple[dict[str, Any], int]]:
        """Each step as it is written, and how many values of its args are bound."""
        names = _telling_args(steps)
        return [self._step(step, names.get(step.first.tool, ())) for step in steps]

    def _step(self, step: Recorded, told_by: Sequence[str]) -> tuple[dict[str, Any], int]:
        call, disguise = step.first, self._disguise
        item: dict[str, Any] = {"id": step.number, "action": _action(step, told_by, disguise), "tool": call.tool}
        if self._trace.planned:
            args, bound, needs = step.args, 0, None
        else:
            # Only what had ended before this call began can have gone into it: calls that ran side by side are never
            # bound.
            binder = Binder(self._values, call.began)
            args, bound, needs = binder.args(step.args), binder.bound, sorted(binder.needs)
            args = disguise.args(args, self._values.known)
        if args:
            item["args"] = args
        if needs is not None:
            item["depends_on"] = needs
        key = msgspec.json.encode((call.tool, step.args))
        again(item, repeated=key in self._made)
        self._made.add(key)
        if step.succeeded:
            result = None if step.last.result is UNSET else step.last.result
            self._values.remember(step.number, result, step.last.ended)
        return item, bound


def again(item: dict[str, Any], *, repeated: bool) -> None:
    """Say of a step that its call is meant to be made once more, where the recording made it again."""
    if repeated and AGAIN_IS_KNOWN:
        item["again"] = True


AGAIN_IS_KNOWN = "again" in Step.__struct_fields__


def _goal(trace: Trace) -> str:
    goal = " ".join(trace.goal.split()) or f"what the run {trace.id} was asked to do".replace("  ", " ")
    return goal if len(goal) <= GOAL_LENGTH else f"{goal[: GOAL_LENGTH - 1]}…"


def _tools(steps: Iterable[Recorded]) -> dict[str, Any]:
    """The tools that were called; one that took longer than the default time has its own."""
    slowest: dict[str, float] = {}
    for step in steps:
        for call in step.attempts:
            slowest[call.tool] = max(slowest.get(call.tool, 0.0), call.latency or 0.0)
    usual = Tool().timeout
    return {tool: {"timeout": math.ceil(most)} if most > usual else {} for tool, most in slowest.items()}


def _telling_args(steps: Iterable[Recorded]) -> dict[str, list[str]]:
    """By tool, the args that take different values in its calls, the one that takes most of them first."""
    seen: dict[str, dict[str, set[str]]] = {}
    counts: dict[str, int] = {}
    for step in steps:
        counts[step.first.tool] = counts.get(step.first.tool, 0) + 1
        for key, value in step.args.items():
            if isinstance(value, str | int | float) and value != "":
                seen.setdefault(step.first.tool, {}).setdefault(key, set()).add(str(value))
    return {
        tool: sorted((key for key in keys if len(keys[key]) > 1), key=lambda key: -len(keys[key]))
        for tool, keys in seen.items()
        if counts[tool] > 1
    }


def _action(step: Recorded, told_by: Sequence[str], disguise: Disguise) -> str:
    """What a step does, in a few words that end in its number: no two steps share an action."""
    call = step.first
    if call.action:
        told = _cut(disguise.text(call.action), ACTION_LENGTH)
    else:
        values = (disguise.value(step.args[key]) for key in told_by if key in step.args)
        told = next((f"{call.tool} {_cut(str(value), TELLING_LENGTH)}" for value in values), call.tool)
    return f"{' '.join(told.split())} {step.number}"


def _cut(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _outcome(step: Recorded, disguise: Disguise) -> dict[str, Any]:
    """What a step's attempts returned. The tool is part of the match: under another policy a new step may come by the
    number of a later one, and must not be given that one's answers."""
    return {
        "match": {"step": step.number, "tool": step.first.tool},
        "returns": [_entry(call, disguise) for call in step.attempts],
    }


def _entry(call: Any, disguise: Disguise) -> dict[str, Any]:
    """What one attempt returned."""
    entry: dict[str, Any] = {"status": call.status.value}
    if call.latency is not None:
        entry["latency"] = call.latency
    if call.tokens is not None:
        entry["tokens"] = call.tokens
    if call.retry_after is not None:
        entry["retry_after"] = call.retry_after
    if call.message and call.status is not Status.OK:
        entry["message"] = _cut_text(disguise.text(call.message), MESSAGE_LENGTH)
    if call.cause and call.status is not Status.OK:
        entry["cause"] = _cut_text(disguise.text(call.cause), MESSAGE_LENGTH)
    if call.status is Status.OK or not _same_text(call):
        # A failed call's text is said once: as its message, unless the result says more.
        entry["value"] = disguise.value(None if call.result is UNSET else call.result)
    return entry


def _same_text(call: Any) -> bool:
    """Whether a failed call's result says no more than its message."""
    return call.result is UNSET or call.result is None or call.result == call.message


def _cut_text(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _rule(failed: Recorded, draft: list[dict[str, Any]]) -> dict[str, Any]:
    """What the agent did after a failure; nothing, where it gave up."""
    return {"when": {"step": failed.number}, "steps": draft}
