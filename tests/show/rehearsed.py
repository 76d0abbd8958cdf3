"""Real sessions over the plans in `stories/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from replanctl.files import Role, Source, parse_rehearsal
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.events import Event
from replanctl.run.fold import fold
from replanctl.run.result import SessionResult
from replanctl.script import ScriptedTools
from replanctl.show.header import Header
from replanctl.show.paper import Paper
from replanctl.show.session import SessionScreen

STORIES = Path(__file__).parent / "stories"
NAMES = sorted(file.stem for file in STORIES.glob("*.yaml"))


@cache
def rehearsed(name: str) -> tuple[tuple[Event, ...], SessionResult]:
    """The events and the result of a story."""
    text = (STORIES / f"{name}.yaml").read_text(encoding="utf-8")
    rehearsal = parse_rehearsal([Source(f"{name}.yaml", Role.PLAN, text)])
    tools = ScriptedTools(rehearsal.outcomes)
    session = Session(
        rehearsal.plan,
        rehearsal.policy,
        tools=tools,
        replanner=ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None,
        interruptions=rehearsal.interruptions,
        warnings=[problem.message for problem in rehearsal.warnings],
        last_words=lambda: [f"the outcome rule in line {rule.line} was never used" for rule in tools.unused()],
    )
    events = tuple(session.events())
    return events, fold(events, run=7)


def draw(paper: Paper, name: str, *, verbose: bool = False) -> None:
    """A story's whole screen."""
    events, result = rehearsed(name)
    screen = SessionScreen(paper, Header(f"{name}.outcomes.yaml", result.run), verbose=verbose)
    for event in events:
        screen.event(event)
    screen.close(result)
