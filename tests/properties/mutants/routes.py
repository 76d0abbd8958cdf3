"""Failures that are routed wrongly or not at all."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.replan.routing import Radius
from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, told, twice, under
from tests.properties.laws import routes
from tests.properties.mutants.shapes import reason, skipped
from tests.properties.story import Moment


def _patches_again(event: e.Route, moment: Moment) -> bool:
    """A patch of what the template patched before, which only an override can ask for."""
    return event.granularity == "patch" and "(patch" in moment.before.steps[event.step_id or ""].action


ROUTES: dict[Any, tuple[Bend, ...]] = {
    routes.every_failure_has_one_signal: (told(e.Signal, dropped), told(e.Signal, twice)),
    routes.a_signal_tells_its_failure: (
        told(e.Signal, edited(attempted=lambda tried: (*tried, "magic: ok"))),
        told(e.Signal, edited(error_type=lambda _: "unknown")),
        told(e.Signal, edited(error_msg=lambda _: "something")),
    ),
    routes.failures_are_routed_once_and_in_order: (
        told(e.Route, dropped, lambda event, _: event.granularity == "none"),
        told(e.Route, twice),
    ),
    routes.nothing_is_answered_behind_an_abort_or_a_spent_gate: (
        reason("goal_met", instead_of="aborted"),
        told(e.Signal, edited(on_failure=lambda _: "abort"), lambda event, _: event.on_failure == "replan"),
        told(e.SessionComplete, edited(reason=lambda _: "no_plan"), lambda event, _: event.gate == "max_seconds"),
    ),
    routes.a_radius_counts_the_open_steps_that_rest_on_the_failure: (
        under(routing=lambda routing: replace(routing, radius=Radius.DIRECT)),
        told(e.Signal, edited(evidence=lambda evidence: {**evidence, "radius": 99})),
    ),
    routes.rules_follow_from_the_facts: (
        under(routing=lambda routing: replace(routing, patch_radius=routing.patch_radius + 1)),
        under(routing=lambda routing: replace(routing, overrides={})),
        under(routing=lambda routing: replace(routing, rules=())),
    ),
    routes.no_patch_follows_a_patch_of_the_same_lineage: (
        told(e.Route, edited(rule=lambda _: "small-radius"), _patches_again),
    ),
    routes.a_missing_variable_says_what_stands_in_the_way: (
        told(
            e.Signal,
            edited(evidence=lambda evidence: {**evidence, "state": "asleep"}),
            lambda event, _: event.error_type == "missing_var",
        ),
    ),
    routes.handing_over_skips_what_rests_on_the_failure: (
        told(e.StepEnd, dropped, lambda event, moment: skipped(event, moment) and not event.gap),
    ),
}
