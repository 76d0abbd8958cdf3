"""Warnings: what may have happened, what is doubtful, and what may act twice is told, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replanctl.plan import references
from replanctl.plan.data import exact
from replanctl.plan.model import Step
from replanctl.run.events import PlanCommit, PlanDraft, StepEnd, StepStart, VariableHealth
from tests.properties.laws.facts import tool
from tests.properties.once import ANSWERS, DID_NOT_ACT, OnceOnly
from tests.properties.reading import Reading
from tests.properties.run import Run
from tests.properties.story import DONE, Standing


def a_call_that_may_have_happened_is_told(run: Run) -> Iterator[str]:
    """A failure that does not say that it did not act, of a tool that acts once."""
    for event in run.events:
        if type(event) is StepEnd:
            last = event.attempts[-1] if event.attempts else None
            doubtful = last is not None and last.status not in (*ANSWERS, *DID_NOT_ACT)
            doubtful = doubtful and last is not None and not tool(run, last.tool).idempotent
            taken = event.state is DONE and not event.attempts
            if bool(event.warnings) is not (doubtful or taken):
                yield f"step {event.step_id} ends with {last}, and warns {event.warnings}"


def a_stale_variable_is_told_when_it_is_read(run: Run) -> Iterator[str]:
    """One warning for each of them; a step that can't be run reads nothing."""
    for place, moment in enumerate(run.moments):
        event, plan = moment.event, moment.before
        if type(event) is StepStart:
            stale = {r.step_id for r in plan.reads(event.step_id) if plan.health.get(r.step_id) == "stale"}
            ended = run.events[place + 1]
            unread = type(ended) is StepEnd and ended.status == "missing_var"
            if len(event.warnings) != (0 if unread else len(stale)):
                yield f"step {event.step_id} reads {sorted(stale)}, and warns {event.warnings}"


def a_call_that_is_not_made_again_is_told(run: Run) -> Iterator[str]:
    """A draft that holds a call whose answer is there and will do."""
    seen, values = OnceOnly(run), dict[str, Any]()
    for place, moment in enumerate(run.moments):
        event = moment.event
        if type(event) is StepEnd and event.state is DONE:
            values[event.step_id] = event.value
        elif type(event) is PlanCommit and place > 4 and type(draft := run.events[place - 4]) is PlanDraft:
            drafted = run.moments[place - 4].before
            reading = Reading(drafted, values, {*drafted.lines, *(step.id for step in event.steps)})
            void = _void_behind(run, place)
            expected = [taken for step in event.steps if (taken := _taken(step, drafted, seen, reading, void))]
            told = [warning for warning in draft.warnings if warning.startswith("taken from")]
            if told != expected:
                yield f"the draft at event {draft.seq} says {told}, not {expected}"
        seen.see(place, moment)


def _void_behind(run: Run, commit: int) -> set[str]:
    """What is void once the verdicts of the draft that this commits are written."""
    last = commit + 1
    while type(run.events[last + 1]) is VariableHealth:
        last += 1
    return {id_ for id_, health in run.moments[last].after.health.items() if health == "void"}


def _taken(step: Step, plan: Standing, seen: OnceOnly, reading: Reading, void: set[str]) -> str:
    reading.unreadable.clear()
    args = reading.of(step.args)
    root = next((plan.line(id_)[0] for id_ in (step.id, step.replaces or "") if id_ in plan.lines), step.id)
    acted = None if reading.unreadable else seen.stands(step.tool_name, args, step, root)
    if acted is None or not acted.will_do(step) or seen.denies(step.tool_name, args):
        return ""
    if acted.step_id in void:
        return ""
    return f"taken from step {acted.step_id}: {step.tool_name} acts only once"


def a_draft_that_makes_the_failed_call_again_is_told(run: Run) -> Iterator[str]:
    """With what it waits for as it was, or less of it: nothing new, nothing changed, nothing that was not done."""
    draft: PlanDraft | None = None
    for moment in run.moments:
        event = moment.event
        draft = event if type(event) is PlanDraft else draft
        if type(event) is PlanCommit and draft is not None and event.granularity is not None:
            plan, failed = moment.before, event.cause.partition("@")[2]
            again = next((step for step in event.steps if failed in (step.id, step.replaces)), None)
            idle = failed in plan.steps and again is not None and _idle(again, plan.steps[failed], event, plan)
            told = [warning for warning in draft.warnings if warning.startswith("no-progress: ")]
            if len(told) != idle:
                yield f"the draft at event {draft.seq} makes no progress: {idle}, and warns {told}"


def _idle(new: Step, old: Step, event: PlanCommit, plan: Standing) -> bool:
    names = {step.replaces: step.id for step in event.steps if step.replaces in event.removed}
    drafted = {step.id: step for step in event.steps}
    waits = {names.get(id_, id_) for id_ in old.depends_on or ()}
    if _call(new) != (old.tool_name, exact(references.rename(old.args, plan.lines, names))):
        return False
    if not waits >= set(new.depends_on or ()):
        return False
    for id_ in new.depends_on or ():
        step = drafted.get(id_)
        before = plan.steps.get(step.id if step and step.id in plan.steps else (step and step.replaces) or id_)
        if before is None or (step is None and plan.state[id_] is not DONE):
            return False
        if step is not None and not _idle(step, before, event, plan):
            return False
    return True


def _call(step: Step) -> tuple[str, bytes]:
    return step.tool_name, exact(step.args)


WARNINGS = (
    a_call_that_may_have_happened_is_told,
    a_stale_variable_is_told_when_it_is_read,
    a_call_that_is_not_made_again_is_told,
    a_draft_that_makes_the_failed_call_again_is_told,
)
