"""Warnings: what may have happened, what is doubtful, and what may act twice is told, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.plan.diff import exact
from replanctl.plan.model import Step
from replanctl.replan.signal import Status
from replanctl.run.events import PlanCommit, PlanDraft, StepEnd, StepStart
from tests.properties.laws.facts import tool
from tests.properties.run import Run
from tests.properties.story import DONE, FAILED


def a_call_that_may_have_happened_is_told(run: Run) -> Iterator[str]:
    """A failure ended by the time-out of a tool that is not idempotent."""
    for event in run.events:
        if type(event) is StepEnd:
            last = event.attempts[-1] if event.attempts else None
            timed_out = last is not None and event.state is FAILED and last.status.as_heard is Status.TIMEOUT
            doubtful = last is not None and timed_out and not tool(run, last.tool).idempotent
            if bool(event.warnings) is not doubtful:
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


def a_call_that_may_act_twice_is_told(run: Run) -> Iterator[str]:
    """A draft that makes a call again which is done, of a tool that is not idempotent."""
    done: set[tuple[str, bytes]] = set()
    for place, moment in enumerate(run.moments):
        event = moment.event
        if type(event) is StepEnd and event.state is DONE:
            done.add(_call(moment.before.steps[event.step_id]))
        elif type(event) is PlanCommit and place > 4 and type(draft := run.events[place - 4]) is PlanDraft:
            risky = [s.id for s in event.steps if not tool(run, s.tool_name).idempotent and _call(s) in done]
            told = [w.split()[1] for w in draft.warnings if w.endswith("may act twice")]
            if told != risky:
                yield f"the draft at event {draft.seq} warns of {told}, not of {risky}"


def _call(step: Step) -> tuple[str, bytes]:
    return step.tool_name, exact(step.args)


WARNINGS = (
    a_call_that_may_have_happened_is_told,
    a_stale_variable_is_told_when_it_is_read,
    a_call_that_may_act_twice_is_told,
)
