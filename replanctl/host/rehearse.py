"""From a rehearsal to its session, the same for every verb that runs one, and a stored run run again.

Who is asked for real, the tools and the planner that a run was given, is decided here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.plan import Plan
from replanctl.run import Amendment, Call, Event, NewInputs, Outcome, Policy, Script, Session, Tools
from replanctl.script import ScriptedTools, fault, with_faults
from replanctl.store import Inputs

if TYPE_CHECKING:
    from replanctl.host.effects import EffectLog
    from replanctl.host.functions import OnError, Toolbox
    from replanctl.host.waiting import OnWait
    from replanctl.live import Draft
    from replanctl.replan import Lesson, Replanner, ReplanRequest
    from replanctl.run import RequestListener

PLANNER_TIMEOUT = 60.0  # seconds
OUTSIDE = "command"  # what events call a planner that is none of ours


class Outside(msgspec.Struct, frozen=True):
    """The real tools and the real planner of a run. In a replay both refuse: every answer is on record."""

    tools: Tools
    replanner: Replanner


# Stands at both seams, so that a run that would ask somebody for real says so instead of quietly asking nobody.
class _Nobody:
    """Stands where a run's tools and planner were, in a replay of it."""

    name = OUTSIDE

    def call(self, call: Call) -> Outcome:
        raise ReplayDivergedError("a replay calls no tools")

    def replan(self, request: ReplanRequest) -> Draft | None:
        raise ReplayDivergedError("a replay asks no planner")

    def cause(self, request: ReplanRequest) -> str:
        return ""


NOBODY = Outside(_Nobody(), _Nobody())


def outside_of(
    planner: str | Replanner | None,
    tools: str | Toolbox | None,
    plan: Plan | None = None,
    *,
    planner_timeout: float = PLANNER_TIMEOUT,
    on_error: OnError | None = None,
    on_wait: OnWait | None = None,
) -> Outside:
    """The planner and the tools that were given: by name, as a command line does, or as Python objects.

    `planner` is a command, which may take `planner_timeout` seconds, or a replanner; `tools` are `MODULE:NAME`,
    functions by name, or one function. Raises UsageError where there is no such thing, or the tools lack one that the
    `plan` uses. `on_error` is told what a tool raises, `on_wait` who is waited for.
    """
    outside = Outside(_tools(tools, plan, on_error), _replanner(planner, planner_timeout))
    if on_wait is None:
        return outside
    from replanctl.host.waiting import WatchedReplanner, WatchedTools

    return Outside(WatchedTools(outside.tools, on_wait), WatchedReplanner(outside.replanner, on_wait))


def name_of(given: object, placeholder: str) -> str | None:
    """What is kept of a planner or of tools: the words they were named with; of Python objects a `placeholder`."""
    return given if given is None or isinstance(given, str) else placeholder


def _tools(given: str | Toolbox | None, plan: Plan | None, on_error: OnError | None) -> Tools:
    if given is None:
        return NOBODY.tools
    if isinstance(given, str):
        from replanctl.host.toolbox import check_names, load_tools

        tools = load_tools(given, on_error=on_error)
        check_names(tools.names, plan, "--tools: ")
        return tools
    from replanctl.host.functions import FunctionTools
    from replanctl.host.toolbox import check_names

    functions = FunctionTools(given, on_error=on_error)
    check_names(functions.names, plan)
    return functions


def _replanner(given: str | Replanner | None, timeout: float) -> Replanner:
    if given is None:
        return NOBODY.replanner
    if isinstance(given, str):
        from replanctl.host.command import CommandReplanner

        return CommandReplanner(given, timeout=timeout)
    if not callable(getattr(given, "replan", None)):
        raise UsageError(f"a replanner has a method replan: a {type(given).__name__} has none")
    return given


# One way to make a session, whoever asks for it: `run`, a resume, a replay, a sweep, a test. A second would sooner or
# later leave a warning or an interruption out, and the same inputs would no longer make the same events.
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
    last_words: Callable[[], Iterable[str]] = tuple
    if tools is None:
        tools = scripted = ScriptedTools(rehearsal.outcomes)
        last_words = partial(_unused, scripted)
    if replanner is None and rehearsal.planner:
        from replanctl.replan import ScriptedReplanner

        replanner = ScriptedReplanner(rehearsal.planner)
    return Session(
        rehearsal.plan,
        policy,
        tools=tools,
        replanner=replanner,
        interruptions=rehearsal.interruptions,
        lessons=lessons,
        warnings=_warnings(rehearsal),
        last_words=last_words,
        listener=listener,
        checked=True,
    )


def _warnings(rehearsal: Rehearsal) -> list[str]:
    return [f"{problem.rule}: {problem.message}" for problem in rehearsal.warnings]


def _unused(tools: ScriptedTools) -> Iterator[str]:
    return (f"{rule} was never used" for rule in tools.unused())


def events_of(
    inputs: Inputs,
    log: EffectLog | None,
    listener: RequestListener | None = None,
    *,
    real: Outside = NOBODY,
    rehearsal: Rehearsal | None = None,
) -> Iterator[Event]:
    """The events of the run that these inputs make; what was changed on the way is changed at the same events.

    Real tools and planners answer into `log`; None will do where there are none. `rehearsal` is what the inputs' texts
    say, where it is known already. Raises InputError at once, not on the way.
    """
    if rehearsal is None:
        rehearsal = parse_rehearsal(_sources(inputs, None))
    if inputs.faults:
        rules = with_faults(rehearsal.outcomes, map(fault, inputs.faults))
        rehearsal = msgspec.structs.replace(rehearsal, outcomes=rules)
    tools, replanner = _recorded(inputs, log, real)
    session = session_of(rehearsal, inputs.policy, inputs.lessons, tools=tools, replanner=replanner, listener=listener)
    return amended_events(session, inputs)


def plan_of(inputs: Inputs) -> Plan:
    """The plan that a run began with."""
    return parse_rehearsal(_sources(inputs, None)).plan


def _recorded(inputs: Inputs, log: EffectLog | None, real: Outside) -> tuple[Tools | None, Replanner | None]:
    """The real tools and the real planner of a run, each behind the journal; None where it is scripted."""
    if inputs.tools is None and inputs.planner is None:
        return None, None
    assert log is not None, "what real tools and planners answer is kept"
    from replanctl.host.effects import RecordedReplanner, RecordedTools

    # Which of the two is real is what the inputs say, and not what was given now: a replay is given neither and asks
    # the journal all the same.
    tools = RecordedTools(real.tools, log) if inputs.tools is not None else None
    return tools, RecordedReplanner(real.replanner, log, OUTSIDE) if inputs.planner is not None else None


def amended_events(session: Session, inputs: Inputs) -> Iterator[Event]:
    """The events of a session, which is changed on the way as its inputs say."""
    # Made before the first event: a file of outcomes that can't be read is said now, and not in the middle of a
    # session.
    changes = {each.seq: (_change(each, inputs), each.behind_stop) for each in inputs.amendments}
    return _amended(session, changes) if changes else session.events()


def _amended(session: Session, changes: Mapping[int, tuple[NewInputs, bool]]) -> Iterator[Event]:
    # Before the event with this number is made, and after the one before it has been taken in by whoever listens.
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
    # A scenario may stand in the file beside the plan, and without it the run would have no script to go back to.
    chosen = any(source.role is Role.SCENARIO for source in sources)
    gone = (Role.OUTCOMES,) if chosen else (Role.OUTCOMES, Role.BESIDE)
    return [*(s for s in sources if s.role not in gone), Source(instead.name, Role.OUTCOMES, instead.text)]
