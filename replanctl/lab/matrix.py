"""Every step under every fault: where a policy leaves a session stranded, and what of it never decides anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from replanctl.cost import CostModel
from replanctl.files import Rehearsal
from replanctl.host import Case
from replanctl.kinds import Mode, Reason
from replanctl.lab.coverage import Coverage, Used, coverage_of
from replanctl.lab.facts import Facts
from replanctl.lab.faulted import pairs_in_all
from replanctl.lab.totals import Totals, TotalsFold
from replanctl.replan import resolve
from replanctl.script import FAULTS

PAIRS_SHOWN = 20


# The grid: every step × every status of `FAULTS`, once and for ever. Once is the first attempt alone, after which the
# script answers again, so it asks what retries absorb; for ever asks what replans, fallbacks and alternatives can get
# around. Faults name steps and follow their lineage, as scripted outcomes do, so that a step under a new id does not
# get out of one; another tool does.
class Row(msgspec.Struct, frozen=True):
    """One step: the facts of each status of `FAULTS`, once and for ever."""

    step_id: str
    action: str
    tool: str
    once: tuple[Facts, ...]
    always: tuple[Facts, ...]


class Stranded(msgspec.Struct, frozen=True):
    """Statuses of a step from which no session came to its goal; `always` where only one that stays does that."""

    step_id: str
    tool: str
    statuses: tuple[str, ...]
    always: bool


class Twice(msgspec.Struct, frozen=True):
    """A tool of which the same call took effect more than once: at most so many times, in so many sessions.

    A tool is taken for `idempotent` unless the plan says otherwise.
    """

    tool: str
    idempotent: bool
    times: int
    sessions: int
    statuses: tuple[str, ...]


class Together(msgspec.Struct, frozen=True):
    """Two faults that a session gets over one by one and not together, and how it ends then."""

    faults: tuple[str, ...]
    reason: Reason


class Pairs(msgspec.Struct, frozen=True):
    """A sample of `tried` of the `in_all` pairs of faults; `worse` are how many end short that neither fault ends.

    `ends` counts them by how they ended, `doubled` those in which a call took effect twice; `tokens` is the most that
    one took.
    """

    tried: int
    in_all: int
    completed: int
    worse: int
    shown: tuple[Together, ...]
    ends: dict[str, int]
    doubled: int
    tokens: int


class Matrix(msgspec.Struct, frozen=True):
    """One plan under every fault. `totals` leave out `base`, the session without one.

    `bound_to_fail` says that nothing in the plan could get around a fault that stays.
    """

    name: str
    goal: str
    mode: Mode
    limits: dict[str, float | None]
    statuses: tuple[str, ...]
    base: Facts
    rows: tuple[Row, ...]
    goals: tuple[Facts, ...]
    pairs: Pairs | None
    stranded: tuple[Stranded, ...]
    bound_to_fail: bool
    imported: bool
    twice: tuple[Twice, ...]
    unlanded: tuple[str, ...]
    coverage: Coverage
    totals: Totals


def matrix(of: Case | Rehearsal, facts: Iterable[Facts]) -> Matrix:
    """The table of one plan from the facts of its trials, in their order. Of pairs only what they add is kept."""
    name, rehearsal = (of.name, of.rehearsal) if isinstance(of, Case) else ("", of)
    fold = _Fold(rehearsal)
    for one in facts:
        fold.apply(one)
    plan, policy = rehearsal.plan, rehearsal.policy
    rows = fold.rows()
    return Matrix(
        name=name,
        goal=plan.goal,
        mode=policy.mode,
        limits=msgspec.structs.asdict(resolve(policy.gates, len(plan.steps), CostModel(policy.coefficients))),
        statuses=tuple(map(str, FAULTS)),
        base=fold.kept[0],
        rows=rows,
        goals=tuple(f for f in fold.kept if f.key[0] == "goal"),
        pairs=fold.pairs(),
        stranded=tuple(_stranded(rows)),
        bound_to_fail=not _has_other_ways(rehearsal),
        imported=rehearsal.recorded is not None,
        twice=fold.twice(),
        unlanded=tuple(fold.unlanded),
        coverage=coverage_of(rehearsal, fold.used),
        totals=fold.totals.totals(),
    )


class _Fold:
    """Takes in the facts of one plan's trials: the grid and the goal changes are kept, pairs are counted."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal
        self.used, self.totals = Used(), TotalsFold()
        self.kept: list[Facts] = []
        self.unlanded: dict[str, None] = {}
        self._ends: dict[str, bool] = {}
        self._twice: dict[str, tuple[int, int, dict[str, None]]] = {}
        self._pairs = self._pairs_completed = self._worse = self._pairs_doubled = self._pair_tokens = 0
        self._pair_ends: dict[str, int] = {}
        self._shown: list[Together] = []

    def apply(self, one: Facts) -> None:
        kind, *faults = one.key
        self.used.apply(one)
        # The session without a fault is the base that the others are read against, and not one of them.
        if kind != "script":
            self.totals.apply(one)
        for doubled in one.doubled:
            times, sessions, statuses = self._twice.get(doubled.tool, (0, 0, {}))
            # Only a single fault tells which status made a call take effect twice; of a pair either may have.
            statuses |= dict.fromkeys(map(_status_of, faults if kind == "fault" else ()))
            self._twice[doubled.tool] = max(times, doubled.times), sessions + 1, statuses
        if kind == "pair":
            self._paired(one, faults)
            return
        self.kept.append(one)
        if kind == "fault":
            self._ends[faults[0]] = one.completed
            self.unlanded |= dict.fromkeys(one.unlanded)

    def _paired(self, one: Facts, faults: list[str]) -> None:
        self._pairs += 1
        self._pairs_completed += one.completed
        self._pairs_doubled += bool(one.doubled)
        self._pair_tokens = max(self._pair_tokens, one.tokens)
        self._pair_ends[one.reason] = self._pair_ends.get(one.reason, 0) + 1
        # Worth showing is what only the pair does. Single faults come first in the order of trials, so that their ends
        # are known by now; one that strands a session by itself explains the pair already.
        if not one.completed and all(self._ends.get(each) for each in faults):
            self._worse += 1
            if len(self._shown) < PAIRS_SHOWN:
                self._shown.append(Together(tuple(faults), one.reason))

    def rows(self) -> tuple[Row, ...]:
        grid = iter(self.kept[1:])
        return tuple(
            Row(step.id, step.action, step.tool_name, *(tuple(islice(grid, len(FAULTS))) for _ in range(2)))
            for step in self._rehearsal.plan.steps
        )

    def pairs(self) -> Pairs | None:
        if not self._pairs:
            return None
        in_all = pairs_in_all(len(self._rehearsal.plan.steps))
        ends = {str(reason): self._pair_ends[reason] for reason in Reason if reason in self._pair_ends}
        return Pairs(
            self._pairs,
            in_all,
            self._pairs_completed,
            self._worse,
            tuple(self._shown),
            ends,
            self._pairs_doubled,
            self._pair_tokens,
        )

    def twice(self) -> tuple[Twice, ...]:
        tools = self._rehearsal.plan.tools or {}
        return tuple(
            Twice(tool, tool not in tools or tools[tool].idempotent, times, sessions, tuple(statuses))
            for tool, (times, sessions, statuses) in self._twice.items()
        )


def _status_of(fault: str) -> str:
    """The status in `3=timeout:always`."""
    return fault.partition("=")[2].partition(":")[0]


def _stranded(rows: Iterable[Row]) -> Iterator[Stranded]:
    for row in rows:
        once, stays = _ending_short(row.once), _ending_short(row.always)
        if once:
            yield Stranded(row.step_id, row.tool, once, False)
        # A status that strands a session once is said so, and not again under those that do it only for ever.
        if only := tuple(status for status in stays if status not in once):
            yield Stranded(row.step_id, row.tool, only, True)


def _ending_short(cells: Sequence[Facts]) -> tuple[str, ...]:
    """The statuses under which a session ends short. Of a fault that met no call nothing ended."""
    return tuple(str(s) for s, f in zip(FAULTS, cells, strict=True) if not f.completed and not f.unlanded)


# Where nothing of this is written down, every fault that stays must end short, and the table says so once instead of
# listing every step.
def _has_other_ways(rehearsal: Rehearsal) -> bool:
    """Whether anything in the plan could get around a fault that stays."""
    steps, tools = rehearsal.plan.steps, rehearsal.plan.tools or {}
    return (
        bool(rehearsal.planner) or any(step.alternatives for step in steps) or any(t.fallback for t in tools.values())
    )
