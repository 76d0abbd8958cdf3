"""The same scripts under several policies, paired: what got better, what got worse, and where they part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.files import Rehearsal
from replanctl.host import session_of
from replanctl.kinds import Granularity, Mode, OnFailure
from replanctl.lab.facts import Facts
from replanctl.lab.intervals import sign_test
from replanctl.lab.matrix import HONEST
from replanctl.lab.sweep import Trial
from replanctl.replan import ScriptedReplanner
from replanctl.run import Event, Policy
from replanctl.run import events as e
from replanctl.script import ScriptedTools

replace = msgspec.structs.replace


class Strategy(StrEnum):
    """A policy by its idea: hand every failure over, force one depth, or one of the modes."""

    NONE = "none"
    PATCH = "patch"
    TAIL = "tail"
    GLOBAL = "global"
    REPLAN = "replan"
    REWOO = "rewoo"
    HYBRID = "hybrid"
    AUTO = "auto"


class Lane(msgspec.Struct, frozen=True):
    """One policy of a comparison, by name."""

    name: str
    policy: Policy


class Pair(msgspec.Struct, frozen=True):
    """One case under the first lane and under another."""

    case: str
    before: Facts
    after: Facts

    @property
    def verdict(self) -> int:
        """1 where the other lane does better, -1 where it does worse: a completed session, then one without gaps."""
        return (_rank(self.after) > _rank(self.before)) - (_rank(self.after) < _rank(self.before))

    @property
    def broke(self) -> bool:
        """A session that completed and no longer does."""
        return self.before.completed and not self.after.completed


class Versus(msgspec.Struct, frozen=True):
    """Another lane against the first: the cases that differ, and how likely so lopsided a split is by chance."""

    lane: str
    better: tuple[Pair, ...]
    worse: tuple[Pair, ...]
    same: int
    chance: float


class LaneTotals(msgspec.Struct, frozen=True):
    """What a lane came to over all cases."""

    lane: str
    sessions: int
    completed: int
    with_gaps: int
    gaps: int
    calls: int
    replans: int
    tokens: int
    seconds: float
    doubled: int


class Parting(msgspec.Struct, frozen=True):
    """The first event at which two lanes of one case differ: when, and what each of them does there."""

    at: float
    step_id: str | None
    message: str
    first: str
    other: str


class Comparison(msgspec.Struct, frozen=True):
    """All lanes over all cases; `cases` holds the facts of each case, a lane a column."""

    lanes: tuple[LaneTotals, ...]
    versus: tuple[Versus, ...]
    cases: tuple[tuple[str, tuple[Facts, ...]], ...]
    honest: str = HONEST


def strategy_lane(strategy: Strategy, policy: Policy) -> Lane:
    """A policy with one strategy put in force; its limits and retries stay."""
    match strategy:
        case Strategy.NONE | Strategy.PATCH | Strategy.TAIL | Strategy.GLOBAL:
            forced = replace(policy.routing, force=Granularity(strategy))
            return Lane(strategy, replace(policy, mode=Mode.REPLAN, routing=forced))
        case Strategy.REPLAN | Strategy.REWOO | Strategy.HYBRID | Strategy.AUTO:
            return Lane(strategy, replace(policy, mode=Mode(strategy)))


def compare_trials(rehearsal: Rehearsal, name: str, lanes: Sequence[Lane] | Sequence[Strategy]) -> list[Trial]:
    """One trial a lane. A strategy goes on top of the rehearsal's own policy."""
    if len(lanes) < 2:
        raise UsageError("a comparison takes two policies or more", hint="give --policy twice, or --strategies")
    made = [strategy_lane(lane, rehearsal.policy) if isinstance(lane, Strategy) else lane for lane in lanes]
    return [Trial((name, lane.name), policy=lane.policy) for lane in made]


def compare(facts: Iterable[Facts], lanes: Sequence[str]) -> Comparison:
    """The table from the facts of the trials, case by case and lane by lane."""
    cases: dict[str, list[Facts]] = {}
    for one in facts:
        cases.setdefault(one.key[0], []).append(one)
    columns = list(zip(*cases.values(), strict=True)) if cases else []
    named = list(zip(lanes, columns, strict=False))
    return Comparison(
        tuple(_lane_totals(name, column) for name, column in named),
        tuple(_versus(name, list(cases), columns[0], column) for name, column in named[1:]),
        tuple((name, tuple(row)) for name, row in cases.items()),
    )


def _rank(facts: Facts) -> tuple[bool, bool]:
    return facts.completed, facts.completed and facts.reason == "goal_met"


def _versus(lane: str, names: Sequence[str], first: Sequence[Facts], other: Sequence[Facts]) -> Versus:
    pairs = [Pair(name, one, two) for name, one, two in zip(names, first, other, strict=True)]
    better = tuple(pair for pair in pairs if pair.verdict > 0)
    worse = tuple(pair for pair in pairs if pair.verdict < 0)
    return Versus(lane, better, worse, len(pairs) - len(better) - len(worse), sign_test(len(better), len(worse)))


def _lane_totals(lane: str, facts: Sequence[Facts]) -> LaneTotals:
    return LaneTotals(
        lane,
        len(facts),
        sum(f.completed for f in facts),
        sum(f.completed and f.reason != "goal_met" for f in facts),
        sum(f.gaps for f in facts),
        sum(f.calls for f in facts),
        sum(f.replans for f in facts),
        sum(f.tokens for f in facts),
        round(sum(f.seconds for f in facts), 6),
        sum(len(f.doubled) for f in facts),
    )


# -- where two lanes part ----------------------------------------------------------------------------------------------


def parting(rehearsal: Rehearsal, first: Policy, other: Policy) -> Parting | None:
    """The first event at which two policies differ; None where they never do."""
    message, failed = "", None
    for one, two in zip(_events(rehearsal, first), _events(rehearsal, other), strict=False):
        if isinstance(one, e.Signal):
            message, failed = one.error_msg, one.step_id
        if not _alike(one, two):
            return Parting(one.at, failed, message, _does(one), _does(two))
    return None


def _events(rehearsal: Rehearsal, policy: Policy) -> list[Event]:
    planner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
    session = session_of(rehearsal, policy, tools=ScriptedTools(rehearsal.outcomes), replanner=planner)
    return list(session.events())


def _alike(one: Event, two: Event) -> bool:
    """Equal, but for what only repeats the policy, and for readings of gates that let both pass."""
    if type(one) is not type(two):
        return False
    if isinstance(one, e.SessionStart):
        return True
    if isinstance(one, e.Gate) and isinstance(two, e.Gate):
        return (one.gate, one.admitted) == (two.gate, two.admitted)
    if isinstance(one, e.Signal) and isinstance(two, e.Signal):
        return replace(one, on_failure=OnFailure.REPLAN) == replace(two, on_failure=OnFailure.REPLAN)
    return one == two


def _does(event: Event) -> str:
    """What a session does here, in a few words."""
    match event:
        case e.Route():
            return f"{event.rule} → {event.granularity}"
        case e.StepRetry():
            return f"tries {event.tool} again"
        case e.StepFallback():
            return f"falls back on {event.tool}"
        case e.PlanCommit():
            return f"commits {event.version} ({event.granularity or 'start'})"
        case e.PlanDraft():
            return f"drafts {', '.join(_step(step) for step in event.steps[:3]) or 'nothing'}"
        case e.StepStart():
            return f"starts step {event.step_id} ({event.tool})"
        case e.StepEnd():
            return f"leaves step {event.step_id} {'as a gap' if event.gap else event.state}"
        case e.Gate():
            return f"{'passes' if event.admitted else 'is stopped by'} {event.gate}"
        case e.SessionComplete():
            return f"ends: {event.reason}"
        case _:
            return event.type


def _step(step: Any) -> str:
    return f"{step.action} ({step.tool_name})" if step.action != step.tool_name else str(step.tool_name)
