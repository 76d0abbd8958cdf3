"""What the limits of a policy cost: sessions they stop that would have finished, and the smallest that let them.

Each session that a gate stopped has been run again with this gate alone lifted (`judged`); here the answers become
the smallest limits, the curve between limit and completed sessions, the three figures, and a policy.

A limit may follow from the plan (12, or twice the steps of v1), so that each session has one of its own, while one
that is written down holds for all of them. So what is in force is told as a span, with its rule, and none is proposed
below what a session needs that completes now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from replanctl.host import Case
from replanctl.kinds import GateName
from replanctl.lab.facts import Facts
from replanctl.lab.intervals import clopper_pearson
from replanctl.lab.trial import Trial
from replanctl.replan import GATES
from replanctl.run import Policy

FEW = 5  # a limit that fewer sessions decided stands on little

Number = int | float


# A limit is right when it stops what would never have finished and lets through what would. A corpus can tell the two
# apart, since every session that a gate stopped is run again without it. Freeing is worth it for all but those of which
# the recording says that they failed their task: a session that completes in rehearsal only made the calls, whether
# they solved anything the recording alone knows.
class Rescued(msgspec.Struct, frozen=True):
    """A session that a gate stopped and that finishes without it: from which limit on, and what it cost more."""

    case: str
    limit: Number
    tokens: int
    solved: bool | None

    @property
    def worth_it(self) -> bool:
        """Whether it is worth freeing: unless its recording says that it failed its task."""
        return self.solved is not False


class Level(msgspec.Struct, frozen=True):
    """A limit, how many sessions it frees, and how many tokens those take more in all."""

    limit: Number
    frees: int
    tokens: int


class CurvePoint(msgspec.Struct, frozen=True):
    """Under this limit (None: those in force) so many complete, with the exact interval of their share (95 %)."""

    limit: Number | None
    completed: int
    low: float
    high: float
    proposed: bool = False


class GateTuning(msgspec.Struct, frozen=True):
    """One gate over a corpus: the sessions it stopped, those it alone kept from finishing, the limits that free them.

    `limits` are those in force over all sessions, the least and the greatest (None: no limit); `rule` says how they
    follow from the plan, where they do for every session. `solved` are the sessions that it stopped although their
    recording had solved its task, whether or not lifting this gate frees them. `proposed` is the smallest that frees
    all worth freeing and stops none that completes now; `by_few` says that fewer than five decided it.
    """

    gate: GateName
    limits: tuple[Number | None, Number | None]
    stopped: tuple[str, ...]
    would_finish: tuple[Rescued, ...]
    solved_when_recorded: int
    solved: tuple[str, ...]
    levels: tuple[Level, ...]
    proposed: Number | None
    by_few: bool
    curve: tuple[CurvePoint, ...]
    rule: str = ""

    @property
    def differs(self) -> bool:
        """Whether sessions have different limits, so that no number is the one in force."""
        return self.limits[0] != self.limits[1]

    @property
    def rule_in_words(self) -> str:
        """Where limits that differ come from."""
        return self.rule or "each rehearsal has its own"

    @property
    def worth_freeing(self) -> int:
        """On how many sessions the proposal stands."""
        return sum(one.worth_it for one in self.would_finish)


class Share(msgspec.Struct, frozen=True):
    """A share, `hits` of `trials`, with its exact 95 % interval (Clopper–Pearson)."""

    hits: int
    trials: int
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, trials: int) -> Share:
        """The share with its interval."""
        return cls(hits, trials, *clopper_pearson(hits, trials))


class Tuning(msgspec.Struct, frozen=True):
    """A corpus under one policy; `runs` counts every session that was run.

    The three figures: sessions a gate stopped, those of them that raising one limit finishes, and those whose
    recording solved its task all the same (of those stopped where the recording says so).
    """

    sessions: int
    with_failures: int
    completed: int
    runs: int
    gates: tuple[GateTuning, ...]
    stop_rate: Share
    could_finish: Share
    wrongly_stopped: Share


def tune_trials(case: Case, policy: Policy | None = None) -> list[Trial]:
    """One trial of a case: run as it is, and run again under other limits where a gate stops it."""
    return [Trial((case.name,), policy=policy, lessons=case.lessons, judged=True)]


def tune(facts: Iterable[Facts], solved: Mapping[str, bool | None] | None = None) -> Tuning:
    """Judge every gate by the facts of `tune_trials`; `solved` says by name which recordings solved their task.

    Only sessions that a gate stopped are kept.
    """
    fold = _Fold(solved or {})
    for one in facts:
        fold.apply(one)
    gates = tuple(_tuned(row.name, fold) for row in GATES)
    stopped = sum(len(gate.stopped) for gate in gates)
    known = [one.solved for one in fold.all_stopped if one.solved is not None]
    return Tuning(
        fold.sessions,
        fold.with_failures,
        fold.completed,
        fold.runs,
        gates,
        Share.of(stopped, fold.sessions),
        Share.of(sum(len(gate.would_finish) for gate in gates), stopped),
        Share.of(sum(known), len(known)),
    )


class _Stopped(msgspec.Struct, frozen=True):
    facts: Facts
    solved: bool | None


class _Fold:
    """Takes sessions in: counts them, keeps those that a gate stopped, and how many completed need which limit."""

    def __init__(self, solved: Mapping[str, bool | None]) -> None:
        self._solved = solved
        self.sessions = self.with_failures = self.completed = self.runs = 0
        self.stopped: dict[GateName, list[_Stopped]] = {row.name: [] for row in GATES}
        self.needs: dict[GateName, dict[Number, int]] = {row.name: {} for row in GATES}
        self.limits: dict[GateName, dict[Number | None, None]] = {row.name: {} for row in GATES}
        self.rules: dict[GateName, dict[str, None]] = {row.name: {} for row in GATES}

    @property
    def all_stopped(self) -> Iterator[_Stopped]:
        return (one for each in self.stopped.values() for one in each)

    def apply(self, one: Facts) -> None:
        self.sessions += 1
        self.with_failures += bool(one.rules)
        self.completed += one.completed
        self.runs += one.runs
        for held in one.limits:
            self.limits[held.gate][held.limit] = None
            self.rules[held.gate][held.rule] = None
        if one.stopped is not None:
            self.stopped[one.stopped.gate].append(_Stopped(one, self._solved.get(one.key[0])))
        # Of a session that was stopped elsewhere the needs say only how far it came.
        elif one.completed:
            for need in one.needs:
                counted = self.needs[need.gate]
                counted[need.limit] = counted.get(need.limit, 0) + 1


def _tuned(gate: GateName, fold: _Fold) -> GateTuning:
    stopped = fold.stopped[gate]
    rescued = tuple(
        Rescued(one.facts.key[0], one.facts.freed.limit, one.facts.freed.tokens, one.solved)
        for one in stopped
        if one.facts.freed is not None
    )
    # The largest of the limits that free one session each frees all of them. It also has to cover what completed
    # sessions need of this gate today: a default that grows with the plan may allow a long one more than the number
    # that is now written down for all.
    worth = [one.limit for one in rescued if one.worth_it]
    proposed = max([*worth, *fold.needs[gate]]) if worth else None
    limits = sorted(fold.limits[gate], key=lambda limit: (limit is None, limit))
    rules = [*fold.rules[gate]]
    solved = tuple(one.facts.key[0] for one in stopped if one.solved)
    return GateTuning(
        gate,
        (limits[0], limits[-1]) if limits else (None, None),
        tuple(one.facts.key[0] for one in stopped),
        rescued,
        len(solved),
        solved,
        tuple(_levels(rescued)),
        proposed,
        0 < len(worth) < FEW,
        tuple(_curve(rescued, fold.needs[gate], fold, proposed)) if rescued else (),
        rules[0] if len(rules) == 1 else "",  # where some state it, no rule holds for all
    )


def _levels(rescued: Sequence[Rescued]) -> Iterator[Level]:
    for limit in sorted({one.limit for one in rescued}):
        freed = [one for one in rescued if one.limit <= limit]
        yield Level(limit, len(freed), sum(one.tokens for one in freed))


def _curve(
    rescued: Sequence[Rescued], needs: Mapping[Number, int], fold: _Fold, proposed: Number | None
) -> Iterator[CurvePoint]:
    """What completes now, and under each limit that frees a session, or is proposed, as the limit of all."""
    yield CurvePoint(None, fold.completed, *clopper_pearson(fold.completed, fold.sessions))
    limits = {one.limit for one in rescued} | ({proposed} if proposed is not None else set())
    # Completed sessions that never came near this gate, and would complete under any limit of it.
    unread = fold.completed - sum(needs.values())
    for limit in sorted(limits):
        kept = unread + sum(many for need, many in needs.items() if need <= limit)
        completed = kept + sum(one.limit <= limit for one in rescued)
        yield CurvePoint(limit, completed, *clopper_pearson(completed, fold.sessions), limit == proposed)


def tuned_policy(policy: Policy, tuning: Tuning) -> tuple[Policy, Mapping[str, str]]:
    """The policy with every proposed limit, and a comment for each: on how many sessions it stands."""
    proposed = {str(gate.gate): gate for gate in tuning.gates if gate.proposed is not None}
    limits: dict[str, Any] = {name: gate.proposed for name, gate in proposed.items()}
    comments = {name: _comment(gate, tuning) for name, gate in proposed.items()}
    replace = msgspec.structs.replace
    return replace(policy, gates=replace(policy.gates, **limits)), comments


def _comment(gate: GateTuning, tuning: Tuning) -> str:
    few = "; fewer than five decide little" if gate.by_few else ""
    freed = f"frees {gate.worth_freeing} of the {len(gate.stopped)} it stopped, of {tuning.sessions} sessions"
    if not gate.differs:
        return freed + few
    low, high = ("no limit" if limit is None else f"{limit:g}" for limit in gate.limits)
    return f"{freed}; until now {low} to {high} ({gate.rule_in_words}){few}"
