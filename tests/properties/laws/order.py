"""When steps run: in order, side by side, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from replanctl.run.events import GoalChanged, PlanCommit, Route, Signal, StepEnd, StepStart
from replanctl.run.interruptions import Interruption
from replanctl.run.policy import Mode
from tests.properties.laws.facts import is_abandoned, is_abort, stopped
from tests.properties.once import OnceOnly
from tests.properties.reading import Reading
from tests.properties.run import Run
from tests.properties.story import DONE, FAILED, MOVES, PENDING, RUNNING, SKIPPED, Standing


def step_states_only_move_along_the_table(run: Run) -> Iterator[str]:
    """pending → running → done or failed; pending → skipped; nothing else."""
    for moment in run.moments:
        event = moment.event
        if type(event) is StepStart or type(event) is StepEnd:
            move = moment.before.state.get(event.step_id), moment.after.state[event.step_id]
            if move not in MOVES:
                yield f"event {event.seq} moves step {event.step_id} from {move[0]} to {move[1]}"


def no_step_starts_before_its_dependencies_ended(run: Run) -> Iterator[str]:
    """Every dependency is done, or a gap."""
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is StepStart:
            for id_ in plan.steps[event.step_id].depends_on or ():
                if plan.state[id_] is not DONE and id_ not in plan.gaps:
                    yield f"step {event.step_id} starts, and {id_} is {plan.state[id_]}"


def steps_start_in_list_order(run: Run) -> Iterator[str]:
    """The first of the list that may start is the one that starts; a call that is made once and in flight waits."""
    seen, values = OnceOnly(run), dict[str, Any]()
    for place, moment in enumerate(run.moments):
        event, plan = moment.event, moment.before
        if type(event) is StepStart:
            ready = (id_ for id_ in plan.steps if may_start(plan, id_))
            first = next(id_ for id_ in ready if not _waits(id_, plan, seen, values))
            if first != event.step_id:
                yield f"step {event.step_id} starts, and {first} was first"
        elif type(event) is StepEnd and event.state is DONE:
            values[event.step_id] = event.value
        seen.see(place, moment)


def _waits(id_: str, plan: Standing, seen: OnceOnly, values: dict[str, Any]) -> bool:
    reading = Reading(plan, values, plan.knew[id_])
    args = reading.of(plan.steps[id_].args)
    return not reading.unreadable and seen.waits(plan.steps[id_], args)


def may_start(plan: Standing, id_: str) -> bool:
    """Whether a step is pending with nothing to wait for."""
    deps = plan.steps[id_].depends_on or ()
    return plan.state[id_] is PENDING and all(plan.state[d] is DONE or d in plan.gaps for d in deps)


def no_more_run_side_by_side_than_allowed(run: Run) -> Iterator[str]:
    """`max_parallel` is the most that is in execution."""
    for moment in run.moments:
        flying = sum(state is RUNNING for state in moment.after.state.values())
        if flying > run.rehearsal.policy.max_parallel:
            yield f"{flying} steps run at event {moment.event.seq}"


def what_is_in_flight_finishes_before_the_plan_changes(run: Run) -> Iterator[str]:
    """Routes, changed goals and commits come when nothing runs."""
    for moment in run.moments:
        event = moment.event
        turns = type(event) in (Route, PlanCommit) or (type(event) is GoalChanged and event.accepted)
        if turns and RUNNING in moment.before.state.values():
            yield f"{type(event).__name__} at event {event.seq}, and a step still runs"


def nothing_starts_while_something_waits_to_be_settled(run: Run) -> Iterator[str]:
    """A failure for a replan, an abort, an abandoned execution or a changed goal keeps new steps from starting."""
    over = ""
    due = Due(run)
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is StepStart:
            if over or plan.waiting:
                yield f"step {event.step_id} starts in spite of {over or sorted(plan.waiting)}"
            if waiting := due.hear(event.at):
                yield f"step {event.step_id} starts in spite of {waiting}"
        over = over or (is_abort(event) and "an abort") or (is_abandoned(event) and "a spent gate") or ""
        due.see(event, plan)


class Due:
    """Which interruptions have come due and wait, and which of them change nothing and were not told yet."""

    def __init__(self, run: Run) -> None:
        self._rewoo = run.rehearsal.policy.mode is Mode.REWOO
        self._left = list(enumerate(run.rehearsal.interruptions))
        self._ended: dict[str, float] = {}  # the ids of every lineage of which a step ended, and when it first did
        self.goal = run.rehearsal.plan.goal
        self.waiting: list[tuple[float, int, Interruption]] = []
        self.idle: list[Interruption] = []

    def see(self, event: object, plan: Standing) -> None:
        """A step ended, or a change was made."""
        if type(event) is StepEnd and event.state is not SKIPPED and not is_abandoned(event):
            for id_ in plan.line(event.step_id):
                self._ended.setdefault(id_, event.at)
        elif type(event) is GoalChanged:
            self.hear(event.at)
            if self.idle and not event.accepted:
                del self.idle[0]
            else:
                self.waiting, self.goal = [], event.goal if event.accepted else self.goal

    def hear(self, seconds: float) -> str:
        """Take in what has come due by now; says what still waits to be told or made."""
        came = sorted(
            (due, place, one) for place, one in self._left if (due := self._due(one)) is not None and due <= seconds
        )
        self._left = [(place, one) for place, one in self._left if all(place != other for _, other, _ in came)]
        for each in came:
            in_force = self.waiting[-1][2].goal if self.waiting else self.goal
            if self._rewoo or each[2].goal == in_force:
                self.idle.append(each[2])
            else:
                self.waiting = sorted([*self.waiting, each])
        return f"{self.idle} and {self.waiting}" if self.idle or self.waiting else ""

    def _due(self, one: Interruption) -> float | None:
        return one.at if one.after is None else self._ended.get(one.after)

    def due_now(self, event: GoalChanged) -> tuple[str, set[str]]:
        """The goal, and what is refuted, that this event has to tell of."""
        told = self.idle[:1] if self.idle and not event.accepted else [one for _, _, one in self.waiting]
        return told[-1].goal, {name for one in told for name in one.refutes}


def goals_change_when_they_are_due(run: Run) -> Iterator[str]:
    """What waits is one change: the last to come due wins, what they refute is united. What changes nothing is told."""
    due = Due(run)
    rewoo = run.rehearsal.policy.mode is Mode.REWOO
    for moment in run.moments:
        event = moment.event
        if type(event) is GoalChanged:
            if not due.hear(event.at):
                yield f"the goal changes at event {event.seq}, and nothing is due"
                return
            back = bool(due.waiting) and due.waiting[-1][2].goal == due.goal
            if event.accepted is (rewoo or bool(due.idle) or back) or event.accepted is bool(event.warnings):
                yield f"accepted: {event.accepted} for {event.goal!r} after {event.previous!r}"
                return
            expected = due.due_now(event)
            if (event.goal, set(event.refutes)) != expected:
                yield f"the goal at event {event.seq} is {event.goal}, refuting {event.refutes}, not {expected}"
        due.see(event, moment.before)


def on_failure_is_what_the_mode_says(run: Run) -> Iterator[str]:
    """hybrid: each step's own; replan and rewoo: all alike; auto: the coupling test where the file says nothing."""
    mode = run.rehearsal.policy.mode
    alike = {Mode.REWOO: "defer", Mode.REPLAN: "replan"}.get(mode)
    said = {step.id: step.on_failure for step in run.rehearsal.plan.steps}
    required = run.rehearsal.policy.solver.require
    for moment in run.moments:
        event = moment.event
        if type(event) is Signal:
            own = moment.before.steps[event.step_id].on_failure or "replan"
            if event.on_failure != (alike or own):
                yield f"step {event.step_id} does {event.on_failure} under {mode}"
        if type(event) is PlanCommit and event.parent is None:
            for step in event.steps:
                expected = said[step.id] or (_coupled(step.id, moment.after, required) if mode is Mode.AUTO else None)
                if step.on_failure != expected:
                    yield f"step {step.id} of v1 says {step.on_failure}, not {expected}"


def _coupled(id_: str, plan: Standing, required: Collection[str]) -> str:
    """Weak coupling, more than half of what rests on the step alive without it, defers; anything else replans, and what
    the goal needs, or a direct dependent has alone to go by."""
    resting = set(plan.radius(id_))
    dead = {id_}
    while more := [o for o in resting - dead if dead.issuperset(plan.steps[o].depends_on or "x")]:
        dead.update(more)
    strong = f"E{id_}" in required or any(id_ in (plan.steps[other].depends_on or ()) for other in dead - {id_})
    return "defer" if 2 * len(resting - dead) > len(resting) and not strong else "replan"


def only_what_rests_on_a_lost_step_is_skipped(run: Run) -> Iterator[str]:
    """A skipped step names what it was blocked by, and that will not come; a gap is blocked by nothing but gaps."""
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) is StepEnd and event.state is SKIPPED:
            lost = [id_ for id_ in event.blocked_by if plan.state[id_] in (FAILED, SKIPPED) and id_ not in plan.waiting]
            if not event.blocked_by or len(lost) < len(event.blocked_by):
                yield f"step {event.step_id} is skipped, blocked by {event.blocked_by}"
            if event.gap and not plan.gaps.issuperset(plan.steps[event.step_id].depends_on or "x"):
                yield f"step {event.step_id} is a gap, and something it needs is none"


def what_depends_on_a_lost_step_does_not_wait(run: Run) -> Iterator[str]:
    """When the session goes on, or is over without a stop, nothing pending depends on what will never come."""
    for moment in run.moments:
        event, plan = moment.event, moment.before
        if type(event) in (StepStart, Route) or (moment is run.moments[-1] and not stopped(run)):
            for id_ in plan.open_ids():
                for dep in plan.steps[id_].depends_on or ():
                    gone = plan.state[dep] in (FAILED, SKIPPED) and dep not in plan.waiting | plan.gaps
                    if gone and plan.state[id_] is PENDING:
                        yield f"at event {event.seq} step {id_} waits for {dep}, which is {plan.state[dep]}"


def a_session_that_is_not_stopped_runs_its_plan_to_the_end(run: Run) -> Iterator[str]:
    """Nothing is left that could run, or waits for a replan."""
    plan = run.moments[-1].after
    if not stopped(run) and (left := plan.open_ids()):
        yield f"the session ends with {run.end.reason}, and {left} are open"
    if RUNNING in plan.state.values():
        yield "the session ends, and a step runs"


ORDER = (
    step_states_only_move_along_the_table,
    no_step_starts_before_its_dependencies_ended,
    steps_start_in_list_order,
    no_more_run_side_by_side_than_allowed,
    what_is_in_flight_finishes_before_the_plan_changes,
    nothing_starts_while_something_waits_to_be_settled,
    goals_change_when_they_are_due,
    on_failure_is_what_the_mode_says,
    only_what_rests_on_a_lost_step_is_skipped,
    what_depends_on_a_lost_step_does_not_wait,
    a_session_that_is_not_stopped_runs_its_plan_to_the_end,
)
