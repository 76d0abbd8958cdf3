"""Steps out of order."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from replanctl.run.policy import Mode
from tests.properties.bend import Bend, dropped, edited, given, told, twice, under
from tests.properties.laws import order
from tests.properties.mutants.shapes import done, one_more, reason, skipped
from tests.properties.story import SKIPPED, Moment


def _backwards(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    return [replace(event, steps=tuple(reversed(event.steps)))]


def _on_the_last(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    """Every step waits for the last one, too."""
    last = event.steps[-1].id
    steps = (replace(step, depends_on=(*(step.depends_on or ()), last)) for step in event.steps[:-1])
    return [replace(event, steps=(*steps, event.steps[-1]))]


ORDER: dict[Any, tuple[Bend, ...]] = {
    order.step_states_only_move_along_the_table: (
        told(e.StepStart, dropped),
        told(e.StepEnd, edited(state=lambda _: SKIPPED), done),
    ),
    order.no_step_starts_before_its_dependencies_ended: (told(e.PlanCommit, _on_the_last),),
    order.steps_start_in_list_order: (told(e.PlanCommit, _backwards),),
    order.no_more_run_side_by_side_than_allowed: (under(max_parallel=one_more),),
    order.what_is_in_flight_finishes_before_the_plan_changes: (told(e.StepEnd, dropped),),
    order.nothing_starts_while_something_waits_to_be_settled: (
        given(lambda rehearsal: replace(rehearsal, interruptions=())),
        told(e.Signal, edited(on_failure=lambda _: "replan"), lambda event, _: event.on_failure == "skip"),
        told(e.Signal, edited(on_failure=lambda _: "abort"), lambda event, _: event.on_failure == "skip"),
        told(e.GoalChanged, dropped, lambda event, _: not event.accepted),
    ),
    order.goals_change_when_they_are_due: (
        told(e.GoalChanged, edited(goal=lambda _: "riches")),
        told(e.GoalChanged, edited(accepted=lambda accepted: not accepted)),
        told(e.GoalChanged, twice),
        told(e.GoalChanged, edited(refutes=lambda _: ("ghost",))),
    ),
    order.on_failure_is_what_the_mode_says: (
        under(mode=lambda mode: Mode.HYBRID if mode is Mode.AUTO else mode),
        told(e.Signal, edited(on_failure=lambda _: "abort")),
    ),
    order.only_what_rests_on_a_lost_step_is_skipped: (
        told(e.StepEnd, edited(blocked_by=lambda _: ()), skipped),
        told(e.StepEnd, edited(gap=lambda gap: not gap), skipped),
    ),
    order.what_depends_on_a_lost_step_does_not_wait: (told(e.StepEnd, dropped, skipped),),
    order.a_session_that_is_not_stopped_runs_its_plan_to_the_end: (
        reason("goal_met", instead_of="aborted"),
        told(e.StepEnd, dropped),
    ),
}
