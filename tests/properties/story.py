"""What the plan looked like before each event, worked out from the events alone by the plainest means.

It is a second opinion: it shares no code with the live plan of the engine or with the fold of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from replanctl.plan import references
from replanctl.plan.model import Step, StepState
from replanctl.run.events import (
    Event,
    Gate,
    PlanCommit,
    PlanDraft,
    PlanRejected,
    Route,
    Signal,
    StepEnd,
    StepSettled,
    StepStart,
    VariableHealth,
)

PENDING, RUNNING, DONE, FAILED, SKIPPED = StepState
MOVES = {(PENDING, RUNNING), (RUNNING, DONE), (RUNNING, FAILED), (PENDING, SKIPPED), (FAILED, DONE)}


class Standing(msgspec.Struct, frozen=True):
    """The plan at one moment. `steps` are in list order; `waiting` failed and wait for their own replan."""

    version: int = 0
    steps: Mapping[str, Step] = {}
    state: Mapping[str, StepState] = {}
    waiting: frozenset[str] = frozenset()
    gaps: frozenset[str] = frozenset()
    health: Mapping[str, str] = {}
    lines: Mapping[str, tuple[str, ...]] = {}
    required: frozenset[str] = frozenset()
    knew: Mapping[str, frozenset[str]] = {}
    drafter: str = ""
    drafted: Mapping[str, frozenset[str]] = {}  # by the id a step gets: what it reads by a name in the draft
    names: frozenset[str] = frozenset()  # the ids in the draft
    given: Mapping[str, str] = {}  # the ids that names got

    def is_open(self, id_: str) -> bool:
        """Pending, or failed and waiting for its own replan."""
        return self.state[id_] is PENDING or id_ in self.waiting

    def open_ids(self) -> list[str]:
        """The open steps in list order."""
        return [id_ for id_ in self.steps if self.is_open(id_)]

    def done_ids(self) -> list[str]:
        """The done steps in list order."""
        return [id_ for id_ in self.steps if self.state[id_] is DONE]

    def direct(self, id_: str) -> list[str]:
        """The open steps that depend on this one."""
        return [other for other in self.open_ids() if id_ in (self.steps[other].depends_on or ())]

    def radius(self, id_: str | None, refuted: Iterable[str] = ()) -> list[str]:
        """The open steps that rest on this one or on a refuted assumption, the step itself left out.

        The way may lead through a step that has ended.
        """
        refuted, opened = set(refuted), self.open_ids()
        found = {other for other in opened if refuted.intersection(self.steps[other].assumes)} | {id_}
        while more := [o for o, s in self.steps.items() if o not in found and found.intersection(s.depends_on or ())]:
            found.update(more)
        return [other for other in opened if other in found and other != id_]

    def reads(self, id_: str) -> tuple[references.Reference, ...]:
        """The references in a step's args, as they are understood now."""
        args = self.steps[id_].args
        return references.find(args, self.knew[id_]) if references.mentions(args) else ()

    def line(self, id_: str) -> tuple[str, ...]:
        """The ids of a step's lineage, the oldest first."""
        return self.lines[id_]


class Moment(msgspec.Struct, frozen=True):
    """An event, and how the plan stood before and after it."""

    event: Event
    before: Standing
    after: Standing


def tell(events: Iterable[Event]) -> list[Moment]:
    """Every event with the plan around it."""
    return list(_moments(events))


def _moments(events: Iterable[Event]) -> Iterator[Moment]:
    before = Standing()
    for event in events:
        change = _CHANGES.get(type(event))
        after = change(before, event) if change is not None else before
        yield Moment(event, before, after)
        before = after


def _commit(plan: Standing, event: PlanCommit) -> Standing:
    """The new list: what has ended, the steps of the commit, what else is open."""
    leaving = {*event.removed, *(step.id for step in event.steps)}
    amended = {step.id: step for step in event.amended}
    kept = {id_: amended.get(id_, step) for id_, step in plan.steps.items() if id_ not in leaving}
    ended = {id_: step for id_, step in kept.items() if not plan.is_open(id_)}
    listed = {step.id: step for step in event.steps}
    steps = {**ended, **listed, **kept}
    lines = dict(plan.lines)
    for step in event.steps:
        if step.id not in lines:
            lines[step.id] = (*lines.get(step.replaces or "", ()), step.id)
    own = {step.id for step in event.steps if step.required}
    required = {id_ for id_ in lines if (plan.required | own).intersection(lines[id_])}
    return replace(
        plan,
        version=plan.version + 1,
        steps=steps,
        state={id_: PENDING if id_ in listed else plan.state[id_] for id_ in steps},
        waiting=plan.waiting - leaving,
        gaps=plan.gaps - leaving,
        lines=lines,
        required=frozenset(required),
        knew={id_: _known(plan, event, step, frozenset(lines)) for id_, step in steps.items()},
    )


def _known(plan: Standing, event: PlanCommit, step: Step, now: frozenset[str]) -> frozenset[str]:
    """The ids that are references in a step: those known when it was written, and those it was led to since."""
    led = {s.replaces: s.id for s in event.steps if s.replaces}
    if step not in event.steps:
        return plan.knew[step.id] | _led(plan, plan.steps[step.id], led)
    before = step.id if step.id in plan.knew else step.replaces
    if event.rule != "resume" and plan.drafter != "template":
        return _written(plan, step, led) if plan.given else now
    if before is None or before not in plan.knew:
        return now
    mended = event.cause == f"missing_var@{before}"
    read = plan.knew[before] | _led(plan, plan.steps[before], led)
    return read | _whole(step, now) if mended else read


def _written(plan: Standing, step: Step, led: Mapping[str, str]) -> frozenset[str]:
    """What a planner knew: every id there was and the draft's own; the ids that its names get only where it means
    them."""
    read = plan.drafted.get(step.id, frozenset())
    meant = [plan.given.get(name, name) for name in read] + [led[name] for name in read if name in led]
    return frozenset({*plan.lines, *plan.names, *meant})


def _whole(step: Step, known: frozenset[str]) -> set[str]:
    """What a step reads by a text that is a reference and nothing else: no mend leaves one that reads nothing."""
    texts = (references.parse(text, known) for text in references.strings(step.args))
    return {piece.step_id for (piece, *_) in filter(None, texts) if isinstance(piece, references.Reference)}


def _led(plan: Standing, old: Step, led: Mapping[str, str]) -> set[str]:
    """The ids put into a step's text in place of those it read."""
    texts = [old.args, *(way.args for way in old.alternatives)]  # an alternative follows like the step's own args
    return {led[r.step_id] for r in references.find(texts, plan.knew[old.id]) if r.step_id in led}


def _start(plan: Standing, event: StepStart) -> Standing:
    return replace(plan, state={**plan.state, event.step_id: RUNNING})


def _end(plan: Standing, event: StepEnd) -> Standing:
    id_ = event.step_id
    return replace(
        plan,
        state={**plan.state, id_: event.state},
        gaps=plan.gaps | {id_} if event.gap else plan.gaps,
        health={**plan.health, id_: "clean"} if event.state is DONE else plan.health,
    )


def _signal(plan: Standing, event: Signal) -> Standing:
    return replace(plan, waiting=plan.waiting | {event.step_id}) if event.on_failure == "replan" else plan


def _route(plan: Standing, event: Route) -> Standing:
    """A failure that is handed to a person waits no longer."""
    return replace(plan, waiting=plan.waiting - {event.step_id}) if event.granularity == "none" else plan


def _gate(plan: Standing, event: Gate) -> Standing:
    """So does one whose breaker refuses."""
    handed_over = event.gate == "per_step" and not event.admitted
    return replace(plan, waiting=plan.waiting - {event.step_id}) if handed_over else plan


def _draft(plan: Standing, event: PlanDraft) -> Standing:
    names = frozenset(step.id for step in event.steps)
    known = names.union(plan.lines)
    reads = {
        event.mapping.get(step.id, step.id): frozenset(
            r.step_id for r in references.find([step.args, *(way.args for way in step.alternatives)], known) if r.known
        )
        for step in event.steps
    }
    return replace(plan, drafter=event.replanner, drafted=reads, names=names, given=event.mapping)


def _rejected(plan: Standing, event: PlanRejected) -> Standing:
    """One whose call a person has to settle waits no longer."""
    return replace(plan, waiting=plan.waiting - {event.step_id}) if event.handed_over else plan


def _settled(plan: Standing, event: StepSettled) -> Standing:
    """A person's word: a step that stands is done with it, or waits no longer."""
    if not event.stands:
        return plan
    id_, waiting = event.step_id, plan.waiting - {event.step_id}
    if event.how == "again":
        return replace(plan, waiting=waiting)
    if event.how == "skip":
        return replace(plan, waiting=waiting, gaps=plan.gaps - _blocked(plan, id_))
    state, health = {**plan.state, id_: DONE}, {**plan.health, id_: "clean"}
    return replace(plan, waiting=waiting, state=state, health=health, gaps=plan.gaps - {id_})


def _blocked(plan: Standing, id_: str) -> set[str]:
    """A gap, and every gap that had nothing but gaps for it."""
    closed, ways = set[str](), [id_]
    while ways:
        closed.add(gap := ways.pop())
        ways += (s.id for s in plan.steps.values() if gap in (s.depends_on or ()) and plan.state[s.id] is SKIPPED)
    return closed


def _health(plan: Standing, event: VariableHealth) -> Standing:
    return replace(plan, health={**plan.health, event.name[1:]: event.health})


_CHANGES: dict[type[Event], Callable[[Standing, Any], Standing]] = {
    PlanCommit: _commit,
    PlanDraft: _draft,
    StepStart: _start,
    StepEnd: _end,
    Signal: _signal,
    Route: _route,
    Gate: _gate,
    PlanRejected: _rejected,
    StepSettled: _settled,
    VariableHealth: _health,
}
