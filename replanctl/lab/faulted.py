"""The sessions of a matrix: every fault of every step, the goal changes, and a sample of two faults at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb, isqrt
from random import Random

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import Case
from replanctl.lab.trial import Trial
from replanctl.plan import Step
from replanctl.run import Interruption
from replanctl.script import FAULTS, Fault

MADE_UP_GOAL = "something else than before"  # where the plan has no interruption of its own


class MatrixOptions(msgspec.Struct, frozen=True):
    """What is swept beside every step × status: each goal change after each step, and a sample of two faults."""

    goals: bool = False
    pairs: int = 0


_FAULTS_ALONE = MatrixOptions()


def matrix_trials(of: Case | Rehearsal, options: MatrixOptions = _FAULTS_ALONE) -> list[Trial]:
    """The script as it is, every fault of every step, the goal changes, the sample of pairs: always the same."""
    rehearsal = of.rehearsal if isinstance(of, Case) else of
    steps = rehearsal.plan.steps
    # The order is the contract between trials and table: the script, then every fault, step by step, then goals, then
    # pairs. `rows` reads the grid off by it.
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
    # A goal change costs the same whatever the new goal says, unless the script's planner answers that very goal: so
    # the plan's own goals are tried where it has any.
    own = dict.fromkeys((one.goal, one.refutes) for one in rehearsal.interruptions) or {(MADE_UP_GOAL, ()): None}
    for step in rehearsal.plan.steps:
        yield from (Interruption(goal, step.id, refutes=refutes) for goal, refutes in own)


def _goal(change: Interruption) -> Trial:
    return Trial(("goal", change.after or "", change.goal), (), change)


def pairs_in_all(steps: int) -> int:
    """How many pairs of faults of two different steps there are."""
    return comb(steps, 2) * (2 * len(FAULTS)) ** 2


def _pairs(steps: Sequence[Step], wanted: int) -> Iterator[tuple[Fault, Fault]]:
    """A sample without replacement, the same for the same plan: drawn by number, so that nobody lists them all."""
    # Seeded by the plan's length and by nothing else: the same plan has the same sample on every machine and in every
    # shard. Pairs are drawn by their number, because a plan of 100 steps has two million of them.
    each = 2 * len(FAULTS)
    total = pairs_in_all(len(steps))
    for number in sorted(Random(len(steps)).sample(range(total), min(wanted, total))):
        pair, rest = divmod(number, each * each)
        (one, other), (first, second) = _two_of(pair), divmod(rest, each)
        yield list(_faults(steps[one]))[first], list(_faults(steps[other]))[second]


def _two_of(number: int) -> tuple[int, int]:
    """The pair of that number in the order (0, 1), (0, 2), (1, 2), (0, 3), …"""
    other = (1 + isqrt(1 + 8 * number)) // 2
    return number - comb(other, 2), other
