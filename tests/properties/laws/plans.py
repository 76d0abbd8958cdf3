"""What a replan may do to a plan: versions, ids, what is kept, what a diff says."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.kinds import Verdict
from replanctl.plan import references
from replanctl.plan.diff import diff_plans
from replanctl.plan.model import Step
from replanctl.run.events import (
    Gate,
    GoalChanged,
    PlanCommit,
    PlanDiffed,
    PlanDraft,
    Route,
    SessionStart,
    Signal,
    StepEnd,
    VariableHealth,
)
from tests.properties.run import Run
from tests.properties.story import DONE, SKIPPED, Moment, Standing


def commits(run: Run) -> Iterator[tuple[Moment, PlanCommit]]:
    """Every commit with the plan around it."""
    for moment in run.moments:
        if type(moment.event) is PlanCommit:
            yield moment, moment.event


def versions_form_a_chain(run: Run) -> Iterator[str]:
    """v1, v2, …: each names the one before it as its parent, and every event the one in force."""
    for moment in run.moments:
        event, number = moment.event, moment.after.version
        if type(event) is not SessionStart and event.version != f"v{number}":
            yield f"event {event.seq} says {event.version} under v{number}"
        if type(event) is PlanCommit and event.parent != (f"v{number - 1}" if number > 1 else None):
            yield f"{event.version} has the parent {event.parent}"


def no_id_gets_a_second_meaning(run: Run) -> Iterator[str]:
    """A commit brings an id that was never used, or revises a step that is in the plan and not done."""
    for moment, event in commits(run):
        before = moment.before
        for step in event.steps:
            if step.id in before.steps and (before.state[step.id] is DONE or event.granularity == "global"):
                yield f"{event.version} gives {step.id} another meaning"
        names = [step.id for step in (*event.steps, *event.amended)]
        if len(set(names)) != len(names):
            yield f"{event.version} names a step twice: {names}"
        for step in event.amended:
            if before.state.get(step.id, DONE) is DONE:
                yield f"{event.version} amends {step.id}, which is done or not in the plan"


def no_removed_id_comes_back(run: Run) -> Iterator[str]:
    """A removed id stays retired."""
    retired: set[str] = set()
    for moment, event in commits(run):
        for step in event.steps:
            if step.id in retired:
                yield f"{event.version} brings {step.id} back"
        retired |= moment.before.steps.keys() - moment.after.steps.keys()


def a_commit_keeps_what_its_granularity_keeps(run: Run) -> Iterator[str]:
    """A patch replaces the failed step, a tail also what rests on it, a global every step."""
    route: Route | None = None
    signals: dict[str, Signal] = {}
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is Signal:
            signals[event.step_id] = event
        elif type(event) is Route:
            route = event
        elif type(event) is PlanCommit and event.parent is not None:
            assert route is not None
            gone = set(event.removed)
            if not gone <= _replaceable(route, plan, signals):
                yield f"{event.version}, a {event.granularity}, removes {sorted(gone)}"
            if event.granularity == "global" and event.steps and gone != plan.steps.keys():
                yield f"{event.version}, a global, keeps {sorted(plan.steps.keys() - gone)}"


def _replaceable(route: Route, plan: Standing, signals: dict[str, Signal]) -> set[str]:
    if route.granularity == "global" or route.step_id is None:
        return set(plan.steps)
    radius = plan.radius(route.step_id, signals[route.step_id].refutes) if route.granularity == "tail" else ()
    return {route.step_id, *radius}


def finished_work_listed_again_is_not_run_again(run: Run) -> Iterator[str]:
    """A drafted step that is done under its own id, or the same as a done one under another, is no new step.

    Here the args of what is listed again name nothing that the draft lists, and its result still holds.
    """
    draft: PlanDraft | None = None
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is PlanDraft:
            draft = event
        elif type(event) is PlanCommit and event.granularity in ("patch", "tail"):
            assert draft is not None
            committed = {step.id for step in event.steps}
            own = {step.id for step in draft.steps}
            judged = Verdict.DISCARD in draft.verdicts.values()
            for step in draft.steps if draft.replanner != "template" and not judged else ():
                if own.intersection(references.may_mean(step.args)):
                    continue
                if _is_finished(step, plan) and draft.mapping.get(step.id, step.id) in committed:
                    yield f"{event.version} runs {step.id} again, which is done"


def _is_finished(step: Step, plan: Standing) -> bool:
    here = plan.steps.get(step.id)
    if step.again or (here is not None and plan.state[step.id] is not DONE and _way(here) == _way(step)):
        return False  # an open step of its own that happens to do the same
    clean = [id_ for id_ in plan.done_ids() if plan.health[id_] == "clean"]
    if here is not None and step.id in clean and _way(here)[1:] == _way(step)[1:]:
        return True
    return any(_way(plan.steps[id_]) == _way(step) for id_ in clean)


def _way(step: Step) -> tuple[object, ...]:
    return step.action, step.tool_name, step.args


def every_dependency_is_in_the_plan(run: Run) -> Iterator[str]:
    """Open steps wait for steps that exist, and never for each other in a circle."""
    for moment, event in commits(run):
        plan = moment.after
        for id_ in plan.open_ids():
            if lost := [d for d in plan.steps[id_].depends_on or () if d not in plan.steps]:
                yield f"in {event.version} step {id_} depends on {lost}"
            if id_ in _waits_for(plan, id_):
                yield f"in {event.version} step {id_} waits for itself"


def _waits_for(plan: Standing, id_: str) -> set[str]:
    found: set[str] = set()
    stack = [id_]
    while stack:
        new = set(plan.steps[stack.pop()].depends_on or ()).intersection(plan.open_ids()) - found
        found |= new
        stack.extend(new)
    return found


def refuted_premises_are_dropped(run: Run) -> Iterator[str]:
    """No open step of a new version assumes what was refuted."""
    refuted: set[str] = set()
    for moment in run.moments:
        event, plan = moment.event, moment.after
        if type(event) is Signal or (type(event) is GoalChanged and event.accepted):
            refuted.update(event.refutes)
        elif type(event) is PlanCommit:
            for id_ in plan.open_ids():
                if still := refuted.intersection(plan.steps[id_].assumes):
                    yield f"in {event.version} step {id_} still assumes {sorted(still)}"


def each_step_that_goes_is_replaced_once(run: Run) -> Iterator[str]:
    """`replaces` names a step that goes; no two steps take one place."""
    for moment, event in commits(run):
        new = [step for step in event.steps if step.id not in moment.before.steps and step.replaces is not None]
        places = [step.replaces for step in new]
        if len(set(places)) != len(places) or not set(places) <= set(event.removed):
            yield f"{event.version} removes {event.removed} and puts steps in the places of {places}"


def a_diff_says_what_comparing_would(run: Run) -> Iterator[str]:
    """`plan.diff` is what a comparison of the two versions finds."""
    for place, (moment, event) in enumerate(commits(run)):
        diff = run.events[event.seq + 1]
        if place and type(diff) is not PlanDiffed:
            yield f"no diff behind the commit of {event.version}"
        elif place:
            found = diff_plans(list(moment.before.steps.values()), list(moment.after.steps.values()))
            for kind in ("removed", "added", "revised", "rewired"):
                if getattr(diff, kind) != getattr(found, kind):
                    yield f"{event.version} {kind}: {getattr(diff, kind)}, and comparing says {getattr(found, kind)}"


def nothing_done_is_executed_again(run: Run) -> Iterator[str]:
    """Once done, a step does not end again."""
    done: set[str] = set()
    for event in run.events:
        if type(event) is StepEnd:
            if event.step_id in done:
                yield f"step {event.step_id} was done and ends again"
            if event.state is DONE:
                done.add(event.step_id)


def an_abandoned_plan_does_not_come_back(run: Run) -> Iterator[str]:
    """The guard reads how many abandoned versions have the (action, tool) sequence of the draft; none for a plan that
    is only the same again. Versions made for an earlier goal do not count."""
    abandoned: list[list[tuple[str, str]]] = []
    for moment, event in commits(run):
        if event.parent is not None and event.cause != "goal-changed":
            replaced, new = _sequence(moment.before), _sequence(moment.after)
            gate = run.events[event.seq - 2]
            expected = 0 if new == replaced else abandoned.count(new)
            if type(gate) is Gate and gate.reading != expected:
                yield f"max_repeat reads {gate.reading} for {event.version}, which was there {expected} times"
            abandoned.append(replaced)
        else:
            abandoned.clear()


def _sequence(plan: Standing) -> list[tuple[str, str]]:
    return [(plan.steps[id_].action, plan.steps[id_].tool_name) for id_ in plan.open_ids()]


def a_committed_draft_is_sound(run: Run) -> Iterator[str]:
    """What it lists uses known tools and premises, and reads what exists and may be read; what the step it replaces
    used or read, it may as well."""
    plan = run.rehearsal.plan
    for moment, event in commits(run):
        for step in event.steps if event.parent is not None else ():
            old = moment.before.steps.get(step.id) or moment.before.steps.get(step.replaces or "")
            tools = {*(plan.tools or (step.tool_name,)), *(_tools(old) if old is not None else ())}
            if step.tool_name not in tools:
                yield f"{event.version} uses {step.tool_name}"
            if plan.assumptions is not None and not set(step.assumes) <= plan.assumptions.keys():
                yield f"{event.version} assumes {step.assumes}"
            had = {r.step_id for r in references.find(old.args, moment.after.lines)} if old is not None else ()
            for reference in references.find(step.args, moment.after.lines):
                if reference.step_id not in had and not _readable(reference.step_id, moment, event):
                    yield f"in {event.version} step {step.id} reads {reference.text}"


def _tools(step: Step) -> set[str]:
    return {step.tool_name, *(way.tool for way in step.alternatives if way.tool)}


def _readable(id_: str, moment: Moment, commit: PlanCommit) -> bool:
    health = moment.before.health.get(id_)
    if health is None:
        return id_ in moment.after.steps
    verdict = commit.verdicts.get(f"E{id_}")
    return health != "void" and verdict != "discard" and (health == "clean" or verdict is not None)


def something_is_left_to_run_behind_a_replan(run: Run) -> Iterator[str]:
    """What a replan puts in force does not consist of steps that are skipped at once, but for gaps with gaps alone."""
    for place, moment in enumerate(run.moments):
        if type(moment.event) is PlanCommit and moment.event.cause not in ("start", "goal-changed"):
            rest = iter(run.moments[place + 1 :])
            settled = next(m for m in rest if type(m.event) not in (PlanDiffed, VariableHealth) and not _skips(m))
            if not settled.before.open_ids() and settled.before.gaps == moment.after.gaps:
                yield f"of {moment.event.version} nothing is left to run"


def _skips(moment: Moment) -> bool:
    return type(moment.event) is StepEnd and moment.event.state is SKIPPED


PLANS = (
    versions_form_a_chain,
    no_id_gets_a_second_meaning,
    no_removed_id_comes_back,
    a_commit_keeps_what_its_granularity_keeps,
    finished_work_listed_again_is_not_run_again,
    every_dependency_is_in_the_plan,
    refuted_premises_are_dropped,
    each_step_that_goes_is_replaced_once,
    a_diff_says_what_comparing_would,
    nothing_done_is_executed_again,
    an_abandoned_plan_does_not_come_back,
    a_committed_draft_is_sound,
    something_is_left_to_run_behind_a_replan,
)
