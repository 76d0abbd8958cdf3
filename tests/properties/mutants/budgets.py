"""Engines that overspend, and gates that misread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, told, without_gate
from tests.properties.laws import budgets
from tests.properties.mutants.shapes import admitting, one_more
from tests.properties.story import Moment


def of_gate(name: str) -> Callable[[Any, Moment], bool]:
    return lambda event, moment: bool(event.gate == name)


BUDGETS: dict[Any, tuple[Bend, ...]] = {
    budgets.limits_are_those_of_the_policy: (without_gate("max_steps"),),
    budgets.executions_stay_within_max_steps: (without_gate("max_steps"),),
    budgets.replans_stay_within_max_replans: (without_gate("max_replans"),),
    budgets.replan_tokens_stay_within_the_limit: (without_gate("max_replan_tokens"),),
    budgets.calls_stay_within_max_tool_calls: (without_gate("max_tool_calls"),),
    budgets.tokens_stay_within_max_tokens: (without_gate("max_tokens"),),
    budgets.time_stays_within_max_seconds: (without_gate("max_seconds"),),
    budgets.a_refusal_is_the_last_thing_but_the_end: (
        told(e.Gate, edited(admitted=lambda _: False)),
        told(e.Gate, dropped, lambda event, _: not event.admitted),
        told(e.SessionComplete, edited(reason=lambda _: "oscillation"), lambda event, _: event.gate == "max_steps"),
    ),
    budgets.a_gate_admits_exactly_what_is_inside: (
        told(e.Gate, edited(reading=lambda _: 10**6), admitting("max_replans")),
        told(e.Gate, edited(admitted=lambda admitted: not admitted)),
        told(e.Gate, edited(limit=lambda _: 10**6)),
    ),
    budgets.gates_read_what_was_spent: tuple(
        told(e.Gate, edited(reading=one_more), of_gate(name))
        for name in ("per_step", "max_replans", "max_replan_tokens", "max_tool_calls", "max_tokens")
    ),
    budgets.a_draft_is_admitted_with_room_to_run: (told(e.Gate, edited(reading=one_more), admitting("max_steps")),),
    budgets.gates_are_asked_in_their_order: (
        told(e.Gate, dropped, admitting("max_replans")),
        told(e.Gate, dropped, admitting("max_repeat")),
    ),
}
