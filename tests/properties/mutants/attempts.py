"""Executions that try too much, or the wrong thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, engine, given, swapped, told, under
from tests.properties.laws import attempts
from tests.properties.mutants.shapes import done, forget_denials, one_more
from tests.properties.story import Moment


def plan_with(**fields: Any) -> Callable[[Rehearsal], Rehearsal]:
    return lambda rehearsal: replace(rehearsal, plan=replace(rehearsal.plan, **fields))


def patient(rehearsal: Rehearsal) -> Rehearsal:
    """The rehearsal with tools that may all be called again."""
    tools = rehearsal.plan.tools or {}
    return plan_with(tools={name: replace(tool, idempotent=True) for name, tool in tools.items()} or None)(rehearsal)


def _without_fallbacks(rehearsal: Rehearsal) -> Rehearsal:
    """The rehearsal with tools that nothing stands in for."""
    tools = rehearsal.plan.tools or {}
    return plan_with(tools={name: replace(tool, fallback=()) for name, tool in tools.items()} or None)(rehearsal)


def _spoil_first_read(event: e.StepStart, moment: Moment) -> list[e.Event]:
    """What a step reads turns void right before it starts."""
    reads = [reference.step_id for reference in moment.before.reads(event.step_id)]
    health = [e.VariableHealth(0, event.at, event.version, f"E{id_}", "void", "nothing") for id_ in reads]
    return [*health, event]


def _reads(event: e.StepStart, moment: Moment) -> bool:
    reads = moment.before.reads(event.step_id)
    return bool(reads) and all(reference.step_id in moment.before.health for reference in reads)


ATTEMPTS: dict[Any, tuple[Bend, ...]] = {
    attempts.every_call_is_an_attempt: (told(e.StepEnd, edited(attempts=lambda attempts: attempts[1:]), done),),
    attempts.only_what_may_be_tried_again_is: (
        given(patient),
        told(e.StepEnd, edited(attempts=lambda attempts: attempts * 2), done),
    ),
    attempts.attempts_go_tool_by_tool: (
        under(retry=lambda retry: replace(retry, max_attempts=retry.max_attempts + 1)),
        told(e.StepEnd, edited(attempts=lambda tried: tried[::-1]), lambda event, _: len(event.attempts) > 3),
    ),
    attempts.nothing_is_given_up_too_soon: (
        under(retry=lambda retry: replace(retry, max_attempts=1)),
        given(_without_fallbacks),
    ),
    attempts.waits_are_those_of_the_policy: (
        under(retry=lambda retry: replace(retry, backoff=retry.backoff + 1)),
        told(e.StepRetry, edited(at=one_more)),
    ),
    attempts.an_instant_ends_things_before_it_starts_any: (
        swapped(e.StepEnd, e.StepStart, lambda one, other: one.at == other.at and one.started < one.at),
    ),
    attempts.an_execution_ends_when_its_last_call_does: (told(e.StepEnd, edited(at=one_more), done),),
    attempts.args_hold_what_was_produced: (
        told(e.StepStart, edited(args=lambda args: {**args, "more": 1})),
        told(e.Signal, dropped, lambda event, _: event.error_type == "missing_var"),
    ),
    attempts.no_void_variable_is_read: (told(e.StepStart, _spoil_first_read, _reads),),
    attempts.a_denied_call_is_not_made_again: (engine(forget_denials),),
}
