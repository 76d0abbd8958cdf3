"""One way to rehearse a plan in a test: YAML in, events and result out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from replanctl.files import Role, Source, parse_rehearsal
from replanctl.replan.lessons import Lesson
from replanctl.replan.replanner import Replanner, ScriptedReplanner
from replanctl.run.amendments import NewInputs, Settlement
from replanctl.run.engine import Session
from replanctl.run.events import Event
from replanctl.run.fold import fold
from replanctl.run.result import SessionResult
from replanctl.script import ScriptedTools


def rehearse(
    plan: str,
    outcomes: str | None = None,
    policy: str | None = None,
    *,
    replanner: Replanner | None = None,
    lessons: Iterable[Lesson] = (),
    **overrides: Any,
) -> tuple[list[Event], SessionResult]:
    """Every event of the session and its result. `overrides` replace whole sections of the policy."""
    texts = ((Role.PLAN, plan), (Role.OUTCOMES, outcomes), (Role.POLICY, policy))
    rehearsal = parse_rehearsal([Source(f"{role}.yaml", role, text) for role, text in texts if text is not None])
    if replanner is None and rehearsal.planner:
        replanner = ScriptedReplanner(rehearsal.planner)
    session = Session(
        rehearsal.plan,
        msgspec.structs.replace(rehearsal.policy, **overrides),
        tools=ScriptedTools(rehearsal.outcomes),
        replanner=replanner,
        interruptions=rehearsal.interruptions,
        lessons=lessons,
        checked=True,  # by the loader, which warns by place
    )
    events = list(session.events())
    return events, fold(events)


def settle(
    plan: str, outcomes: str, words: Iterable[Settlement], *, fixed: str = "outcomes: []", **change: Any
) -> tuple[list[Event], SessionResult]:
    """A session that goes on behind its stop, once a person has said what came of its calls; from there on its tools
    return what `fixed` says. `change` are other inputs."""
    read = [parse_rehearsal([Source("p", Role.PLAN, plan), Source("o", Role.OUTCOMES, o)]) for o in (outcomes, fixed)]
    first, then = read
    replanner = ScriptedReplanner(first.planner) if first.planner else None
    session = Session(
        first.plan, first.policy, tools=ScriptedTools(first.outcomes), replanner=replanner,
        interruptions=first.interruptions, checked=True,
    )  # fmt: skip
    tools = ScriptedTools(then.outcomes)
    session.amend(NewInputs(first.policy, tools, settled=tuple(words), **change), behind_stop=True)
    events = list(session.events())
    return events, fold(events)
