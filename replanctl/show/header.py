"""The head of a session's screen: what is to be reached, with how many steps, on which outcomes, under which limits."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.cost.model import CostModel
from replanctl.replan.gates import GateLimits, resolve
from replanctl.run.events import SessionStart
from replanctl.show.paper import Paper, Span
from replanctl.show.text import GLUE
from replanctl.show.words import GATES, plural, reading


class Header(msgspec.Struct, frozen=True, gc=False):
    """What the events don't say: where the outcomes came from, as a person names it, the number of a stored run, and
    which recording the rehearsal was made of."""

    outcomes: str | None = None
    run: int | None = None
    recorded: str | None = None


def header(paper: Paper, facts: Header, start: SessionStart, steps: int) -> None:
    """Print the goal, and on one line the circumstances."""
    parts = [
        *([f"run {facts.run}"] if facts.run is not None else []),
        plural(steps, "step"),
        *([f"outcomes {facts.outcomes}"] if facts.outcomes else []),
        f"mode {start.mode}",
        limits_in_words(start.limits, steps),
        *([f"{plural(len(start.lessons), 'lesson')} carried"] if start.lessons else []),
    ]
    paper.line(Span(start.goal, "title"), indent=2)
    facts_line = paper.joined(parts).replace(f",{GLUE}", ", ")  # many limits take more than one line
    paper.line(Span(facts_line, "dim"), indent=2)
    if facts.recorded:
        paper.line(Span(facts.recorded, "dim"), indent=2)
    for warning in dict.fromkeys(start.warnings):
        paper.line(Span("warning  ", "notice"), warning, indent=2, hang=11)
    paper.blank()


def limits_in_words(limits: dict[str, Any], steps: int) -> str:
    """`default gates`, or those that differ from what a plan of this many steps gets by default."""
    usual = msgspec.structs.asdict(resolve(GateLimits(), steps, CostModel()))
    other = [
        f"{name} {reading(name, limits[name])}" for name in GATES if name in limits and limits[name] != usual[name]
    ]
    return f"gates {', '.join(other)}" if other else "default gates"
