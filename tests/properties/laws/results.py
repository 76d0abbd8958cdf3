"""The document: made from the events, and agreeing with itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from replanctl.replan.gates import REASONS
from replanctl.run.events import (
    AnyEvent,
    Event,
    Gate,
    PlanCommit,
    PlanDiffed,
    PlanRejected,
    Route,
    SessionComplete,
    SessionStart,
    StepEnd,
    StepSettled,
    StepStart,
)
from replanctl.run.policy import Mode
from tests.properties.laws.facts import is_handed_over, tool
from tests.properties.run import Run
from tests.properties.story import DONE, PENDING, SKIPPED, Standing

COMPLETED = ("goal_met", "goal_met_with_gaps")
FAILED_BY = ("no_plan", "aborted", "escalated", "insufficient_evidence", *REASONS.values())
_DECODER = msgspec.json.Decoder(AnyEvent)
_ENCODER = msgspec.json.Encoder()


def finished(run: Run) -> bool:
    """Whether the plan ran to its end and nothing is handed over to a person."""
    return run.end.reason in (*COMPLETED, "insufficient_evidence")


def events_are_numbered_and_time_goes_on(run: Run) -> Iterator[str]:
    """seq 0, 1, 2 …, times that never go back, a start in front and an end behind."""
    events = run.events
    if [event.seq for event in events] != list(range(len(events))):
        yield f"the events are numbered {[event.seq for event in events]}"
    times = [event.at for event in events]
    if times != sorted(times):
        yield f"the times are {times}"
    kinds = [type(event) for event in events]
    if kinds[0] is not SessionStart or kinds.count(SessionStart) != 1 or kinds.index(SessionComplete) != len(kinds) - 1:
        yield f"the session begins with {kinds[0].__name__} and ends with {kinds[-1].__name__}"


def every_event_survives_json(run: Run) -> Iterator[str]:
    """Written and read again, it is the same."""
    for event in run.events:
        if (again := through_json(event)) != event:
            yield f"{event} reads {again}"


def through_json(event: Event) -> Event:
    """The event as somebody reads it who got it as JSON."""
    again: Event = _DECODER.decode(_ENCODER.encode(event))
    return again


def status_reason_and_hand_over_agree(run: Run) -> Iterator[str]:
    """Completed for one of two reasons and with nothing to hand over, or failed with a hand-over that says why."""
    end, result, handover = run.end, run.result, run.result.handover
    if (result.status, result.reason, result.seconds) != (end.status, end.reason, end.at):
        yield f"the end says {end}, the result {result.status}, {result.reason}, {result.seconds}"
    if result.status != ("completed" if result.reason in COMPLETED else "failed"):
        yield f"{result.reason} is {result.status}"
    if result.reason not in (*COMPLETED, *FAILED_BY):
        yield f"{result.reason} is no reason"
    if (handover is None) != (result.status == "completed") or (handover and handover.reason != result.reason):
        yield f"the session {result.status} with {result.reason}, and hands over {handover}"
    if handover is not None and (handover.gate.gate if handover.gate else None) != end.gate:
        yield f"the end names the gate {end.gate}, the hand-over {handover.gate}"


def a_hand_over_gives_what_is_clean(run: Run) -> Iterator[str]:
    """The results that still hold, what was never run, a line for everything that ended and for every new version."""
    handover = run.result.handover
    if handover is not None:
        clean = {f"E{id_}" for id_, health in run.moments[-1].after.health.items() if health == "clean"}
        if handover.clean_results.keys() != clean:
            yield f"the hand-over gives {sorted(handover.clean_results)}, and clean are {sorted(clean)}"
        told = [
            f"{e.version} step {e.step_id} {e.state}" if type(e) is StepEnd else f"{e.to} "
            for e in run.events
            if type(e) in (StepEnd, PlanDiffed)
        ]
        if len(told) != len(handover.trajectory) or not all(map(str.startswith, handover.trajectory, told)):
            yield f"the trajectory is {handover.trajectory}, and what came is {told}"
        plan = run.moments[-1].after
        never = tuple(id_ for id_ in plan.steps if plan.state[id_] in (PENDING, SKIPPED))
        if handover.open != never:
            yield f"the hand-over says that {handover.open} were never run, and it was {never}"
        if (handover.lessons, handover.gaps) != (run.result.lessons, run.result.gaps):
            yield f"the hand-over has {handover.lessons} and {handover.gaps}, unlike the document"


def the_reason_is_what_the_final_version_deserves(run: Run) -> Iterator[str]:
    """Of a plan that ran to its end: handed over, nothing done or the required missing, flawed, or all is well."""
    handed = run.end.reason in ("escalated", "step_breaker")
    expected = _deserved(run) if finished(run) or handed else run.end.reason
    if run.end.reason != expected:
        yield f"the reason is {run.end.reason}, and the final version deserves {expected}"


def _deserved(run: Run) -> str:
    plan, solver = run.moments[-1].after, run.rehearsal.policy.solver
    done = plan.done_ids()
    if handed := _handed_over(run):
        return next(iter(handed.values()))
    solving = plan.gaps or run.rehearsal.policy.mode is Mode.REWOO
    if not done or missing(run) or (solving and len(done) < solver.min_evidence):
        return "insufficient_evidence"
    if in_doubt(run):
        return "escalated"
    whole = len(done) == len(plan.steps)
    clean = all(plan.health[id_] == "clean" for id_ in done)
    return "goal_met" if whole and clean and not any(map(_Gaps(run), done)) else "goal_met_with_gaps"


def missing(run: Run) -> tuple[str, ...]:
    """What is required and was not done: in each lineage its last step, or where that left, what was last delivered."""
    plan = run.moments[-1].after
    commits = [event for event in run.events if type(event) is PlanCommit]
    said = dict.fromkeys(f"E{step.id}" for commit in commits for step in commit.steps if step.required)
    found: dict[str, str] = {}
    for name in (*run.rehearsal.policy.solver.require, *said):
        line = max((line for line in plan.lines.values() if name[1:] in line), key=len, default=(name[1:],))
        delivered = [plan.health[id_] for id_ in line if id_ in plan.health and id_ in line[line.index(name[1:]) :]]
        holds = bool(delivered) and delivered[-1] != "void"
        if not (plan.state[line[-1]] is DONE if line[-1] in plan.steps else holds):
            found.setdefault(line[-1], name)
    return tuple(found.values())


def in_doubt(run: Run) -> list[str]:
    """The calls that are made once and may have happened, by step; a person's word takes one of its step's away."""
    doubts: list[str] = []
    for event in run.events:
        if type(event) is StepSettled:
            doubts.remove(event.step_id)
        elif type(event) is StepEnd and event.attempts:
            last = event.attempts[-1]
            if not tool(run, last.tool).idempotent and last.status in ("timeout", "lost", "tool_error", "error"):
                doubts.append(event.step_id)
    return doubts


def _handed_over(run: Run) -> dict[str, str]:
    """The steps that wait for a person, and why: neither gone nor listed again since. The earliest first."""
    handed: dict[str, str] = {}
    for event in run.events:
        if isinstance(event, Route | Gate | PlanRejected) and is_handed_over(event):
            handed[event.step_id or ""] = "step_breaker" if isinstance(event, Gate) else "escalated"
        elif type(event) is StepSettled and event.stands:
            handed.pop(event.step_id, None)
        elif type(event) is PlanCommit:
            left = {*event.removed, *(step.id for step in event.steps)}
            closes = event.cause == "goal-changed" and not event.steps  # what is there will do
            handed = {} if closes else {id_: why for id_, why in handed.items() if id_ not in left}
    return handed


class _Gaps:
    """Whether a done step ran on a null or a `[gap: …]`."""

    def __init__(self, run: Run) -> None:
        self._at = {m.event.step_id: m.before for m in run.moments if type(m.event) is StepStart}

    def __call__(self, id_: str) -> bool:
        plan: Standing = self._at[id_]
        return bool(plan.steps[id_].gaps) or any(r.step_id not in plan.health for r in plan.reads(id_))


def history_has_a_row_for_every_ending(run: Run) -> Iterator[str]:
    """One per execution, in the order they end, and one per skipped step; args as they were substituted."""
    started: dict[str, StepStart] = {}
    expected = []
    for moment in run.moments:
        event = moment.event
        if type(event) is StepStart:
            started[event.step_id] = event
        elif type(event) is StepEnd:
            skipped = event.state is SKIPPED
            args = moment.before.steps[event.step_id].args if skipped else started[event.step_id].args
            begun = event.at if skipped else started[event.step_id].at
            expected.append(
                (event.step_id, event.version, event.state, args, event.value, event.error, begun, event.at)
            )
    rows = run.result.history
    found = [(r.step_id, r.version, r.status, r.args, r.result, r.error, r.started, r.ended) for r in rows]
    if found != expected:
        yield f"the history is {found}, and what ended is {expected}"


def versions_hold_the_plan_as_it_was(run: Run) -> Iterator[str]:
    """Every version whole, each step with its state when the version ended."""
    final: dict[int, Standing] = {moment.before.version: moment.before for moment in run.moments}
    final[run.moments[-1].after.version] = run.moments[-1].after
    for number, version in enumerate(run.result.versions, 1):
        plan = final[number]
        expected = [
            (id_, s.action, s.tool_name, s.args, s.expected_outcome, s.depends_on, s.assumes, state, s.replaces)
            for (id_, s), state in zip(plan.steps.items(), plan.state.values(), strict=True)
        ]
        if [msgspec.structs.astuple(view) for view in version.steps] != expected:
            yield f"{version.version} is {version.steps}, and was {expected}"
    if len(run.result.versions) != run.moments[-1].after.version:
        yield f"there are {len(run.result.versions)} versions"


def variables_are_those_of_done_steps(run: Run) -> Iterator[str]:
    """Each with its value, its health and the version that made it."""
    made = {e.step_id: e for e in run.events if isinstance(e, StepEnd | StepSettled) and _makes(e)}
    health = run.moments[-1].after.health
    expected = {f"E{id_}": (e.value, health[id_], id_, e.version) for id_, e in made.items()}
    found = {name: (v.value, v.health, v.step_id, v.version) for name, v in run.result.variables.items()}
    if found != expected:
        yield f"the variables are {found}, and made were {expected}"


def _makes(event: StepEnd | StepSettled) -> bool:
    return event.state is DONE if type(event) is StepEnd else event.how == "done" and event.stands  # type: ignore[union-attr]


def gaps_are_those_of_the_final_version(run: Run) -> Iterator[str]:
    """Each deferred failure, and each step with nothing but gaps to run on."""
    plan = run.moments[-1].after
    if {gap.step_id for gap in run.result.gaps} != plan.gaps:
        yield f"the gaps are {run.result.gaps}, not {sorted(plan.gaps)}"


def the_goal_is_the_last_one_taken(run: Run) -> Iterator[str]:
    """Warnings are told once, and the goal is the one in force at the end."""
    goal = run.rehearsal.plan.goal
    for event in run.events:
        if getattr(event, "accepted", False):
            goal = getattr(event, "goal", goal)
    if run.result.goal != goal or len(set(run.result.warnings)) != len(run.result.warnings):
        yield f"the goal is {run.result.goal}, the warnings are {run.result.warnings}"


RESULTS = (
    events_are_numbered_and_time_goes_on,
    every_event_survives_json,
    status_reason_and_hand_over_agree,
    a_hand_over_gives_what_is_clean,
    the_reason_is_what_the_final_version_deserves,
    history_has_a_row_for_every_ending,
    versions_hold_the_plan_as_it_was,
    variables_are_those_of_done_steps,
    gaps_are_those_of_the_final_version,
    the_goal_is_the_last_one_taken,
)
