"""Drafts: laid over the plan as agreed, and refused exactly when something is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from replanctl.plan import references
from replanctl.plan.model import Step
from replanctl.run.events import PlanCommit, PlanDraft, PlanRejected, Route, Signal, StepEnd, StepStart
from tests.properties.laws.health import Variables
from tests.properties.laying import Laid, lay
from tests.properties.once import OnceOnly
from tests.properties.reading import Reading
from tests.properties.run import Run
from tests.properties.story import DONE, FAILED, SKIPPED, Moment, Standing


def drafts_are_laid_over_the_plan_as_agreed(run: Run) -> Iterator[str]:
    """The ids they get, the places they take, what follows them, and the order of the new list."""
    laid = {draft.event.seq: laid for draft, laid, _ in _judged(run)}
    for draft, expected, _ in _judged(run):
        mapping = draft.event.mapping if isinstance(draft.event, PlanDraft) else {}
        if mapping != expected.mapping:
            yield f"the draft at event {draft.event.seq} maps {mapping}, not {expected.mapping}"
    for moment in run.moments:
        if type(moment.event) is PlanCommit and (drafted := laid.get(moment.event.seq - 4)):
            yield from _differences(moment, drafted.steps(moment.before))


def _differences(commit: Moment, expected: dict[str, Step]) -> Iterator[str]:
    steps, version = commit.after.steps, commit.event.version
    if list(steps) != list(expected):
        yield f"{version} lists {list(steps)}, not {list(expected)}"
    for id_ in steps.keys() & expected.keys():
        if steps[id_] != expected[id_]:
            yield f"{version} has {steps[id_]}, not {expected[id_]}"


def exactly_the_bad_drafts_are_refused(run: Run) -> Iterator[str]:
    """Circles, unknown names, what may not be read or called, and drafts that leave nothing to run."""
    for draft, _, wrong in _judged(run):
        refused = type(run.events[draft.event.seq + 2]) is PlanRejected
        if refused is not bool(wrong):
            yield f"the draft at event {draft.event.seq} is {'' if refused else 'not '}refused, and wrong is {wrong}"


@lru_cache(maxsize=1)
def _judged(run: Run) -> list[tuple[Moment, Laid, list[str]]]:
    """Every draft with steps, laid over its plan, and all that is wrong with it."""
    if not any(type(event) is PlanDraft for event in run.events):
        return []
    drafting, found = _Drafting(run), []
    for moment in run.moments:
        event = moment.event
        if type(event) is PlanDraft and event.steps:
            laid = drafting.laid(event, moment.before)
            found.append((moment, laid, drafting.wrong(event, laid, moment.before)))
        drafting.see(moment)
    return found


class _Drafting:
    """All that a draft is held against."""

    def __init__(self, run: Run) -> None:
        self._plan = run.rehearsal.plan
        self._variables = Variables()
        self._values: dict[str, Any] = {}
        self._args: dict[str, Any] = {}
        self._once = OnceOnly(run)
        self._place = 0
        self._signals: dict[str, Signal] = {}
        self._route: Route | None = None

    def see(self, moment: Moment) -> None:
        """Take one event in."""
        event = moment.event
        self._variables.see(moment)
        self._once.see(self._place, moment)
        self._place += 1
        if type(event) is StepStart:
            self._args[event.step_id] = event.args
        elif type(event) is StepEnd and event.state is DONE:
            self._values[event.step_id] = event.value
        elif type(event) is Signal:
            self._signals[event.step_id] = event
        elif type(event) is Route:
            self._route = event

    def laid(self, draft: PlanDraft, plan: Standing) -> Laid:
        """The version the draft means."""
        health = self._variables.after(draft.verdicts).health
        return lay(draft, plan, self._scope(draft, plan), self._variables.refuted, health)

    def _scope(self, draft: PlanDraft, plan: Standing) -> list[str]:
        failed = draft.step_id
        if failed is None:
            return list(plan.steps)
        if draft.granularity == "global":
            return [failed, *(id_ for id_ in plan.steps if id_ != failed)]
        tail = plan.radius(failed, self._signals[failed].refutes) if draft.granularity == "tail" else []
        return [failed, *tail]

    def wrong(self, draft: PlanDraft, laid: Laid, plan: Standing) -> list[str]:
        """Everything against this draft."""
        steps = laid.steps(plan)
        opened = {id_: step for id_, step in steps.items() if id_ in laid.listed or plan.is_open(id_)}
        undone = {id_: step for id_, step in steps.items() if id_ in laid.listed or plan.state[id_] is not DONE}
        wrong = [*laid.faults, *_structure(undone, steps)]
        excused = draft.granularity != "global" or draft.replanner == "template"
        health = self._variables.after(draft.verdicts)
        for id_, step in laid.listed.items():
            before = laid.before.get(id_) if excused else None
            wrong += self._names(step, before)
            wrong += self._reads(step, before, health, plan, laid)
            wrong += self._calls(step, before, draft, health, plan, laid)
        if not wrong and not _something_left(opened, steps, plan):
            wrong.append("nothing is left to run")
        return wrong

    def _names(self, step: Step, before: Step | None) -> Iterator[str]:
        had = _tools(before) if before is not None else set()
        if self._plan.tools is not None and (unknown := _tools(step) - had - self._plan.tools.keys()):
            yield f"{step.id} uses {unknown}"
        if self._plan.assumptions is not None and (unknown := set(step.assumes) - self._plan.assumptions.keys()):
            yield f"{step.id} assumes {unknown}"

    def _reads(self, step: Step, before: Step | None, judged: Variables, plan: Standing, laid: Laid) -> Iterator[str]:
        known, steps = laid.knew[step.id], laid.steps(plan)
        had = {r.step_id for r in references.find(before.args, plan.knew[before.id])} if before is not None else set()
        for reference in references.find(step.args, known):
            id_ = reference.step_id
            has_value = id_ in judged.assumptions
            if id_ not in had and (judged.health(id_) != "clean" if has_value else id_ not in steps):
                yield f"{step.id} reads {reference.text}"

    def _calls(
        self, step: Step, before: Step | None, draft: PlanDraft, judged: Variables, plan: Standing, laid: Laid
    ) -> Iterator[str]:
        reading = Reading(plan, self._values, laid.knew[step.id])
        args = reading.of(step.args)
        own = before is not None and draft.step_id is not None and before is plan.steps[draft.step_id]
        same = before is not None and (before.tool_name, before.args) == (step.tool_name, step.args)
        anew = draft.granularity == "global" and draft.replanner != "template"
        if reading.unreadable or (same and not own and not anew):
            return
        if self._once.denies(step.tool_name, args):
            yield f"{step.id} makes a call that was denied"
        root = next((plan.line(id_)[0] for id_ in (step.id, step.replaces or "") if id_ in plan.lines), step.id)
        acted = self._once.stands(step.tool_name, args, step, root)
        if acted is not None and not (acted.will_do(step) and not judged.is_void(acted.step_id)):
            yield f"{step.id} makes a call that step {acted.step_id} made"


def _tools(step: Step) -> set[str]:
    return {step.tool_name, *(way.tool for way in step.alternatives if way.tool)}


def _structure(opened: dict[str, Step], steps: dict[str, Step]) -> Iterator[str]:
    """Dependencies on nothing, and circles."""
    for id_, step in opened.items():
        if unknown := set(step.depends_on or ()) - steps.keys():
            yield f"{id_} depends on {unknown}"
    left = {id_: {d for d in step.depends_on or () if d in opened} for id_, step in opened.items()}
    while free := [id_ for id_, deps in left.items() if not deps]:
        left = {id_: deps.difference(free) for id_, deps in left.items() if id_ not in free}
    if left:
        yield f"{list(left)} wait for each other"


def _something_left(opened: dict[str, Step], steps: dict[str, Step], plan: Standing) -> bool:
    """Whether an open step rests on nothing that failed for good or was skipped."""
    over = {id_ for id_ in steps if id_ not in opened and plan.state[id_] in (FAILED, SKIPPED)} - plan.gaps
    while more := [id_ for id_, step in opened.items() if id_ not in over and over.intersection(step.depends_on or ())]:
        over.update(more)
    return not over.issuperset(opened)


DRAFTS = (drafts_are_laid_over_the_plan_as_agreed, exactly_the_bad_drafts_are_refused)
