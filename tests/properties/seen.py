"""What a session came across: every rule, gate, reason, mode and the like has a name here, and a sweep must see all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from replanctl.live.variables import Health, Verdict
from replanctl.plan.model import Granularity, OnFailure, StepState
from replanctl.replan.gates import REASONS
from replanctl.replan.routing import RULE_NAMES
from replanctl.replan.signal import ErrorType, Status
from replanctl.run import events as e
from replanctl.run.policy import Mode
from tests.properties.laws.results import COMPLETED, FAILED_BY
from tests.properties.run import Run
from tests.properties.story import RUNNING

MISSING = ("pending", "failed", "skipped", "void", "no such step", "no such field")
MENDS = ("after its step", "to null", "to a gap in text", "to the nearest id", "to the nearest key")
_ASKED_ONCE = ("max_tool_calls", "max_seconds")  # gates that leave a row only when they refuse

EXPECTED: frozenset[str] = frozenset(
    [
        *(f"event {kind.__struct_config__.tag}" for kind in e.AnyEvent.__args__ if kind is not e.StepSettled),
        *(f"status {status}" for status in Status),
        *(f"state {state}" for state in StepState if state not in ("pending", "running")),
        *(f"error type {error_type}" for error_type in ErrorType if error_type is not ErrorType.ABANDONED),
        *(f"rule {rule}" for rule in (*RULE_NAMES, "mine")),
        *(f"granularity {granularity}" for granularity in Granularity),
        *(f"gate {gate} admits" for gate in REASONS if gate not in _ASKED_ONCE),
        *(f"gate {gate} refuses" for gate in REASONS),
        *(f"reason {reason}" for reason in (*COMPLETED, *FAILED_BY)),
        *(f"mode {mode}" for mode in Mode),
        *(f"on_failure {what}" for what in OnFailure),
        *(f"health {health}" for health in Health),
        *(f"verdict {verdict}" for verdict in Verdict),
        *(f"missing {state}" for state in MISSING),
        *(f"mended {how}" for how in MENDS),
        *(f"{width} side by side" for width in (1, 2, 3)),
        *(f"lifted from {granularity}" for granularity in (Granularity.PATCH, Granularity.TAIL)),
        *(f"drafted by {who}" for who in ("scripted", "template")),
        *(f"a goal that is {'' if taken else 'not '}taken" for taken in (True, False)),
        "a lesson again",
        "a lesson driven out",
        "a stale variable read",
        "an abandoned execution",
        "a call denied before",
        "a call made again",
    ]
)


def facets(run: Run) -> set[str]:
    """The names of all that this session came across."""
    return set(_facets(run))


def _facets(run: Run) -> Iterator[str]:
    yield f"mode {run.rehearsal.policy.mode}"
    yield f"reason {run.end.reason}"
    yield f"{max(sum(s is RUNNING for s in m.after.state.values()) for m in run.moments)} side by side"
    yield from (f"health {variable.health}" for variable in run.result.variables.values())
    for event in run.events:
        yield f"event {event.__struct_config__.tag}"
        yield from _of_event(event)


def _of_event(event: e.Event) -> Iterator[str]:
    match event:
        case e.StepStart(warnings=[_, *_]):
            yield "a stale variable read"
        case e.StepEnd():
            yield from _of_ending(event)
        case e.Signal():
            yield from (f"error type {event.error_type}", f"on_failure {event.on_failure}")
            yield f"missing {event.evidence.get('state')}"
        case e.Route():
            yield from (f"rule {event.rule}", f"granularity {event.granularity}")
            yield f"lifted from {event.escalated_from}"
        case e.Gate():
            yield f"gate {event.gate} {'admits' if event.admitted else 'refuses'}"
        case e.LessonLearned():
            yield f"error type {event.error_type}"
            yield from ("a lesson again",) if event.count > 1 else ()
            yield from ("a lesson driven out",) if event.evicted else ()
        case e.PlanDraft():
            yield f"drafted by {event.replanner}"
            yield from (f"mended {how}" for how in _mends(event))
        case e.VariableHealth(verdict=verdict):
            yield f"verdict {verdict}"
        case e.GoalChanged():
            yield f"a goal that is {'' if event.accepted else 'not '}taken"


def _of_ending(event: e.StepEnd) -> Iterator[str]:
    yield f"state {event.state}"
    yield from (f"status {attempt.status}" for attempt in event.attempts)
    if event.error is not None and event.error.error_type == "abandoned":
        yield "an abandoned execution"
    if event.error is not None and event.error.error_msg == "denied before":
        yield "a call denied before"
    if event.again:
        yield "a call made again"


def _mends(event: e.PlanDraft) -> Iterator[str]:
    """What the template says it did: `step 3: #E1.row → #E1.rows`."""
    for warning in event.warnings if event.replanner == "template" else ():
        text, _, cured = warning.partition(": ")[2].partition(" → ")
        if cured == "null":
            yield "to null"
        elif cured.startswith("[gap"):
            yield "to a gap in text"
        elif " after step " in cured:
            yield "after its step"
        elif cured:
            yield "to the nearest key" if _id(text) == _id(cured) else "to the nearest id"


def _id(reference: str) -> str:
    return reference.partition(".")[0].partition("[")[0]


class Tally(msgspec.Struct):
    """What a sweep saw: how often each facet, and each rule, gate and reason together; and what was broken."""

    sessions: int = 0
    seen: dict[str, int] = {}
    together: dict[str, int] = {}  # "rule|gate|reason"
    broken: list[str] = []

    def add(self, run: Run) -> None:
        """Count one session."""
        self.sessions += 1
        _count(self.seen, facets(run))
        rules = {route.rule for route in run.result.routes} or {"-"}
        gates = {gate.gate for gate in run.result.gates} or {"-"}
        _count(self.together, (f"{rule}|{gate}|{run.end.reason}" for rule in rules for gate in gates))

    def merge(self, other: Tally) -> None:
        """Take what another part of the sweep saw."""
        self.sessions += other.sessions
        self.seen = dict(Counter(self.seen) + Counter(other.seen))
        self.together = dict(Counter(self.together) + Counter(other.together))
        self.broken += other.broken

    def missing(self) -> list[str]:
        """What a sweep should have seen and did not."""
        return sorted(EXPECTED - self.seen.keys())


def _count(counts: dict[str, int], names: Iterable[str]) -> None:
    for name in names:
        counts[name] = counts.get(name, 0) + 1


def table(tally: Tally) -> str:
    """Rules down, reasons across; each cell says in how many sessions they met and how many gates were asked there."""
    triples = [tuple(name.split("|")) for name in tally.together]
    reasons = [reason for reason in (*COMPLETED, *FAILED_BY) if any(reason == t[2] for t in triples)]
    lines = [f"{'sessions/gates':20}" + "".join(f"{reason[:12]:>13}" for reason in reasons)]
    for rule in dict.fromkeys((*RULE_NAMES, "mine", "-")):
        cells = (_cell(tally, rule, reason) for reason in reasons)
        lines.append(f"{rule:20}" + "".join(f"{cell:>13}" for cell in cells))
    lines += [f"{name:40}{tally.seen.get(name, 0):>9}" for name in sorted(EXPECTED) if name.startswith("gate ")]
    lines.append(f"{tally.sessions} sessions, {len(triples)} meetings of rule, gate and reason")
    return "\n".join(lines)


def _cell(tally: Tally, rule: str, reason: str) -> str:
    counts = [count for name, count in tally.together.items() if _meets(name, rule, reason)]
    return f"{max(counts)}/{len(counts)}" if counts else "·"


def _meets(name: str, rule: str, reason: str) -> bool:
    parts = name.split("|")
    return parts[0] == rule and parts[2] == reason
