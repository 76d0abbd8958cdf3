"""From a rehearsal to its session, the same for every verb that runs one, and a stored run run again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.host.effects import EffectLog, RecordedReplanner, RecordedTools
from replanctl.host.faults import fault, with_faults
from replanctl.host.outside import NOBODY, OUTSIDE, Outside
from replanctl.replan import Lesson, Replanner, ScriptedReplanner
from replanctl.run import Amendment, Event, NewInputs, Policy, RequestListener, Script, Session, Tools
from replanctl.script import ScriptedTools
from replanctl.store import Inputs


def session_of(
    rehearsal: Rehearsal,
    policy: Policy,
    lessons: Iterable[Lesson] = (),
    *,
    tools: Tools | None = None,
    replanner: Replanner | None = None,
    listener: RequestListener | None = None,
) -> Session:
    """The session that these inputs make; the same inputs make the same session.

    `tools` and `replanner` stand in for the scripted ones; `listener` is told every request before it is answered.
    """
    scripted = ScriptedTools(rehearsal.outcomes if tools is None else ())
    if replanner is None and rehearsal.planner:
        replanner = ScriptedReplanner(rehearsal.planner)
    return Session(
        rehearsal.plan,
        policy,
        tools=tools or scripted,
        replanner=replanner,
        interruptions=rehearsal.interruptions,
        lessons=lessons,
        warnings=_warnings(rehearsal),
        last_words=tuple if tools is not None else lambda: _unused(scripted),
        listener=listener,
        checked=True,
    )


def _warnings(rehearsal: Rehearsal) -> list[str]:
    return [f"{problem.rule}: {problem.message}" for problem in rehearsal.warnings]


def _unused(tools: ScriptedTools) -> Iterator[str]:
    return (f"{rule} was never used" for rule in tools.unused())


def events_of(
    inputs: Inputs,
    log: EffectLog,
    listener: RequestListener | None = None,
    *,
    real: Outside = NOBODY,
    rehearsal: Rehearsal | None = None,
) -> Iterator[Event]:
    """The events of the run that these inputs make; what was changed on the way is changed at the same events.

    `rehearsal` is what the inputs' texts say, where it is known already. Raises InputError at once, not on the way.
    """
    if rehearsal is None:
        rehearsal = parse_rehearsal(_sources(inputs, None))
    if inputs.faults:
        rules = with_faults(rehearsal.outcomes, map(fault, inputs.faults))
        rehearsal = msgspec.structs.replace(rehearsal, outcomes=rules)
    session = session_of(
        rehearsal,
        inputs.policy,
        inputs.lessons,
        tools=RecordedTools(real.tools, log) if inputs.tools is not None else None,
        replanner=RecordedReplanner(real.replanner, log, OUTSIDE) if inputs.planner is not None else None,
        listener=listener,
    )
    return amended_events(session, inputs)


def amended_events(session: Session, inputs: Inputs) -> Iterator[Event]:
    """The events of a session, which is changed on the way as its inputs say."""
    changes = {each.seq: (_change(each, inputs), each.behind_stop) for each in inputs.amendments}
    return _amended(session, changes) if changes else session.events()


def _amended(session: Session, changes: Mapping[int, tuple[NewInputs, bool]]) -> Iterator[Event]:
    def amend(seq: int) -> None:
        if seq in changes:
            change, behind_stop = changes[seq]
            session.amend(change, behind_stop=behind_stop)

    amend(0)
    for event in session.events():
        yield event
        amend(event.seq + 1)


def _change(each: Amendment, inputs: Inputs) -> NewInputs:
    """What an amendment means to the session. New outcomes stand in for what it had, their interruptions too."""
    if each.outcomes is None:
        return NewInputs(each.policy, goal=each.goal, settled=each.settled, cut_off=each.cut_off)
    rehearsal = parse_rehearsal(_sources(inputs, each.outcomes))
    scripted = ScriptedTools(rehearsal.outcomes)
    return NewInputs(
        each.policy,
        scripted,
        rehearsal.interruptions,
        lambda: (*_warnings(rehearsal), *_unused(scripted)),
        each.goal,
        each.settled,
        each.cut_off,
    )


def _sources(inputs: Inputs, instead: Script | None) -> list[Source]:
    """The texts of the run; those with outcomes are what it began with (None), or what it was given later.

    What stands beside the plan goes then too, but where a scenario is in force, which may be in it.
    """
    sources = [Source(s.name, Role(s.role), s.text) for s in inputs.sources]
    if instead is None:
        return sources
    chosen = any(source.role is Role.SCENARIO for source in sources)
    gone = (Role.OUTCOMES,) if chosen else (Role.OUTCOMES, Role.BESIDE)
    return [*(s for s in sources if s.role not in gone), Source(instead.name, Role.OUTCOMES, instead.text)]
