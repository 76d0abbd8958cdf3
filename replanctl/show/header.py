"""The head of a session's screen: what is to be reached, with how many steps, on which outcomes, under which limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from replanctl.cost import CostModel
from replanctl.kinds import GateName
from replanctl.replan import GateLimits, resolve
from replanctl.run import Policy, SessionStart
from replanctl.show.paper import Paper, Span
from replanctl.show.text import GLUE
from replanctl.show.words import plural, reading

if TYPE_CHECKING:
    from replanctl.money import Prices

GOAL_LINES = 3  # a goal of more is cut: an imported one is all that was asked
MARGIN = 20  # columns that folding may cost


class Header(msgspec.Struct, frozen=True, gc=False):
    """What the events don't say: where the outcomes came from, as a person names it, the number of a stored run, and
    the policy that holds since it was last taken up (None: what it began with), which recording the rehearsal was made
    of, which of the plan's scenarios it is, how many steps may run `side_by_side`, and what tokens cost where a price
    was given.

    `whole` puts behind a suggested command what it needs. Where there are `later` runs, a command names its run.
    """

    outcomes: str | None = None
    run: int | None = None
    policy: Policy | None = None
    recorded: str | None = None
    whole: Callable[[str], str] = str
    later: bool = False
    scenario: str | None = None
    side_by_side: int = 1
    prices: Prices | None = None


def header(paper: Paper, facts: Header, start: SessionStart, steps: int) -> None:
    """Print the goal, and on one line the circumstances."""
    # What holds now, and not what held at first: a resumed run is shown with the limits it went on under.
    limits = start.limits if facts.policy is None else in_force(facts.policy, steps)
    parts = [
        *([f"run {facts.run}"] if facts.run is not None else []),
        plural(steps, "step"),
        *([f"scenario {facts.scenario}"] if facts.scenario else []),
        *([f"outcomes {facts.outcomes}"] if facts.outcomes else []),
        f"mode {start.mode}",
        limits_in_words(limits, steps),
        *([f"{plural(len(start.lessons), 'lesson')} carried"] if start.lessons else []),
    ]
    paper.line(Span(paper.cut(start.goal, GOAL_LINES * (paper.width - 2) - MARGIN), "title"), indent=2)
    facts_line = paper.joined(parts).replace(f",{GLUE}", ", ")  # many limits take more than one line
    paper.line(Span(facts_line, "dim"), indent=2)
    if facts.recorded:
        paper.line(Span(facts.recorded, "dim"), indent=2)
    for warning in dict.fromkeys(start.warnings):
        paper.line(Span("warning  ", "notice"), warning, indent=2, hang=11)
    paper.blank()


def in_force(policy: Policy, steps: int) -> dict[str, Any]:
    """The limits that a policy means for a plan of this many steps in its first version."""
    return msgspec.structs.asdict(resolve(policy.gates, steps, CostModel(policy.coefficients)))


def limits_in_words(limits: dict[str, Any], steps: int) -> str:
    """`default gates`, or those that differ from what a plan of this many steps gets by default."""
    usual = msgspec.structs.asdict(resolve(GateLimits(), steps, CostModel()))
    other = [
        f"{name} {reading(name, limits[name])}" for name in GateName if name in limits and limits[name] != usual[name]
    ]
    return f"gates {', '.join(other)}" if other else "default gates"
