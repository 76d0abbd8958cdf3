"""From failure to signal to route: one each, by the table, up the ladder."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.plan.model import Granularity
from replanctl.replan.routing import Radius, RouteRule
from replanctl.replan.signal import ERROR_TYPES, Status
from replanctl.run.events import Gate, GoalChanged, PlanCommit, Route, Signal, StepEnd
from tests.properties.laws.facts import is_abandoned, is_abort, is_handed_over, not_made, stopped, tool
from tests.properties.laws.health import Variables
from tests.properties.run import Run
from tests.properties.story import FAILED, PENDING, SKIPPED, Moment, Standing

PATCH, TAIL, GLOBAL, NONE = Granularity.PATCH, Granularity.TAIL, Granularity.GLOBAL, Granularity.NONE
_DEPTH = (PATCH, TAIL, GLOBAL)


def every_failure_has_one_signal(run: Run) -> Iterator[str]:
    """It comes right behind the failure; an abandoned execution has none."""
    events = run.events
    for place, event in enumerate(events):
        if type(event) is StepEnd and event.state is FAILED:
            follower = events[place + 1]
            signalled = type(follower) is Signal and follower.step_id == event.step_id
            if signalled is is_abandoned(event):
                yield f"step {event.step_id} fails at event {place}, and {type(follower).__name__} follows"
        if type(event) is Signal:
            before = events[place - 1]
            if not (type(before) is StepEnd and before.state is FAILED and before.step_id == event.step_id):
                yield f"the signal at event {place} is about no failure"


def a_signal_tells_its_failure(run: Run) -> Iterator[str]:
    """The class is that of the last attempt's status; everything tried is named in order."""
    for place, event in enumerate(run.events):
        if type(event) is Signal:
            end = run.events[place - 1]
            assert isinstance(end, StepEnd)
            tried = tuple(f"{attempt.tool}: {attempt.status.as_heard}" for attempt in end.attempts)
            if event.attempted != tried:
                yield f"step {event.step_id} tried {tried}, and its signal says {event.attempted}"
            if event.error_type != _class(run, end):
                yield f"step {event.step_id} failed as {event.error_type}, and it was {_class(run, end)}"
            if end.error is None or (end.error.error_type, end.error.error_msg) != (event.error_type, event.error_msg):
                yield f"step {event.step_id} ends with {end.error}, and its signal says {event.error_msg}"


def _class(run: Run, end: StepEnd) -> str:
    """An answer that breaks its contract is a shape; what made no call, or not one more, says itself what it was."""
    assert end.error is not None
    if not_made(end):
        return "permission"
    if not end.attempts:
        return end.status
    last = end.attempts[-1].status.as_heard
    return ERROR_TYPES[Status.SHAPE if last is Status.OK else last]


def failures_are_routed_once_and_in_order(run: Run) -> Iterator[str]:
    """The earliest first; one whose step left the plan or was revised is not; at the end none is left."""
    queue: list[str] = []
    for moment in run.moments:
        event = moment.event
        if type(event) is Signal and event.on_failure == "replan":
            queue.append(event.step_id)
        elif type(event) is GoalChanged and event.accepted:
            queue.clear()
        elif type(event) is PlanCommit:
            revised = {*event.removed, *(step.id for step in event.steps)}
            queue = [id_ for id_ in queue if id_ not in revised]
        elif type(event) is Route and event.step_id is not None:
            turn = queue.pop(0) if queue else None
            if turn != event.step_id:
                yield f"step {event.step_id} is routed at event {event.seq}, and it was the turn of {turn}"
    if queue and not stopped(run):
        yield f"the session ends with {run.end.reason}, and {queue} were never routed"


SPENT = ("tool_call_budget", "session_token_budget", "time_budget")  # what ends an execution


def nothing_is_answered_behind_an_abort_or_a_spent_gate(run: Run) -> Iterator[str]:
    """A gate that stopped an execution, then `abort`, then a changed goal, then failures."""
    over = False
    for event in run.events:
        if over and (type(event) is Route or (type(event) is GoalChanged and event.accepted)):
            yield f"event {event.seq} answers something, and the session is over"
        over = over or is_abort(event) or is_abandoned(event)
    if any(map(is_abandoned, run.events)) != (run.end.reason in SPENT and over):
        if any(map(is_abandoned, run.events)):
            yield f"an execution was abandoned, and the reason is {run.end.reason}"
    elif any(map(is_abort, run.events)) and not any(map(is_abandoned, run.events)) and run.end.reason != "aborted":
        yield f"a step aborted, and the reason is {run.end.reason}"


def a_radius_counts_the_open_steps_that_rest_on_the_failure(run: Run) -> Iterator[str]:
    """In the signal always all of them, in the route as the policy says."""
    signals: dict[str, Signal] = {}
    direct = run.rehearsal.policy.routing.radius is Radius.DIRECT
    for place, moment in enumerate(run.moments):
        event, plan = moment.event, moment.before
        if type(event) is Signal:
            signals[event.step_id] = event
            expected = len(run.moments[place - 1].before.radius(event.step_id, event.refutes))
            if event.evidence["radius"] != expected:
                yield f"the signal of step {event.step_id} says {event.evidence['radius']}, not {expected}"
        elif type(event) is Route and event.step_id is not None:
            expected = len(_compared(plan, signals[event.step_id], direct))
            if event.radius != expected:
                yield f"the route of step {event.step_id} says {event.radius}, not {expected}"


def _compared(plan: Standing, signal: Signal, direct: bool) -> list[str]:
    return plan.direct(signal.step_id) if direct else plan.radius(signal.step_id, signal.refutes)


def rules_follow_from_the_facts(run: Run) -> Iterator[str]:
    """The rule and the granularity of every route, from the table written down once more."""
    facts = _Facts(run)
    for moment in run.moments:
        event = moment.event
        if type(event) is Route:
            expected = facts.decide(event, moment.before)
            if (event.rule, event.granularity, event.escalated_from) != expected:
                got = (event.rule, event.granularity, event.escalated_from)
                yield f"step {event.step_id} is routed by {got}, not {expected}"
        facts.see(moment)


class _Facts:
    """What a route may look at, and the table."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.policy = run.rehearsal.policy.routing
        self.variables = Variables()
        self.signals: dict[str, Signal] = {}
        self.deepest: dict[str, Granularity] = {}  # by the first id of the lineage

    def see(self, moment: Moment) -> None:
        event = moment.event
        self.variables.see(moment)
        if type(event) is Signal:
            self.signals[event.step_id] = event
        elif type(event) is PlanCommit and event.cause == "goal-changed":
            self.deepest.clear()
        elif type(event) is PlanCommit and event.granularity is not None:
            root = moment.before.line(event.cause.partition("@")[2])[0]
            self.deepest[root] = max(self.deepest.get(root, PATCH), event.granularity, key=_DEPTH.index)

    def decide(self, event: Route, plan: Standing) -> tuple[str, Granularity, Granularity | None]:
        if event.step_id is None:
            return "goal-changed", GLOBAL, None
        if (forced := self._override(event.step_id, plan)) is not None:
            return "override", forced, None
        rule, granularity = self._table(self.signals[event.step_id], plan)
        had = self.deepest.get(plan.line(event.step_id)[0])
        if granularity is NONE or had is None:
            return rule, granularity, None
        lifted = max(granularity, GLOBAL if had is GLOBAL else TAIL, key=_DEPTH.index)
        return rule, lifted, granularity if lifted is not granularity else None

    def _override(self, id_: str, plan: Standing) -> Granularity | None:
        by_policy = [self.policy.overrides[name] for name in plan.line(id_) if name in self.policy.overrides]
        return self.policy.force or plan.steps[id_].granularity or (by_policy[-1] if by_policy else None)

    def _table(self, signal: Signal, plan: Standing) -> tuple[str, Granularity]:
        radius = len(_compared(plan, signal, self.policy.radius is Radius.DIRECT))
        for own in self.policy.rules:
            if self._matches(own, signal, radius, plan):
                return own.name, own.granularity
        premise = self.variables.resting_on(signal.refutes) & set(plan.done_ids())
        match signal.error_type:
            case "environmental" | "permission":
                return signal.error_type.value, NONE
            case "missing_var":
                return _MISSING.get(signal.evidence["state"], ("plan-typo", PATCH))
            case "unknown" if not tool(self._run, signal.attempted[-1].partition(":")[0]).idempotent:
                return "may-have-happened", NONE
            case _ if premise:
                return "premise-overturned", GLOBAL
            case "semantic":
                return "wrong-decomposition", TAIL
        return ("small-radius", PATCH) if radius <= self.policy.patch_radius else ("wide-radius", TAIL)

    def _matches(self, own: RouteRule, signal: Signal, radius: int, plan: Standing) -> bool:
        when = own.when
        least, most = when.min_radius or 0, when.max_radius
        return (
            when.error_type in (None, signal.error_type)
            and (when.step is None or when.step in plan.line(signal.step_id))
            and when.tool in (None, plan.steps[signal.step_id].tool_name)
            and least <= radius
            and (most is None or radius <= most)
        )


_MISSING = {
    "failed": ("broken-dependency", TAIL),
    "skipped": ("broken-dependency", TAIL),
    "void": ("broken-dependency", TAIL),
    "pending": ("hidden-dependency", PATCH),
}


def no_patch_follows_a_patch_of_the_same_lineage(run: Run) -> Iterator[str]:
    """Unless a person forces one; a changed goal starts the ladder afresh."""
    patched: set[str] = set()
    rule = ""
    for moment in run.moments:
        event = moment.event
        if type(event) is Route:
            rule = event.rule
        elif type(event) is PlanCommit and event.cause == "goal-changed":
            patched.clear()
        elif type(event) is PlanCommit and event.granularity is not None:
            root = moment.before.line(event.cause.partition("@")[2])[0]
            if event.granularity is PATCH and root in patched and rule != "override":
                yield f"{event.version} patches the lineage of {root} once more"
            patched |= {root} if event.granularity is PATCH else set()


def a_missing_variable_says_what_stands_in_the_way(run: Run) -> Iterator[str]:
    """`pending`, `failed`, `skipped`, `void`, `no such step`, `no such field`: as the referenced step stands."""
    for place, moment in enumerate(run.moments):
        event = moment.event
        if type(event) is Signal and event.error_type == "missing_var":
            plan = run.moments[place - 2].before  # before the start of the step
            state, named = event.evidence["state"], event.evidence["referenced_step"]
            stands = _standing(plan, named) if named in plan.knew[event.step_id] else ("no such step",)
            if state not in stands:
                yield f"{event.evidence['reference']} is said to be {state}, and is {stands}"
            if named not in {reference.step_id for reference in plan.reads(event.step_id)}:
                yield f"step {event.step_id} misses {named}, which it does not read"


def _standing(plan: Standing, id_: str) -> tuple[str, ...]:
    if id_ in plan.health:
        return ("void",) if plan.health[id_] == "void" else ("no such field",)
    if id_ not in plan.steps:
        return ("no such step",)
    state = plan.state[id_]
    return ("pending",) if state in ("pending", "running") else (state.value,)


def handing_over_skips_what_rests_on_the_failure(run: Run) -> Iterator[str]:
    """And nothing else."""
    signals: dict[str, Signal] = {}
    for place, moment in enumerate(run.moments):
        event, plan = moment.event, moment.before
        if type(event) is Signal:
            signals[event.step_id] = event
        elif isinstance(event, Route | Gate) and is_handed_over(event):
            assert event.step_id is not None
            radius = plan.radius(event.step_id, signals[event.step_id].refutes)
            expected = [id_ for id_ in radius if plan.state[id_] is PENDING]
            skipped = []
            behind = 2 if type(event) is Route else 1  # a route leaves its lesson first
            for follower in run.events[place + behind :]:
                if type(follower) is not StepEnd or follower.state is not SKIPPED:
                    break
                skipped.append(follower.step_id)
            if skipped[: len(expected)] != expected:
                yield f"handing over step {event.step_id} skips {skipped}, not {expected}"


ROUTES = (
    every_failure_has_one_signal,
    a_signal_tells_its_failure,
    failures_are_routed_once_and_in_order,
    nothing_is_answered_behind_an_abort_or_a_spent_gate,
    a_radius_counts_the_open_steps_that_rest_on_the_failure,
    rules_follow_from_the_facts,
    no_patch_follows_a_patch_of_the_same_lineage,
    a_missing_variable_says_what_stands_in_the_way,
    handing_over_skips_what_rests_on_the_failure,
)
