"""What an execution does: which calls it makes, when, with what, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from replanctl.replan.signal import ERROR_TYPES, ErrorType, Status
from replanctl.run.events import Attempt, Signal, StepEnd, StepFallback, StepRetry, StepStart
from tests.properties.laws.facts import is_abandoned, not_made, tool
from tests.properties.once import DID_NOT_ACT, OnceOnly
from tests.properties.reading import Reading
from tests.properties.run import Run
from tests.properties.story import DONE, Standing


def every_call_is_an_attempt(run: Run) -> Iterator[str]:
    """What the tools were asked is what the executions say, in their order."""
    said: dict[str, list[Attempt]] = {}
    for event in run.events:
        if type(event) is StepEnd:
            said.setdefault(event.step_id, []).extend(event.attempts)
    asked: dict[str, list[str]] = {}
    for _, call, _ in run.calls:
        asked.setdefault(call.step_id, []).append(call.tool)
    told = {id_: [attempt.tool for attempt in attempts] for id_, attempts in said.items() if attempts}
    if told != asked:
        yield f"the tools were called {asked}, and the executions say {told}"


def only_what_may_be_tried_again_is(run: Run) -> Iterator[str]:
    """Only environmental failures retry; of what acts once only those that say that it did not."""
    for event in run.events:
        if type(event) is StepEnd:
            for attempt in event.attempts[:-1]:
                spec = tool(run, attempt.tool)
                if ERROR_TYPES.get(attempt.status) is not ErrorType.ENVIRONMENTAL:
                    yield f"step {event.step_id} tries again after {attempt.status}"
                if attempt.status not in DID_NOT_ACT and not spec.idempotent:
                    yield f"step {event.step_id} tries {attempt.tool} again, which may have happened"


def attempts_go_tool_by_tool(run: Run) -> Iterator[str]:
    """At most `max_attempts` of the step's own tool, then of each fallback in order, none twice."""
    most = run.rehearsal.policy.retry.max_attempts
    for moment in run.moments:
        event = moment.event
        if type(event) is StepEnd and event.attempts:
            order = list(dict.fromkeys(attempt.tool for attempt in event.attempts))
            own = moment.before.steps[event.step_id].tool_name
            line = _line(run, own)
            if [name for name in line if name in order] != order or order[0] != own:
                yield f"step {event.step_id} tries {order}, and its line is {line}"
            tries = [attempt.tool for attempt in event.attempts]
            if tries != sorted(tries, key=order.index) or any(tries.count(name) > most for name in order):
                yield f"step {event.step_id} tries {tries}"


def nothing_is_given_up_too_soon(run: Run) -> Iterator[str]:
    """What may be tried again is, until attempts and fallbacks are spent; only a wait too long cuts a tool short."""
    most = run.rehearsal.policy.retry.max_attempts
    args: dict[str, Any] = {}
    seen = OnceOnly(run)
    for place, moment in enumerate(run.moments):
        event = moment.event
        if type(event) is StepStart:
            args[event.step_id] = event.args
        elif type(event) is StepEnd and event.attempts:
            call = args[event.step_id]
            tries = [attempt.tool for attempt in event.attempts]
            line = _line(run, moment.before.steps[event.step_id].tool_name)
            open_ = _may_try_again(run, event) or _waits_too_long(run, event)
            left = line[line.index(tries[-1]) + 1 :] if open_ else []
            step, root = moment.before.steps[event.step_id], moment.before.line(event.step_id)[0]
            left = [name for name in left if not seen.denies(name, call) and not seen.stands(name, call, step, root)]
            if left := [name for name in left if _takes(run, name, call) and not seen.flies(name, call)]:
                yield f"step {event.step_id} fails, and {left} were not tried"
            short = [name for name in dict.fromkeys(tries) if tries.count(name) < most]
            if _may_try_again(run, event) and tries[-1] in short:
                yield f"step {event.step_id} fails after {tries.count(tries[-1])} tries of {tries[-1]}"
            if run.limits.max_seconds is None and set(short) - {tries[-1]}:
                yield f"step {event.step_id} gives {short} up too soon"
        seen.see(place, moment)


def _line(run: Run, own: str) -> list[str]:
    """The tools of an execution in their order."""
    return [own, *(name for name in dict.fromkeys(tool(run, own).fallback) if name != own)]


def _may_try_again(run: Run, event: StepEnd) -> bool:
    """Whether an execution failed in a way that another attempt may cure."""
    last = event.attempts[-1]
    cut = is_abandoned(event) or not_made(event)
    happened = last.status not in DID_NOT_ACT and not tool(run, last.tool).idempotent
    return not cut and not happened and ERROR_TYPES.get(last.status) is ErrorType.ENVIRONMENTAL


def _waits_too_long(run: Run, event: StepEnd) -> bool:
    """Whether an execution was abandoned because its wait would have ended after the time is up."""
    limits = run.limits
    by_time = limits.max_seconds is not None and limits.max_tool_calls is None
    return is_abandoned(event) and by_time and event.at < (limits.max_seconds or 0)


def _takes(run: Run, name: str, args: Any) -> bool:
    schema = tool(run, name).args
    return schema is None or bool(Draft202012Validator(schema).is_valid(args))


def waits_are_those_of_the_policy(run: Run) -> Iterator[str]:
    """1 s, 2 s, 4 s …, or what the tool asked for; a fallback is called at once."""
    ended: dict[str, float] = {}
    tries: dict[str, int] = {}
    for place, event in enumerate(run.events):
        if type(event) is StepStart:
            ended[event.step_id], tries[event.step_id] = event.at, 1
        elif type(event) is StepRetry or type(event) is StepFallback:
            wait = event.wait if type(event) is StepRetry else 0.0
            outcome, latency = _answer(run, place, event.step_id)
            expected = ended[event.step_id] + latency + wait
            if abs(event.at - expected) > 1e-6:
                yield f"step {event.step_id} tries again at {event.at}, not at {expected}"
            if type(event) is StepRetry and abs(wait - _wait(run, outcome, tries[event.step_id])) > 1e-6:
                yield f"step {event.step_id} waits {wait} s after try {tries[event.step_id]}"
            ended[event.step_id] = event.at
            tries[event.step_id] = tries[event.step_id] + 1 if type(event) is StepRetry else 1


def _answer(run: Run, place: int, step_id: str) -> tuple[float | None, float]:
    """What the last call of a step asked to wait, and how long it took."""
    call, outcome = [(c, o) for at, c, o in run.calls if at <= place and c.step_id == step_id][-1]
    if outcome.status is Status.LOST or outcome.latency > call.timeout:
        return None, min(outcome.latency, call.timeout)
    return outcome.retry_after, outcome.latency


def _wait(run: Run, asked: float | None, tries: int) -> float:
    retry = run.rehearsal.policy.retry
    return min(retry.backoff * retry.factor ** (tries - 1), retry.max_backoff) if asked is None else asked


def an_instant_ends_things_before_it_starts_any(run: Run) -> Iterator[str]:
    """Everything that ends at one instant is handled before anything starts at it."""
    for begun, answered, instant in _answers(run):
        for event in run.events[begun + 1 : answered]:
            starts = type(event) is StepStart or (type(event) is StepRetry and event.wait > 0)
            if starts and event.at == instant and run.events[begun].at < instant:
                yield f"event {event.seq} starts something at {instant}, before the answer at event {answered}"


def an_execution_ends_when_its_last_call_does(run: Run) -> Iterator[str]:
    """Calls take their latency, at most the tool's timeout."""
    for _, place, instant in _answers(run):
        if abs(run.events[place].at - instant) > 1e-6:
            yield f"the execution that ends at event {place} had its answer at {instant}"


def _answers(run: Run) -> Iterator[tuple[int, int, float]]:
    """Each call that ended its execution at once: the event that began it, the end, and the instant it ended at."""
    for count, call, outcome in run.calls:
        later = (e for e in run.events[count:] if isinstance(e, StepEnd | StepRetry | StepFallback))
        answered = next(e for e in later if e.step_id == call.step_id)
        if type(answered) is StepEnd and not not_made(answered) and not is_abandoned(answered):
            yield count - 1, answered.seq, run.events[count - 1].at + min(outcome.latency, call.timeout)


def args_hold_what_was_produced(run: Run) -> Iterator[str]:
    """Every reference is replaced once, by the value with its type or in running text; else there is a signal."""
    values: dict[str, Any] = {}
    for place, moment in enumerate(run.moments):
        event, plan = moment.event, moment.before
        if type(event) is StepEnd and event.state is DONE:
            values[event.step_id] = event.value
        elif type(event) is StepStart:
            reading = Reading(plan, values, plan.knew[event.step_id])
            args = reading.of(plan.steps[event.step_id].args)
            follower = run.events[place + 2]
            missing = type(follower) is Signal and follower.error_type == "missing_var"
            if bool(reading.unreadable) is not missing:
                yield f"step {event.step_id} can't read {reading.unreadable}, and what follows is {follower}"
            if not missing and _key("", args) != _key("", event.args):
                yield f"step {event.step_id} starts with {event.args}, not {args}"


def no_void_variable_is_read(run: Run) -> Iterator[str]:
    """A step that makes a call has read only what can be read: no void one, and nothing that is yet to come."""
    plan_at: dict[str, Standing] = {}
    for moment in run.moments:
        event = moment.event
        if type(event) is StepStart:
            plan_at[event.step_id] = moment.before
        elif type(event) is StepEnd and event.attempts:
            plan = plan_at[event.step_id]
            for reference in plan.reads(event.step_id):
                id_ = reference.step_id
                if plan.health.get(id_) == "void" or (id_ not in plan.health and id_ not in plan.gaps):
                    yield f"step {event.step_id} reads {reference.text}, which is {plan.health.get(id_)}"


def a_denied_call_is_not_made_again(run: Run) -> Iterator[str]:
    """Nor by another step, nor as a fallback, once its refusal is known."""
    denied: dict[bytes, int] = {}
    for event in run.events:
        if type(event) is StepEnd and event.attempts and event.attempts[-1].status is Status.DENIED:
            call = next(c for at, c, _ in reversed(run.calls) if at <= event.seq and c.step_id == event.step_id)
            denied.setdefault(_key(call.tool, call.args), event.seq)
    for at, call, _ in run.calls if denied else ():
        if at > denied.get(_key(call.tool, call.args), at):
            yield f"step {call.step_id} calls {call.tool} at event {at}, which was denied"


def _key(name: str, args: object) -> bytes:
    return msgspec.json.encode([name, args], order="deterministic")


ATTEMPTS = (
    every_call_is_an_attempt,
    only_what_may_be_tried_again_is,
    attempts_go_tool_by_tool,
    nothing_is_given_up_too_soon,
    waits_are_those_of_the_policy,
    an_instant_ends_things_before_it_starts_any,
    an_execution_ends_when_its_last_call_does,
    args_hold_what_was_produced,
    no_void_variable_is_read,
    a_denied_call_is_not_made_again,
)
