"""Several policies on one script, side by side: the first event at which they part, and who does what there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import Case, session_of
from replanctl.kinds import OnFailure, StepState
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


def _partings(lines: Lines) -> Iterator[Parting]:
    """Where these lanes part, then where those part that went on together, the earlier first."""
    waiting = [lines]
    while waiting:
        together = waiting.pop(0)
        at = _first_difference(list(together.values()))
        if at is None:
            continue
        groups = _groups(together, at)
        yield _parting(groups, at)
        waiting += [group for group in groups if len(group) > 1]


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


def _parting(groups: Sequence[Lines], at: int) -> Parting:
    line = next(iter(groups[0].values()))
    signal = next((event for event in reversed(line[:at]) if isinstance(event, e.Signal)), None)
    said = tuple(Group(tuple(group), _does(next(iter(group.values())), at)) for group in groups)
    where = None if signal is None else signal.step_id
    return Parting(line[at].at, where, "" if signal is None else signal.error_msg, said)


def _alike(one: Event, two: Event) -> bool:
    """Whether both do the same: rules may have other names and gates other readings, as long as nothing comes of it."""
    if type(one) is not type(two):
        return False
    if isinstance(one, e.SessionStart):
        return True
    return _bare(one) == _bare(two)


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
            return replace(event, rule=None)
        case e.SessionComplete():
            return event.reason
        case _:
            return event


def _does(line: Sequence[Event], at: int) -> str:
    """What a session does from here on, in a few words: what comes of a route is said rather than the route."""
    event = line[at]
    if isinstance(event, e.Route | e.LessonLearned | e.Gate | e.PlanDraft) and _admitted(event):
        for later in line[at + 1 :]:
            if isinstance(later, e.PlanCommit | e.SessionComplete) or not _admitted(later):
                return _outcome(event, later)
    return _in_words(event)


def _admitted(event: Event) -> bool:
    return not isinstance(event, e.Gate) or event.admitted


def _outcome(event: Event, later: Event) -> str:
    if isinstance(later, e.PlanCommit) and later.granularity is not None:
        return f"{later.granularity}: {_steps(later.steps)}"
    if isinstance(event, e.Route) and isinstance(later, e.SessionComplete):
        return f"{event.granularity}: {_in_words(later)}"
    return _in_words(later)


def _in_words(event: Event) -> str:
    match event:
        case e.Route():
            return f"cuts {event.granularity}"
        case e.StepRetry():
            return f"calls {event.tool} again"
        case e.StepFallback():
            return f"falls back on {event.tool}"
        case e.PlanCommit():
            return f"{event.granularity or 'starts'}: {_steps(event.steps)}"
        case e.StepStart():
            return f"starts step {event.step_id} ({event.tool})"
        case e.StepEnd() if event.gap:
            return f"leaves step {event.step_id} as a gap"
        case e.StepEnd():
            return f"{_STATES[event.state]} step {event.step_id}"
        case e.Gate():
            return f"is stopped by {event.gate}"
        case e.SolverCalled():
            return "asks the Solver"
        case e.SessionComplete():
            return f"ends, {event.reason}"
        case _:
            return f"goes on ({event.type})"


_STATES = {StepState.DONE: "has done", StepState.FAILED: "fails at", StepState.SKIPPED: "skips"}


def _steps(steps: Sequence[Step]) -> str:
    """What new and revised steps do, the first two."""
    said = [f"{s.action} ({s.tool_name})" if s.action != s.tool_name else s.tool_name for s in steps[:2]]
    more = f" and {len(steps) - 2} more" if len(steps) > 2 else ""
    return f"{', '.join(said)}{more}" if said else "nothing new"
