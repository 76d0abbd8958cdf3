"""From a rehearsal to its session, the same for every verb that runs one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replanctl.files import Rehearsal
from replanctl.replan.lessons import Lesson
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.policy import Policy
from replanctl.script import ScriptedTools


def session_of(rehearsal: Rehearsal, policy: Policy, lessons: Iterable[Lesson] = ()) -> Session:
    """The session that these inputs make; the same inputs make the same session."""
    tools = ScriptedTools(rehearsal.outcomes)
    return Session(
        rehearsal.plan,
        policy,
        tools=tools,
        replanner=ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None,
        interruptions=rehearsal.interruptions,
        lessons=lessons,
        warnings=[f"{problem.rule}: {problem.message}" for problem in rehearsal.warnings],
        last_words=lambda: _unused(tools),
    )


def _unused(tools: ScriptedTools) -> Iterator[str]:
    return (f"the outcome rule in line {rule.line} was never used" for rule in tools.unused())
