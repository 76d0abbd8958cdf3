"""Identity: which step stands for which, whatever it is called and wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from replanctl.kinds import Verdict
from replanctl.live.draft import Draft
from replanctl.plan import references
from replanctl.plan.model import Step
from replanctl.replan.prompt import ReplanRequest
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.events import PlanCommit, PlanDraft, PlanRejected
from tests.properties.run import Run
from tests.properties.run import run as run_session
from tests.properties.story import DONE, Moment, Standing


def drafted_commits(run: Run) -> Iterator[tuple[Moment, PlanDraft, PlanCommit]]:
    """Every version that a planner drafted, and the plan it was laid over."""
    draft: Moment | None = None
    for moment in run.moments:
        if type(moment.event) is PlanDraft:
            draft = moment
        elif type(moment.event) is PlanCommit and draft is not None:
            if type(draft.event) is PlanDraft and draft.event.replanner != "template":
                yield draft, draft.event, moment.event
            draft = None


def nothing_else_stands_for_a_required_step(run: Run) -> Iterator[str]:
    """Only what says so, its own id, or its tool with its written action or its args."""
    for draft, event, commit in drafted_commits(run):
        plan, drafted = draft.before, {event.mapping.get(step.id, step.id): step for step in event.steps}
        for step in commit.steps:
            old = plan.steps.get(step.replaces or "") if step.id not in plan.steps else None
            if old is None or old.id not in plan.required:
                continue
            said = drafted[step.id].replaces == old.id or drafted[step.id].id == old.id
            written = step.action == old.action != old.tool_name
            same_args = bool(old.args) and _led_back(step, commit) == _exact(old)
            if not said and not (step.tool_name == old.tool_name and (written or same_args)):
                yield f"in {commit.version} {step.id} stands for {old.id}, which is required"


def _led_back(step: Step, commit: PlanCommit) -> bytes:
    """A step's args with each reference to the step that the named one stands for."""
    stands = {other.id: other.replaces for other in commit.steps if other.replaces is not None}
    args = references.rename(step.args, set(stands), stands)
    return msgspec.json.encode(args, order="deterministic")


def _exact(step: Step) -> bytes:
    return msgspec.json.encode(step.args, order="deterministic")


def a_required_step_is_not_dropped(run: Run) -> Iterator[str]:
    """While it is not done its lineage goes on through every version; and a draft without it is told the way out."""
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is PlanCommit:
            replaced = {step.replaces for step in event.steps}
            for id_ in plan.required.intersection(event.removed):
                if plan.state[id_] is not DONE and id_ not in replaced:
                    yield f"{event.version} drops {id_}, which is required and not done"
        elif type(event) is PlanRejected:
            for reason in event.reasons:
                if " is required " in reason and f"replaces: {reason.split()[1]}" not in reason:
                    yield f"{reason} does not say how to keep it"


def the_failed_step_lives_on(run: Run) -> Iterator[str]:
    """Whatever is put before its retry: while a new step is left that stands for nothing, one stands for it."""
    for draft, event, commit in drafted_commits(run):
        failed, plan = event.step_id, draft.before
        if failed is None or failed not in commit.removed or failed in plan.required:
            continue
        new = [step for step in commit.steps if step.id not in plan.steps]
        if all(step.replaces != failed for step in new) and any(step.replaces is None for step in new):
            yield f"in {commit.version} nothing stands for {failed}, and {[s.id for s in new]} are new"


def done_work_is_recognised_link_by_link(run: Run) -> Iterator[str]:
    """No new step of a patch or tail does what a done one did, read by read, while that holds."""
    for draft, event, commit in drafted_commits(run):
        plan = draft.before
        if event.granularity == "global" or Verdict.DISCARD in event.verdicts.values():
            continue
        done = {_way(plan.steps[id_]) for id_ in plan.done_ids() if plan.health[id_] == "clean"}
        for step in commit.steps:
            if step.id not in plan.steps and not step.again and _way(step) in done:
                yield f"{commit.version} runs {step.id}, which is done"


def _way(step: Step) -> tuple[str, str, bytes]:
    return step.action, step.tool_name, _exact(step)


def no_step_is_made_to_read_itself(run: Run) -> Iterator[str]:
    """A step reads itself, or waits for itself, only where it was written so."""
    written = {step.id for step in run.rehearsal.plan.steps if _names_itself(step)}
    for draft in (event for event in run.events if type(event) is PlanDraft):
        written |= {draft.mapping.get(step.id, step.id) for step in draft.steps if _names_itself(step)}
    for commit in (event for event in run.events if type(event) is PlanCommit):
        for step in (*commit.steps, *commit.amended):
            if step.id not in written and _names_itself(step):
                yield f"in {commit.version} step {step.id} reads itself"


def _names_itself(step: Step) -> bool:
    return step.id in references.may_mean(step.args) or step.id in (step.depends_on or ())


def a_steps_lineage_does_not_hang_on_its_id(run: Run) -> Iterator[str]:
    """A draft says the same under ids that were never used and under numbers that are no open step's."""
    place, draft = next(_first_to_vary(run), (0, None))
    if draft is None or (names := _old_numbers(draft)) is None:
        return
    varied = run_session(run.rehearsal, replanner=_Varying(run, place, names))
    one, other = _committed(run, place), _committed(varied, place)
    if one != other:
        yield f"the draft at event {draft.event.seq} is {one}, and with {names} {other}"


def _first_to_vary(run: Run) -> Iterator[tuple[int, Moment]]:
    drafts = [moment for moment in run.moments if type(moment.event) is PlanDraft]
    for place, moment in enumerate(drafts):
        event = moment.event
        assert isinstance(event, PlanDraft)
        if event.replanner != "template" and event.granularity in ("patch", "tail") and _old_numbers(moment):
            yield place, moment


def _old_numbers(draft: Moment) -> dict[str, str] | None:
    """Ids that are retired or done, which the draft does not mention, instead of those that were never used."""
    event, plan = draft.event, draft.before
    assert isinstance(event, PlanDraft)
    fresh = [
        step
        for place, step in enumerate(event.steps)
        if step.id not in plan.lines
        and event.mapping.get(step.id) is None
        and not any(_names(earlier, step.id) for earlier in event.steps[: place + 1])
    ]
    free = [id_ for id_ in plan.lines if _is_free(id_, event, plan)]
    names = {step.id: id_ for step, id_ in zip(fresh, free, strict=False) if not _same_call(step, id_, plan)}
    return names or None


def _names(step: Step, id_: str) -> bool:
    """Whether a step names this id; one that is listed later has another meaning where a step had it before."""
    return id_ in references.may_mean(step.args) or id_ in (step.depends_on or ())


def _is_free(id_: str, draft: PlanDraft, plan: Standing) -> bool:
    said = {name for step in draft.steps for name in (step.id, *(step.depends_on or ()), step.replaces)}
    read = {name for step in draft.steps for name in references.may_mean(step.args)}
    return id_ not in said | read and (id_ not in plan.steps or plan.state[id_] is DONE)


def _same_call(step: Step, id_: str, plan: Standing) -> bool:
    return id_ in plan.steps and plan.steps[id_].tool_name == step.tool_name


def _committed(run: Run, place: int) -> list[str | None] | str:
    """What each step of the draft stands for, by its place; or that the draft was refused."""
    draft = [event for event in run.events if type(event) is PlanDraft][place]
    after = [event for event in run.events[draft.seq :] if type(event) in (PlanCommit, PlanRejected)]
    commit = after[0] if after else None
    if type(commit) is not PlanCommit:
        return "refused" if commit is not None else "stopped"
    replaces = {step.id: step.replaces for step in commit.steps}
    return [replaces.get(draft.mapping.get(step.id, step.id), "done") for step in draft.steps]


class _Varying:
    """A planner whose answer at one place has other ids."""

    name = "scripted"

    def __init__(self, run: Run, place: int, names: dict[str, str]) -> None:
        self._planner, self._place, self._names = ScriptedReplanner(run.rehearsal.planner), place, names
        self._asked = -1

    def replan(self, request: ReplanRequest) -> Draft | None:
        self._asked += 1
        draft = self._planner.replan(request)
        if draft is None or self._asked != self._place:
            return draft
        return replace(draft, steps=tuple(map(self._renamed, draft.steps)))

    def _renamed(self, step: Step) -> Step:
        names = self._names
        depends_on = None if step.depends_on is None else tuple(names.get(d, d) for d in step.depends_on)
        args = references.rename(step.args, names, names)
        return replace(step, id=names.get(step.id, step.id), depends_on=depends_on, args=args)

    def cause(self, request: ReplanRequest) -> str:
        return self._planner.cause(request)


STANDING = (
    nothing_else_stands_for_a_required_step,
    a_required_step_is_not_dropped,
    the_failed_step_lives_on,
    done_work_is_recognised_link_by_link,
    no_step_is_made_to_read_itself,
    a_steps_lineage_does_not_hang_on_its_id,
)
