"""What the limits of a policy cost: sessions they stop that would have finished, and the smallest that let them.

A gate is judged by running each session that it stopped again with this gate alone lifted: exact, not estimated.
Whatever a limit lets through runs as without it, so that between the limit that stopped a session and none the
smallest that frees it is found by bisection over real runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from replanctl.files import Rehearsal
from replanctl.kinds import GateName
from replanctl.lab.facts import Facts
from replanctl.lab.intervals import clopper_pearson
from replanctl.lab.matrix import HONEST
from replanctl.lab.sweep import Trial, run_trial
from replanctl.replan import GATES, GateRow, Unit
from replanctl.run import Policy

FEW = 5  # a limit that fewer sessions decided stands on little
MOST = 1 << 40  # no limit that is looked for lies beyond

Number = int | float


class Case(msgspec.Struct, frozen=True):
    """One rehearsal of a corpus, by name; `solved` is what the recording says of itself, where it says anything."""

    name: str
    rehearsal: Rehearsal
    solved: bool | None = None


class Freed(msgspec.Struct, frozen=True):
    """A session that a gate stopped and that finishes without it: from which limit on, and what it cost more."""

    case: str
    limit: Number
    tokens: int
    solved: bool | None


class GateTuning(msgspec.Struct, frozen=True):
    """One gate over a corpus.

    `limits` are those in force (least and most, where they depend on the plan). `frees` maps each limit worth setting
    to the sessions it frees; `curve` a limit to the sessions that complete under it, with the interval of their share.
    """

    gate: GateName
    limits: tuple[Number | None, Number | None]
    stopped: tuple[str, ...]
    freed: tuple[Freed, ...]
    frees: tuple[tuple[Number, int], ...]
    proposed: Number | None
    proposed_tokens: int
    curve: tuple[CurvePoint, ...]

    @property
    def decided_by_few(self) -> bool:
        """Whether the proposal stands on fewer than five sessions."""
        return 0 < len(self.freed) < FEW


class CurvePoint(msgspec.Struct, frozen=True):
    """Under this limit so many sessions complete; the share of all lies between `low` and `high` (95 %)."""

    limit: Number
    completed: int
    low: float
    high: float
    proposed: bool = False


class Share(msgspec.Struct, frozen=True):
    """So many of so many, with the exact interval of the share (95 %)."""

    hits: int
    trials: int
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, trials: int) -> Share:
        """The share with its interval."""
        return cls(hits, trials, *clopper_pearson(hits, trials))


class Tuning(msgspec.Struct, frozen=True):
    """A corpus under one policy. The three figures: stop rate, what raising one limit would finish, wrong stops."""

    sessions: int
    with_failures: int
    completed: int
    runs: int
    gates: tuple[GateTuning, ...]
    stop_rate: Share
    could_finish: Share
    wrongly_stopped: Share
    solved_known: int
    honest: str = HONEST


def tune_trials(case: Case, policy: Policy | None) -> list[Trial]:
    """Each case once, as it is."""
    return [Trial((case.name,), policy=policy)]


def tune(cases: Sequence[Case], facts: Sequence[Facts], policy: Policy | None = None) -> Tuning:
    """Judge every gate that stopped a session; `facts` are those of `tune_trials`, in the order of the cases."""
    judge = _Judge(policy)
    stopped: dict[GateName, list[tuple[Case, Facts]]] = {row.name: [] for row in GATES}
    for case, found in zip(cases, facts, strict=True):
        if found.stopped is not None:
            stopped[found.stopped.gate].append((case, found))
    completed = sum(f.completed for f in facts)
    gates = tuple(_tuned(row, stopped[row.name], judge, len(cases), completed) for row in GATES)
    all_stopped = [case for row in GATES for case, _ in stopped[row.name]]
    freed = {one.case: one for gate in gates for one in gate.freed}
    known = [case for case in all_stopped if case.solved is not None]
    return Tuning(
        len(cases),
        sum(bool(f.rules) for f in facts),
        completed,
        len(cases) + judge.runs,
        gates,
        Share.of(len(all_stopped), len(cases)),
        Share.of(len(freed), len(all_stopped)),
        Share.of(sum(bool(case.solved) for case in known), len(all_stopped)),
        len(known),
    )


def _tuned(
    row: GateRow, stopped: Sequence[tuple[Case, Facts]], judge: _Judge, sessions: int, completed: int
) -> GateTuning:
    found = [(case, before, judge.smallest(row, case, before)) for case, before in stopped]
    freed = tuple(
        Freed(case.name, limit, after.tokens - before.tokens, case.solved)
        for case, before, answer in found
        if answer is not None
        for limit, after in (answer,)
    )
    levels = sorted({one.limit for one in freed})
    frees = tuple((level, sum(one.limit <= level for one in freed)) for level in levels)
    limits = [b.stopped.limit for _, b, _ in found if b.stopped is not None and b.stopped.limit is not None]
    in_force = (min(limits), max(limits)) if limits else (None, None)
    proposed = levels[-1] if levels else None
    return GateTuning(
        row.name,
        in_force,
        tuple(case.name for case, _ in stopped),
        freed,
        frees,
        proposed,
        sum(one.tokens for one in freed),
        tuple(_curve(in_force[0], frees, sessions, completed, proposed)),
    )


def _curve(
    limit: Number | None, frees: Sequence[tuple[Number, int]], sessions: int, completed: int, proposed: Number | None
) -> Iterator[CurvePoint]:
    if limit is None or not frees:
        return
    for level, more in ((limit, 0), *frees):
        yield CurvePoint(level, completed + more, *clopper_pearson(completed + more, sessions), level == proposed)


class _Judge:
    """Runs sessions again with one gate set to another limit, and counts them."""

    def __init__(self, policy: Policy | None) -> None:
        self._policy = policy
        self.runs = 0

    def smallest(self, row: GateRow, case: Case, before: Facts) -> tuple[Number, Facts] | None:
        """The smallest limit under which a stopped session completes, with its facts; None where none does."""
        assert before.stopped is not None
        after = self._run(row, case, None if row.nullable else MOST)
        if not after.completed:
            return None
        low = before.stopped.limit or 0
        high = self._first_that_frees(row, case, low)
        return self._between(row, case, low, high)

    def _first_that_frees(self, row: GateRow, case: Case, low: Number) -> Number:
        """Doubling the distance from the limit that stopped it, until one lets it through."""
        step: Number = 1
        while not self._run(row, case, low + step).completed:
            step *= 2
        return low + step

    def _between(self, row: GateRow, case: Case, low: Number, high: Number) -> tuple[Number, Facts]:
        """The last step between a limit that stops it and one that does not; seconds to the millisecond."""
        least = 0.001 if row.unit is Unit.SECONDS else 1
        while high - low > least:
            middle = (low + high) / 2 if row.unit is Unit.SECONDS else (low + high) // 2
            if self._run(row, case, middle).completed:
                high = middle
            else:
                low = middle
        limit = _up(high) if row.unit is Unit.SECONDS else int(high)
        return limit, self._run(row, case, limit)

    def _run(self, row: GateRow, case: Case, limit: Number | None) -> Facts:
        self.runs += 1
        policy = self._policy or case.rehearsal.policy
        gates = msgspec.structs.replace(policy.gates, **{str(row.name): limit})
        return run_trial(case.rehearsal, Trial((case.name,), policy=msgspec.structs.replace(policy, gates=gates)))


def _up(seconds: float) -> float:
    """Up to the next millisecond, so that what was found to be enough stays enough."""
    return -(-round(seconds * 1_000_000) // 1_000) / 1_000


def tuned_policy(policy: Policy, tuning: Tuning) -> tuple[Policy, Mapping[str, str]]:
    """The policy with every proposed limit, and a comment for each: on how many sessions it stands."""
    proposed = {str(gate.gate): gate for gate in tuning.gates if gate.proposed is not None}
    limits: dict[str, Any] = {name: gate.proposed for name, gate in proposed.items()}
    comments = {name: _comment(gate, tuning) for name, gate in proposed.items()}
    replace = msgspec.structs.replace
    return replace(policy, gates=replace(policy.gates, **limits)), comments


def _comment(gate: GateTuning, tuning: Tuning) -> str:
    few = ": fewer than five decide little" if gate.decided_by_few else ""
    return f"frees {len(gate.freed)} of {len(gate.stopped)} that it stopped, of {tuning.sessions} sessions{few}"


def corpus_trials(cases: Iterable[Case], policy: Policy | None) -> Iterator[tuple[Rehearsal, list[Trial]]]:
    """The trials of a whole corpus, as a sweep takes them."""
    for case in cases:
        yield case.rehearsal, tune_trials(case, policy)
