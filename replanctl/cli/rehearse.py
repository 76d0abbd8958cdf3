"""From a rehearsal to its session, the same for every verb that runs one, and a stored run run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from replanctl.cli.effects import EffectLog, RecordedReplanner, RecordedTools
from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.replan.lessons import Lesson
from replanctl.replan.prompt import ReplanRequest
from replanctl.replan.replanner import Replanner, ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.events import Event
from replanctl.run.policy import Policy
from replanctl.run.resume import Amendment, CutOff
from replanctl.run.tools import Tools
from replanctl.script import ScriptedTools
from replanctl.store import Inputs

Asked = Callable[[ReplanRequest], None]


def session_of(
    rehearsal: Rehearsal,
    policy: Policy,
    lessons: Iterable[Lesson] = (),
    *,
    tools: Tools | None = None,
    replanner: Replanner | None = None,
    asked: Asked | None = None,
) -> Session:
    """The session that these inputs make; the same inputs make the same session.

    `tools` and `replanner` stand in for the scripted ones; `asked` is told every request before it is answered.
    """
    scripted = ScriptedTools(rehearsal.outcomes)
    if replanner is None and rehearsal.planner:
        replanner = ScriptedReplanner(rehearsal.planner)
    return Session(
        rehearsal.plan,
        policy,
        tools=tools or scripted,
        replanner=replanner,
        interruptions=rehearsal.interruptions,
        lessons=lessons,
        warnings=[f"{problem.rule}: {problem.message}" for problem in rehearsal.warnings],
        last_words=tuple if tools is not None else lambda: _unused(scripted),
        asked=asked,
    )


def _unused(tools: ScriptedTools) -> Iterator[str]:
    return (f"the outcome rule in line {rule.line} was never used" for rule in tools.unused())


def real_parts(inputs: Inputs, log: EffectLog) -> tuple[Tools | None, Replanner | None]:
    """The tools and the planner from outside that a run was given, their answers kept; None where it had none."""
    if inputs.tools is None and inputs.planner is None:
        return None, None
    from replanctl.cli.external import CommandReplanner, load_tools

    tools = RecordedTools(load_tools(inputs.tools), log) if inputs.tools is not None else None
    replanner = RecordedReplanner(CommandReplanner(inputs.planner), log) if inputs.planner is not None else None
    return tools, replanner


def rerun(inputs: Inputs, log: EffectLog, asked: Asked | None = None) -> Iterator[Event]:
    """A stored run once more from its inputs, with what was changed on the way changed at the same events."""
    rehearsal = parse_rehearsal([Source(s.name, Role(s.role), s.text) for s in _original(inputs)])
    tools, replanner = real_parts(inputs, log)
    session = session_of(rehearsal, inputs.policy, inputs.lessons, tools=tools, replanner=replanner, asked=asked)
    amendments = list(inputs.amendments)
    _amend(session, 0, amendments, inputs, log)
    for event in session.events():
        yield event
        _amend(session, event.seq + 1, amendments, inputs, log)


def _original(inputs: Inputs) -> list[Source]:
    later = {amendment.outcomes for amendment in inputs.amendments}
    return [Source(s.name, Role(s.role), s.text) for s in inputs.sources if s.name not in later]


def _amend(session: Session, seq: int, amendments: list[Amendment], inputs: Inputs, log: EffectLog) -> None:
    while amendments and amendments[0].seq == seq:
        amendment = amendments.pop(0)
        tools: Tools | None = _script(amendment, inputs) if amendment.outcomes is not None else None
        if amendment.cut_off:
            tools = CutOff(tools or session.tools, amendment.cut_off)
        if amendment.reroute:
            log.forget_planner()
        session.amend(policy=amendment.policy, tools=tools, goal=amendment.goal, reopen=amendment.reopen)


def _script(amendment: Amendment, inputs: Inputs) -> ScriptedTools:
    """The outcomes that a resumed run was given."""
    plan = [s for s in _original(inputs) if s.role is Role.PLAN]
    script = [Source(s.name, Role.OUTCOMES, s.text) for s in inputs.sources if s.name == amendment.outcomes]
    return ScriptedTools(parse_rehearsal([*plan, *script]).outcomes)
