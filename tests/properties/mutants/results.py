"""Documents that do not tell what happened."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, told, twice, under
from tests.properties.laws import results
from tests.properties.mutants.shapes import document, reason

RESULTS: dict[Any, tuple[Bend, ...]] = {
    results.events_are_numbered_and_time_goes_on: (
        told(e.StepEnd, dropped, number=False),
        told(e.StepStart, edited(at=lambda at: at - 1)),
        told(e.SessionComplete, twice),
    ),
    results.every_event_survives_json: (told(e.StepStart, edited(args=lambda _: {"q": (1, 2)})),),
    results.status_reason_and_hand_over_agree: (
        told(e.SessionComplete, edited(status=lambda status: "completed" if status == "failed" else "failed")),
        told(e.SessionComplete, edited(reason=lambda _: "boredom")),
        document(handover=lambda _: None),
    ),
    results.a_hand_over_gives_what_is_clean: (
        document(handover=lambda handover: handover and replace(handover, clean_results={"E1": "fake"})),
        document(handover=lambda handover: handover and replace(handover, open=("ghost",))),
        document(handover=lambda handover: handover and replace(handover, trajectory=handover.trajectory[1:])),
        document(lessons=lambda lessons: lessons[1:]),
    ),
    results.the_reason_is_what_the_final_version_deserves: (
        reason("goal_met", instead_of="goal_met_with_gaps"),
        reason("goal_met_with_gaps", instead_of="escalated"),
        reason("escalated", instead_of="step_breaker"),
        under(solver=lambda solver: replace(solver, require=())),
    ),
    results.history_has_a_row_for_every_ending: (document(history=lambda rows: rows[1:]),),
    results.versions_hold_the_plan_as_it_was: (
        document(versions=lambda versions: versions[:-1]),
        document(versions=lambda versions: (replace(versions[0], steps=versions[0].steps[1:]), *versions[1:])),
    ),
    results.variables_are_those_of_done_steps: (
        document(variables=lambda variables: dict(list(variables.items())[1:])),
    ),
    results.gaps_are_those_of_the_final_version: (document(gaps=lambda gaps: gaps[1:]),),
    results.the_goal_is_the_last_one_taken: (document(goal=lambda _: "riches"),),
}
