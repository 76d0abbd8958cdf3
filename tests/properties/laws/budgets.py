"""No run may ever exceed a gate, and a gate refuses exactly what would."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from replanctl.replan.gates import REASONS
from replanctl.run.events import (
    Event,
    Gate,
    Ledger,
    LessonLearned,
    PlanCommit,
    PlanDraft,
    PlanRejected,
    Route,
    SessionStart,
    Signal,
    StepEnd,
    StepFallback,
    StepRetry,
    StepStart,
)
from tests.properties.laws.facts import is_handed_over
from tests.properties.run import Run
from tests.properties.story import Moment, Standing

BEGINNINGS = (StepStart, StepRetry, StepFallback)
SUMS = ("max_replan_tokens", "max_tokens")  # a reading may come to the limit
COUNTED = ("per_step", "max_replans", "max_repeat", "max_tool_calls", "max_seconds")  # a reading must stay below


def count(run: Run, kind: type[Event]) -> int:
    """How many events of a kind there are."""
    return sum(type(event) is kind for event in run.events)


def _within(name: str, reading: float, limit: float | None) -> Iterator[str]:
    if limit is not None and reading > limit:
        yield f"{name} is {limit}, and the session came to {reading}"


def limits_are_those_of_the_policy(run: Run) -> Iterator[str]:
    """What is in force is what is stated, else the preset's, else the default."""
    start = run.events[0]
    assert isinstance(start, SessionStart)
    if start.limits != msgspec.structs.asdict(run.limits):
        yield f"the limits are {start.limits}, not {run.limits}"


def executions_stay_within_max_steps(run: Run) -> Iterator[str]:
    """The step budget counts executions over all versions."""
    yield from _within("max_steps", count(run, StepStart), run.limits.max_steps)


def replans_stay_within_max_replans(run: Run) -> Iterator[str]:
    """One that was asked counts, whatever came back."""
    yield from _within("max_replans", count(run, PlanDraft), run.limits.max_replans)


def replan_tokens_stay_within_the_limit(run: Run) -> Iterator[str]:
    """What is booked on replans."""
    booked = sum(event.booked for event in run.events if type(event) is Ledger and event.kind == "replan")
    yield from _within("max_replan_tokens", booked, run.limits.max_replan_tokens)


def calls_stay_within_max_tool_calls(run: Run) -> Iterator[str]:
    """Tool calls count attempts, those of fallbacks too."""
    yield from _within("max_tool_calls", len(run.calls), run.limits.max_tool_calls)


def tokens_stay_within_max_tokens(run: Run) -> Iterator[str]:
    """Everything booked; only a call that took more than its coefficient may carry a session over."""
    c = run.rehearsal.policy.coefficients
    booked = over = 0
    for event in run.events:
        if type(event) is Ledger:
            booked += event.booked
        elif type(event) is StepEnd:
            booked += sum(attempt.tokens for attempt in event.attempts)
            asked = [c.retry if at else c.execution for at in range(len(event.attempts))]
            over += sum(max(0, a.tokens - most) for a, most in zip(event.attempts, asked, strict=True))
    yield from _within("max_tokens", booked - over, run.limits.max_tokens)


def time_stays_within_max_seconds(run: Run) -> Iterator[str]:
    """Nothing happens after the limit, and nothing begins at it."""
    limit = run.limits.max_seconds
    yield from _within("max_seconds", run.events[-1].at, limit)
    for event in run.events:
        if limit is not None and isinstance(event, BEGINNINGS) and event.at >= limit:
            yield f"{type(event).__name__} of step {event.step_id} at {event.at}, where the time is up"


def a_refusal_is_the_last_thing_but_the_end(run: Run) -> Iterator[str]:
    """The stop comes before the crossing: behind a refused gate there is nothing but the end, which names it.

    The breaker alone speaks of one step, and the others go on.
    """
    for place, event in enumerate(run.events):
        if type(event) is Gate and not event.admitted and not is_handed_over(event):
            if place != len(run.events) - 2:
                yield f"{event.gate} refused at event {place}, and the session went on"
            if (run.end.gate, run.end.reason) != (event.gate, REASONS[event.gate]):
                yield f"{event.gate} refused, but the end names {run.end.gate} and {run.end.reason}"
    last = run.events[-2]
    if run.end.reason == "step_breaker":
        if run.end.gate != "per_step" or not any(type(e) is Gate and is_handed_over(e) for e in run.events):
            yield f"the reason is step_breaker by {run.end.gate}, and the breaker handed over nothing"
    elif run.end.reason in REASONS.values() and not (type(last) is Gate and not last.admitted):
        yield f"the reason is {run.end.reason}, and no gate refused"


def a_gate_admits_exactly_what_is_inside(run: Run) -> Iterator[str]:
    """Counts stop at the limit, sums above it; no limit admits all."""
    for event in run.events:
        if type(event) is Gate:
            sums = event.gate in ("max_replan_tokens", "max_tokens") or (
                event.gate == "max_steps" and _of_draft(run, event)
            )
            inside = event.limit is None or event.reading < event.limit + (1 if sums else 0)
            if event.admitted is not inside:
                yield f"{event.gate} reads {event.reading} of {event.limit}, and answers {event.admitted}"
            if event.limit != getattr(run.limits, event.gate):
                yield f"{event.gate} asks for {event.limit}"


def _of_draft(run: Run, event: Gate) -> bool:
    """Whether this row is about a draft, and not about the next step: the guard was asked right before."""
    before = run.events[event.seq - 1]
    return type(before) is Gate and before.gate == "max_repeat"


def gates_read_what_was_spent(run: Run) -> Iterator[str]:
    """Each reading is the sum of what the events before it say was spent."""
    spent = _Spent(run)
    for moment in run.moments:
        event = moment.event
        expected = spent.reading(event, moment.before) if type(event) is Gate else None
        if type(event) is Gate and expected not in (None, event.reading):
            yield f"{event.gate} reads {event.reading} at event {event.seq}, and {expected} was spent"
        spent.see(moment)


class _Spent:
    """Every sum a gate reads, kept by hand."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.drafts = self.tokens = self.booked = self.executions = self.lessons = 0
        self.asked: Counter[tuple[str, str]] = Counter()
        self.route: Route | None = None
        self.signals: dict[str, Signal] = {}
        self.error_type = ""
        self.abandoned = False  # a gate ended an execution, and read when its wait would have ended

    def see(self, moment: Moment) -> None:
        event = moment.event
        match event:
            case Signal():
                self.signals[event.step_id] = event
            case Route():
                self.route, self.error_type = event, str(event.error_type)
            case PlanDraft():
                self.drafts += 1
                if event.step_id is not None:
                    self.asked[moment.before.line(event.step_id)[0], self.error_type] += 1
            case PlanRejected():
                self.error_type = "invalid_draft"
            case Ledger(kind=kind):
                self.booked += event.booked
                self.tokens += event.booked if kind == "replan" else 0
            case StepStart():
                self.executions += 1
            case StepEnd():
                self.booked += sum(attempt.tokens for attempt in event.attempts)
                self.abandoned |= event.error is not None and event.error.error_type == "abandoned"
            case LessonLearned():
                self.lessons += (event.count == 1) - (event.evicted is not None)
            case PlanCommit(cause="goal-changed"):
                self.asked.clear()

    def reading(self, gate: Gate, plan: Standing) -> float | None:
        """What this gate must read now; None where another law looks at it."""
        return self._readings[gate.gate](self, gate, plan)

    def _per_step(self, gate: Gate, plan: Standing) -> float:
        assert gate.step_id is not None
        return self.asked[plan.line(gate.step_id)[0], self.error_type]

    def _tokens(self, gate: Gate, plan: Standing) -> float:
        return self.tokens + math.ceil(self.estimate(plan) * 12 / 10)

    def _all_tokens(self, gate: Gate, plan: Standing) -> float | None:
        """At a replan, where nothing is in flight and the padded estimate is what comes next."""
        before = self._run.events[gate.seq - 1]
        if type(before) is not Gate or before.gate != "max_replan_tokens":
            return None
        return self.booked + math.ceil(self.estimate(plan) * 12 / 10)

    def estimate(self, plan: Standing) -> int:
        """What the request carries: at most eight done lines, nine step lines and five lessons."""
        c, route = self._run.rehearsal.policy.coefficients, self.route
        assert route is not None
        if route.step_id is None or route.granularity == "global":
            carried = len(plan.steps) - len(plan.done_ids())
        elif route.granularity == "tail":
            carried = 1 + len(plan.radius(route.step_id, self.signals[route.step_id].refutes))
        else:
            carried = 1 + len(plan.direct(route.step_id))
        shown = [id_ for id_ in plan.done_ids() if plan.health[id_] != "void"]
        lines = c.done_line * min(len(shown), 8) + c.step * min(carried, 9)
        return c.prompt + c.goal + c.failure + c.lesson * min(self.lessons, 5) + lines

    def _steps(self, gate: Gate, plan: Standing) -> float | None:
        return None if _of_draft(self._run, gate) else self.executions

    def _calls(self, gate: Gate, plan: Standing) -> float:
        return sum(place <= gate.seq for place, _, _ in self._run.calls)

    _readings: dict[str, Callable[..., float | None]] = {
        "per_step": _per_step,
        "max_replans": lambda self, gate, plan: self.drafts,
        "max_replan_tokens": _tokens,
        "max_repeat": lambda self, gate, plan: None,
        "max_steps": _steps,
        "max_tool_calls": _calls,
        "max_tokens": _all_tokens,
        "max_seconds": lambda self, gate, plan: None if self.abandoned else gate.at,
    }


def a_draft_is_admitted_with_room_to_run(run: Run) -> Iterator[str]:
    """The step gate reads the executions so far and the open steps the new version will have."""
    executions = 0
    for place, moment in enumerate(run.moments):
        event = moment.event
        executions += type(event) is StepStart
        if type(event) is PlanCommit and type(gate := run.events[place - 1]) is Gate and gate.gate == "max_steps":
            expected = executions + len(moment.after.open_ids())
            if gate.reading != expected:
                yield f"max_steps reads {gate.reading} for {event.version}, which needs {expected}"


_ASKING = ("per_step", "max_replans", "max_replan_tokens")
_JUDGING = ("max_repeat", "max_steps")


def gates_are_asked_in_their_order(run: Run) -> Iterator[str]:
    """Breaker, count, tokens before the replanner; oscillation and room behind the draft check; up to a refusal."""
    events = run.events
    for place, event in enumerate(events):
        if type(event) is PlanDraft:
            asking = [*(_ASKING if event.step_id is not None else _ASKING[1:]), *_last_asked(run)]
            before = [e.gate for e in events[place - len(asking) : place] if type(e) is Gate]
            if before != asking:
                yield f"before the draft at event {place} the gates {before} were asked"
        if type(event) is PlanCommit and event.parent is not None and not _emptied(events[place - 2]):
            before = [e.gate for e in events[place - 2 : place] if type(e) is Gate]
            if before != list(_JUDGING):
                yield f"before the commit of {event.version} the gates {before} were asked"


def _last_asked(run: Run) -> list[str]:
    """Tokens in all are asked for only where they are limited."""
    return ["max_tokens"] if run.limits.max_tokens is not None else []


def _emptied(event: Event) -> bool:
    """Whether a replanner said that nothing is left to do: no draft, no gate."""
    return type(event) is PlanDraft and not event.steps


BUDGETS = (
    limits_are_those_of_the_policy,
    executions_stay_within_max_steps,
    replans_stay_within_max_replans,
    replan_tokens_stay_within_the_limit,
    calls_stay_within_max_tool_calls,
    tokens_stay_within_max_tokens,
    time_stays_within_max_seconds,
    a_refusal_is_the_last_thing_but_the_end,
    a_gate_admits_exactly_what_is_inside,
    gates_read_what_was_spent,
    a_draft_is_admitted_with_room_to_run,
    gates_are_asked_in_their_order,
)
