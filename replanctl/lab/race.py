"""Several policies on one script, side by side: the first event at which they part, and who does what there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import Case, session_of
from replanctl.kinds import Granularity, OnFailure, StepState
from replanctl.lab.compare import Comparison, Group, Lane, Parting, Race, Strategy, lanes_of
from replanctl.lab.facts import Facts
from replanctl.plan import Step
from replanctl.run import Event
from replanctl.run import events as e

MOST_PARTINGS = 4
replace = msgspec.structs.replace

Lines = dict[str, list[Event]]  # the events of each lane, by its name


def race(comparison: Comparison, case: Case, lanes: Sequence[Lane | Strategy], facts: Sequence[Facts]) -> Comparison:
    """The comparison of one case, with its lanes side by side; `facts` are those of its lanes, in their order."""
    events = {lane.name: _events(case, lane) for lane in lanes_of(case.rehearsal, lanes)}
    found = tuple(_partings(events))[:MOST_PARTINGS]
    plan = case.rehearsal.plan
    return replace(comparison, race=Race(case.name, plan.goal, len(plan.steps), tuple(facts), found))


def parting(rehearsal: Rehearsal, first: Lane, other: Lane) -> Parting | None:
    """The first event at which two policies differ; None where they never do."""
    case = Case("", rehearsal)
    return next(_partings({lane.name: _events(case, lane) for lane in (first, other)}), None)


def _events(case: Case, lane: Lane) -> list[Event]:
    return list(session_of(case.rehearsal, lane.policy, case.lessons).events())


# Two sessions of one script are the same event for event until a policy decides otherwise, so the first event that
# differs is the decision that made the difference; everything later is its consequence. Within the groups that went on
# together the same question is asked again, until nobody parts.
def _partings(lines: Lines) -> Iterator[Parting]:
    """Where these lanes part, then where those part that went on together. Partings at one instant are one."""
    waiting = [lines]
    while waiting:
        together = waiting.pop(0)
        at = _first_difference(list(together.values()))
        if at is None:
            continue
        groups = _parted(together, at, _at(together, at))
        yield _parting(groups)
        waiting += [group for group, _ in groups if len(group) > 1]


def _parted(lines: Lines, at: int, instant: float) -> list[tuple[Lines, int]]:
    """The groups into which lanes fall at an instant, each with the number of the event where it went its own way."""
    found: list[tuple[Lines, int]] = []
    for group in _groups(lines, at):
        again = _first_difference(list(group.values()))
        if again is not None and _at(group, again) == instant:
            # Lanes that go together here and part later in this instant decided otherwise about the same failure: all
            # that happens at one instant is one parting.
            found += _parted(group, again, instant)
        else:
            found.append((group, at))
    return found


def _at(lines: Lines, number: int) -> float:
    """When the event of that number comes, of the first lane."""
    return next(iter(lines.values()))[number].at


def _first_difference(lines: Sequence[Sequence[Event]]) -> int | None:
    """The number of the first event that is not alike in all; a session that goes on where another ended differs."""
    first, *others = lines
    for at, event in enumerate(first):
        if not all(at < len(line) and _alike(event, line[at]) for line in others):
            return at
    return None


def _groups(lines: Lines, at: int) -> list[Lines]:
    """The lanes by what they do at this event."""
    groups: list[Lines] = []
    for name, line in lines.items():
        for group in groups:
            if _alike(next(iter(group.values()))[at], line[at]):
                group[name] = line
                break
        else:
            groups.append({name: line})
    return groups


def _parting(groups: Sequence[tuple[Lines, int]]) -> Parting:
    lines = [(tuple(group), next(iter(group.values())), at) for group, at in groups]
    now = lines[0][1][lines[0][2]].at
    said = tuple(Group(names, _does(line, at)) for names, line, at in lines)
    found = [failure for _, line, at in lines if (failure := _answered(line, at)) is not None]
    step_id, message = found[0] if found else (None, "")
    return Parting(now, step_id, message, said)


def _answered(line: Sequence[Event], at: int) -> tuple[str, str] | None:
    """The failure that is being answered at an event, as its step and its message; None where there is none."""
    now = line[at].at
    here = [event for event in line[: at + 1] if event.at == now]
    for event in reversed(here):
        if isinstance(event, e.Signal):
            return event.step_id, event.error_msg
        if isinstance(event, e.StepEnd) and event.error is not None and event is line[at]:
            return event.step_id, event.error.error_msg
    # With steps side by side a failure is answered once those in flight have ended, which may be minutes later.
    route = next((event for event in line[at:] if event.at > now or isinstance(event, e.Route)), None)
    if not isinstance(route, e.Route) or route.step_id is None or route.at != now:
        return None
    signals = [event for event in line[:at] if isinstance(event, e.Signal) and event.step_id == route.step_id]
    return (route.step_id, signals[-1].error_msg) if signals else None


# Events are compared by what comes of them. A rule's name, a gate's reading or the limit in force differ between any
# two policies and would make every race part at its first gate.
def _alike(one: Event, two: Event) -> bool:
    """Whether both do the same: rules may have other names and gates other readings, as long as nothing comes of it."""
    if type(one) is not type(two):
        return False
    # It states the policy, which is what is being compared.
    if isinstance(one, e.SessionStart):
        return True
    return bool(_bare(one) == _bare(two))


def _bare(event: Event) -> Any:
    """The event without what only says why."""
    match event:
        case e.Gate():
            return event.gate, event.admitted
        case e.Signal():
            return replace(event, on_failure=OnFailure.REPLAN)
        case e.Route():
            return replace(event, rule="", escalated_from=None)
        case e.PlanCommit():
            return event.granularity, event.removed, event.verdicts, list(map(_work, event.steps))
        case e.PlanDraft():
            return event.granularity, event.verdicts, event.error, list(map(_work, event.steps))
        case e.SessionComplete():
            return event.reason
        case _:
            return event


def _work(step: Step) -> Any:
    """What a step does, whatever is to happen when it fails."""
    return step.id, step.action, step.tool_name, step.args, step.depends_on


def _does(line: Sequence[Event], at: int) -> str:
    """What a session does from here on, in a few words: what comes of a decision is said rather than the decision."""
    now, draft, failed = line[at].at, _draft_before(line, at), False
    for event in line[at:]:
        if failed and event.at > now:
            return "waits for what is running"
        if isinstance(event, e.PlanDraft):
            draft = event
        if isinstance(event, e.PlanRejected) and draft is not None:
            return f"has {_CUTS[draft.granularity]} refused"
        if said := _in_words(event):
            return said
        failed = failed or (isinstance(event, e.StepEnd) and event.state is StepState.FAILED)
    return "nothing more"


def _draft_before(line: Sequence[Event], at: int) -> e.PlanDraft | None:
    """The draft that was made last."""
    return next((event for event in reversed(line[:at]) if isinstance(event, e.PlanDraft)), None)


def _in_words(event: Event) -> str:
    """What an event does; nothing for one of which something comes."""
    match event:
        case e.Route() if event.granularity is Granularity.NONE:
            return "hands it over"
        case e.StepRetry():
            return f"calls {event.tool} again"
        case e.StepFallback():
            return f"falls back on {event.tool}"
        case e.PlanCommit() if event.granularity is not None:
            return f"{_CUTS[event.granularity]}, {_steps(event.steps)}"
        case e.StepStart():
            return f"starts step {event.step_id} ({event.tool})"
        case e.StepEnd() if event.gap:
            return f"leaves step {event.step_id} as a gap"
        case e.StepEnd() if event.state is not StepState.FAILED:
            return f"{event.state} step {event.step_id}"
        case e.Gate() if not event.admitted:
            return f"is stopped by {event.gate}"
        case e.SolverCalled():
            return "asks the Solver"
        case e.SessionComplete():
            return f"ends as {event.reason}"
        case _:
            return ""


_CUTS = {
    Granularity.PATCH: "a patch",
    Granularity.TAIL: "a tail",
    Granularity.GLOBAL: "a new plan",
    Granularity.NONE: "nothing",
}


def _steps(steps: Sequence[Step]) -> str:
    """What new and revised steps do, the first two."""
    said = [f"{s.action} ({s.tool_name})" if s.action != s.tool_name else s.tool_name for s in steps[:2]]
    more = f" and {len(steps) - 2} more" if len(steps) > 2 else ""
    return f"{', '.join(said)}{more}" if said else "nothing new"
