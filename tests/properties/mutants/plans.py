"""Replans that may not be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from replanctl.plan.model import Step
from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, engine, told, twice
from tests.properties.laws import plans
from tests.properties.mutants.shapes import admitting, done, one_more, set_judge
from tests.properties.story import Moment


class _Blind:
    """Finished work, by an engine that does not recognise it."""

    def same(self, step: Step, holds: object) -> None:
        """Nothing is ever the same."""

    def same_action(self, step: Step) -> None:
        """Nothing was ever done."""


def _replan(event: e.PlanCommit, moment: Moment) -> bool:
    return event.parent is not None and bool(event.steps)


def _steps(change: Callable[[Step], Step], where: Callable[[Any, Moment], bool] = _replan) -> Bend:
    """A commit that has its first step otherwise."""
    return told(e.PlanCommit, edited(steps=lambda steps: (change(steps[0]), *steps[1:])), where)


def _relist(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    """A commit that lists what was done once more."""
    done = [moment.before.steps[id_] for id_ in moment.before.done_ids()]
    return [replace(event, steps=(*event.steps, *done))]


def _resurrect(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    """A commit that brings back whatever left the plan earlier."""
    lost = [id_ for id_ in moment.before.lines if id_ not in moment.before.steps]
    return [replace(event, steps=(*event.steps, *(Step(id_, "fetch", depends_on=()) for id_ in lost)))]


def _remove_more(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    return [replace(event, removed=tuple(moment.before.steps))]


def _premise(event: e.PlanCommit, moment: Moment) -> list[e.Event]:
    steps = tuple(replace(step, assumes=event.refuted) for step in event.steps)
    return [replace(event, steps=steps)]


PLANS: dict[Any, tuple[Bend, ...]] = {
    plans.versions_form_a_chain: (
        told(e.PlanCommit, edited(parent=lambda _: "v9")),
        told(e.StepStart, edited(version=lambda _: "v9")),
    ),
    plans.no_id_gets_a_second_meaning: (
        told(e.PlanCommit, _relist, lambda event, m: bool(m.before.done_ids())),
        told(e.PlanCommit, edited(steps=lambda steps: (*steps, steps[-1])), _replan),
        told(e.PlanCommit, edited(amended=lambda _: (Step("ghost", "fetch"),)), _replan),
    ),
    plans.no_removed_id_comes_back: (
        told(e.PlanCommit, _resurrect, lambda event, m: len(m.before.lines) > len(m.before.steps)),
    ),
    plans.a_commit_keeps_what_its_granularity_keeps: (
        told(e.PlanCommit, _remove_more, lambda event, _: event.granularity == "patch"),
        told(e.PlanCommit, edited(removed=lambda ids: ids[1:]), lambda event, _: event.granularity == "global"),
    ),
    plans.finished_work_listed_again_is_not_run_again: (engine(set_judge("_finished", _Blind())),),
    plans.every_dependency_is_in_the_plan: (
        _steps(lambda step: replace(step, depends_on=("ghost",))),
        _steps(lambda step: replace(step, depends_on=(step.id,))),
    ),
    plans.refuted_premises_are_dropped: (told(e.PlanCommit, _premise, lambda event, _: bool(event.refuted)),),
    plans.each_step_that_goes_is_replaced_once: (
        told(e.PlanCommit, edited(removed=lambda _: ()), lambda event, _: event.granularity == "tail"),
    ),
    plans.a_diff_says_what_comparing_would: (
        told(e.PlanDiffed, edited(removed=lambda ids: ids[::-1]), lambda event, _: len(event.removed) > 1),
        told(e.PlanDiffed, edited(revised=lambda _: ()), lambda event, _: bool(event.revised)),
        told(e.PlanDiffed, dropped),
    ),
    plans.nothing_done_is_executed_again: (told(e.StepEnd, twice, done),),
    plans.an_abandoned_plan_does_not_come_back: (told(e.Gate, edited(reading=one_more), admitting("max_repeat")),),
    plans.a_committed_draft_is_sound: (
        _steps(lambda step: replace(step, tool_name="nobody")),
        _steps(lambda step: replace(step, assumes=("luck",))),
        _steps(lambda step: replace(step, args={"q": "#E404"})),
    ),
    plans.something_is_left_to_run_behind_a_replan: (told(e.PlanCommit, edited(steps=lambda _: ()), _replan),),
}
