"""Every step under every fault: where a policy leaves a session stranded, and what of it never decides anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from random import Random
from typing import Any

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import FAULTS, Fault
from replanctl.kinds import Reason
from replanctl.lab.coverage import Coverage, coverage_of
from replanctl.lab.facts import Facts
from replanctl.lab.sweep import Trial
from replanctl.plan import Step
from replanctl.run import Interruption

MADE_UP_GOAL = "something else than before"  # where the plan has no interruption of its own

HONEST = "Exact for this policy and script; says nothing about what a model would plan instead."


class MatrixOptions(msgspec.Struct, frozen=True):
    """What is swept beside every step × status: each goal change after each step, and a sample of two faults."""

    goals: bool = False
    pairs: int = 0


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
    """A tool of which the same call took effect more than once: at most so many times, in so many sessions."""

    tool: str
    idempotent: bool
    times: int
    sessions: int
    statuses: tuple[str, ...]


class Totals(msgspec.Struct, frozen=True):
    """Sessions by how they ended. `absorbed` met the goal without a replan, `by_replans` with some."""

    sessions: int
    completed: int
    absorbed: int
    by_replans: int
    with_gaps: int
    handed_over: int
    stopped: int


class Matrix(msgspec.Struct, frozen=True):
    """One plan under every fault. `pairs_in_all` is of how many pairs `pairs` is a sample."""

    name: str
    goal: str
    base: Facts
    rows: tuple[Row, ...]
    goals: tuple[Facts, ...]
    pairs: tuple[Facts, ...]
    pairs_in_all: int
    stranded: tuple[Stranded, ...]
    no_other_way: bool
    twice: tuple[Twice, ...]
    unlanded: tuple[str, ...]
    coverage: Coverage
    totals: Totals
    statuses: tuple[str, ...] = tuple(map(str, FAULTS))
    honest: str = HONEST

    @property
    def sessions(self) -> tuple[Facts, ...]:
        """All of them, in the order in which they were run."""
        grid = [facts for row in self.rows for facts in (*row.once, *row.always)]
        return (self.base, *grid, *self.goals, *self.pairs)


# -- the trials --------------------------------------------------------------------------------------------------------


def matrix_trials(rehearsal: Rehearsal, options: MatrixOptions) -> list[Trial]:
    """The script as it is, every fault of every step, the goal changes, the sample of pairs: always the same."""
    steps = rehearsal.plan.steps
    trials = [Trial(("script",))]
    trials += [_faulted("fault", one) for step in steps for one in _faults(step)]
    if options.goals:
        trials += [_goal(change) for change in _changes(rehearsal)]
    return trials + [_faulted("pair", *pair) for pair in _pairs(steps, options.pairs)]


def _faults(step: Step) -> Iterator[Fault]:
    for always in (False, True):
        yield from (Fault(step.id, status, always) for status in FAULTS)


def _faulted(kind: str, *faults: Fault) -> Trial:
    return Trial((kind, *map(str, faults)), faults)


def _changes(rehearsal: Rehearsal) -> Iterator[Interruption]:
    """Each goal of the plan's own interruptions, or one made up, after each step."""
    own = {one.goal: one.refutes for one in rehearsal.interruptions} or {MADE_UP_GOAL: ()}
    for step in rehearsal.plan.steps:
        yield from (Interruption(goal, step.id, refutes=refutes) for goal, refutes in own.items())


def _goal(change: Interruption) -> Trial:
    return Trial(("goal", change.after or "", change.goal), (), change)


def pairs_in_all(steps: int) -> int:
    """How many pairs of faults of two different steps there are."""
    return comb(steps, 2) * (2 * len(FAULTS)) ** 2


def _pairs(steps: Sequence[Step], wanted: int) -> Iterator[tuple[Fault, Fault]]:
    """A sample without replacement, the same for the same plan: drawn by number, so that nobody lists them all."""
    each = 2 * len(FAULTS)
    here = list(combinations(range(len(steps)), 2)) if wanted else []
    total = len(here) * each * each
    for number in sorted(Random(len(steps)).sample(range(total), min(wanted, total))):
        pair, rest = divmod(number, each * each)
        (one, other), (first, second) = here[pair], divmod(rest, each)
        yield list(_faults(steps[one]))[first], list(_faults(steps[other]))[second]


# -- from facts to the table -------------------------------------------------------------------------------------------


def matrix(name: str, rehearsal: Rehearsal, facts: Iterable[Facts]) -> Matrix:
    """The table of one plan from the facts of its trials, in their order."""
    found = list(facts)
    base, rest = found[0], found[1:]
    width = len(FAULTS)
    rows = []
    for number, step in enumerate(rehearsal.plan.steps):
        start = number * 2 * width
        once, always = rest[start : start + width], rest[start + width : start + 2 * width]
        rows.append(Row(step.id, step.action, step.tool_name, tuple(once), tuple(always)))
    behind = rest[len(rows) * 2 * width :]
    pairs = tuple(f for f in behind if f.key[0] == "pair")
    return Matrix(
        name,
        rehearsal.plan.goal,
        base,
        tuple(rows),
        tuple(f for f in behind if f.key[0] == "goal"),
        pairs,
        pairs_in_all(len(rows)) if pairs else 0,
        tuple(_stranded(rows)),
        not _has_other_ways(rehearsal),
        tuple(_twice(rehearsal, found)),
        tuple(dict.fromkeys(text for f in found if f.key[0] != "pair" for text in f.unlanded)),
        coverage_of(rehearsal, found),
        _totals(found),
    )


def _stranded(rows: Iterable[Row]) -> Iterator[Stranded]:
    for row in rows:
        once = tuple(str(status) for status, f in zip(FAULTS, row.once, strict=True) if not f.completed)
        stays = tuple(str(status) for status, f in zip(FAULTS, row.always, strict=True) if not f.completed)
        if once:
            yield Stranded(row.step_id, row.tool, once, False)
        if only := tuple(status for status in stays if status not in once):
            yield Stranded(row.step_id, row.tool, only, True)


def _has_other_ways(rehearsal: Rehearsal) -> bool:
    """Whether anything in the plan could get around a fault that stays."""
    steps, tools = rehearsal.plan.steps, rehearsal.plan.tools or {}
    return (
        bool(rehearsal.planner) or any(step.alternatives for step in steps) or any(t.fallback for t in tools.values())
    )


def _twice(rehearsal: Rehearsal, facts: Iterable[Facts]) -> Iterator[Twice]:
    worst: dict[str, list[Any]] = {}
    for one in facts:
        for doubled in one.doubled:
            row = worst.setdefault(doubled.tool, [0, 0, {}])
            row[0], row[1] = max(row[0], doubled.times), row[1] + 1
            row[2].update(
                dict.fromkeys(text.partition("=")[2].partition(":")[0] for text in one.key[1:] if "=" in text)
            )
    tools = rehearsal.plan.tools or {}
    for tool, (times, sessions, statuses) in worst.items():
        spec = tools.get(tool)
        yield Twice(tool, spec is None or spec.idempotent, times, sessions, tuple(statuses))


def _totals(facts: Sequence[Facts]) -> Totals:
    met = [f for f in facts if f.reason is Reason.GOAL_MET]
    absorbed = sum(not f.replans for f in met)
    gaps = sum(f.reason is Reason.GOAL_MET_WITH_GAPS for f in facts)
    handed = sum(f.reason is Reason.ESCALATED for f in facts)
    return Totals(
        len(facts), len(met) + gaps, absorbed, len(met) - absorbed, gaps, handed, len(facts) - len(met) - gaps - handed
    )
