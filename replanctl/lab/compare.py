"""The same scripts under several policies, paired: what got better, and what got worse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import islice

import msgspec

from replanctl.errors import UsageError
from replanctl.files import Rehearsal
from replanctl.host import Case
from replanctl.kinds import Granularity, Mode, Reason
from replanctl.lab.facts import Facts
from replanctl.lab.intervals import sign_test
from replanctl.lab.totals import LaneFold, LaneTotals
from replanctl.lab.trial import Trial
from replanctl.run import Policy

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


# Sessions are compared in pairs, case by case, and not by their sums: each case meets the same script under both lanes,
# so the difference within a pair is the policy's and nothing else's. Equal pairs say nothing about which lane is better
# and are only counted; of the others the sign test asks how likely so lopsided a split would be if either side won as
# often.
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
    """Another lane against the first: the cases that differ, and how likely so lopsided a split is by chance.

    `broken` counts sessions that completed and no longer do.
    """

    lane: str
    better: tuple[Pair, ...]
    worse: tuple[Pair, ...]
    same: int
    broken: int
    chance: float


class Group(msgspec.Struct, frozen=True):
    """Lanes that do the same at a parting, and what that is."""

    lanes: tuple[str, ...]
    does: str


class Parting(msgspec.Struct, frozen=True):
    """The first event at which lanes of one case differ: when, after which failure, and who does what there."""

    at: float
    step_id: str | None
    message: str
    groups: tuple[Group, ...]


class Race(msgspec.Struct, frozen=True):
    """The lanes of one case side by side, and where they part: the first time, then within groups."""

    case: str
    goal: str
    steps: int
    lanes: tuple[Facts, ...]
    partings: tuple[Parting, ...]


class Comparison(msgspec.Struct, frozen=True):
    """All lanes over all cases, the others against the first; for one case it is a race as well."""

    cases: int
    lanes: tuple[LaneTotals, ...]
    versus: tuple[Versus, ...]
    race: Race | None = None


def strategy_lane(strategy: Strategy, policy: Policy) -> Lane:
    """A policy with one strategy put in force; its limits and retries stay."""
    match strategy:
        # Forced in mode `replan`, for a mode that goes on with gaps would not come to a replan in the first place.
        case Strategy.NONE | Strategy.PATCH | Strategy.TAIL | Strategy.GLOBAL:
            forced = replace(policy.routing, force=Granularity(strategy))
            return Lane(strategy, replace(policy, mode=Mode.REPLAN, routing=forced))
        case Strategy.REPLAN | Strategy.REWOO | Strategy.HYBRID | Strategy.AUTO:
            return Lane(strategy, replace(policy, mode=Mode(strategy)))


def compare_trials(case: Case, lanes: Sequence[Lane | Strategy]) -> list[Trial]:
    """One trial a lane. A strategy goes on top of the rehearsal's own policy."""
    made = lanes_of(case.rehearsal, lanes)
    return [Trial((case.name, lane.name), policy=lane.policy, lessons=case.lessons) for lane in made]


def lanes_of(rehearsal: Rehearsal, lanes: Sequence[Lane | Strategy]) -> list[Lane]:
    """The policies that lanes mean for a rehearsal. Raises UsageError for fewer than two."""
    paired(lanes)
    return [strategy_lane(lane, rehearsal.policy) if isinstance(lane, Strategy) else lane for lane in lanes]


def paired(lanes: Sequence[object]) -> None:
    """Refuse lanes that make no pair: an empty table would pass for one in which nothing became worse."""
    if len(lanes) < 2:
        raise UsageError("a comparison takes two policies or more", hint="give --policy twice, or --strategies all")


def compare(facts: Iterable[Facts], lanes: Sequence[str]) -> Comparison:
    """The table from the facts of the trials, case by case and lane by lane; only pairs that differ are kept.

    Raises UsageError for fewer than two lanes.
    """
    paired(lanes)
    columns = [LaneFold(name) for name in lanes]
    others = [_Other(name) for name in lanes[1:]]
    left, cases = iter(facts), 0
    while row := tuple(islice(left, len(lanes))):
        cases += 1
        for column, one in zip(columns, row, strict=True):
            column.apply(one)
        for other, one in zip(others, row[1:], strict=True):
            other.apply(Pair(one.key[0], row[0], one))
    totals = tuple(column.totals() for column in columns)
    return Comparison(cases, totals, tuple(other.versus() for other in others))


class _Other:
    """Holds a lane against the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._better: list[Pair] = []
        self._worse: list[Pair] = []
        self._same = 0

    def apply(self, pair: Pair) -> None:
        if pair.verdict:
            (self._better if pair.verdict > 0 else self._worse).append(pair)
        else:
            self._same += 1

    def versus(self) -> Versus:
        better, worse = tuple(self._better), tuple(self._worse)
        broken = sum(pair.broke for pair in worse)
        return Versus(self._name, better, worse, self._same, broken, sign_test(len(better), len(worse)))


# Ended, then whole: what it cost is shown beside it and decides nothing, since it can't be weighed against a goal.
def _rank(facts: Facts) -> tuple[bool, bool]:
    return facts.completed, facts.reason is Reason.GOAL_MET
