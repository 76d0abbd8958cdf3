"""The coupling test: what a step's failure would take with it, decided on the plan alone.

One step's output is blanked; a later step is paralysed when it has dependencies and all of them are blank or
paralysed. What alone decides a dependent's input, and what the goal needs, is strongly coupled as well: the goal
decides, not the kind of task. Strong coupling calls for a replan, weak coupling lets the rest go on with a gap (ReWOO,
arXiv:2305.18323).

A step is paralysed by blanking another exactly when every way from the plan's beginnings to it leads through that
other one: when the other one dominates it. So one dominator tree answers for every step at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import msgspec

from replanctl.kinds import Coupling, OnFailure
from replanctl.plan.model import Step
from replanctl.plan.order import Needs, in_order

ON_FAILURE = {Coupling.STRONG: OnFailure.REPLAN, Coupling.WEAK: OnFailure.DEFER, Coupling.MIXED: OnFailure.REPLAN}

_BATCH = 4096  # dependents counted in one pass: one bit each


class CouplingRow(msgspec.Struct, frozen=True, gc=False):
    """The test of one step: how many steps rest on it, directly or not, and how many of them are paralysed."""

    step_id: str
    dependents: int
    paralysed: int
    coupling: Coupling
    on_failure: OnFailure


def coupling(steps: Sequence[Step], required: Iterable[str] = ()) -> tuple[CouplingRow, ...]:
    """The test of every step, in list order; the steps must hold no cycle. `required` are the ids of steps that the
    goal can't do without.

    Next to linear, but for the dependents of steps that are not strongly coupled: those are counted in bits.
    """
    position = {step.id: index for index, step in enumerate(steps)}
    needs = [[position[id_] for id_ in step.depends_on or () if id_ in position] for step in steps]
    order = in_order(needs)
    above = _dominators(needs, order)
    paralysed = _sums(above, order, [1] * len(steps))
    leaving = _leaving(needs, above, order)
    # Where nothing rests on a step but what it dominates, both counts are the same, and the expensive one is saved.
    dependents = _dependents(needs, order) if any(leaving) else paralysed
    # What dominates a step and is its dependency at once decides it alone.
    alone = {parent for at, parent in enumerate(above[: len(steps)]) if parent in needs[at]}
    decided = alone | {position[id_] for id_ in required if id_ in position}
    strong = (at in decided for at in range(len(steps)))
    return tuple(map(_row, steps, dependents, paralysed, strong))


def _row(step: Step, dependents: int, paralysed: int, decides: bool) -> CouplingRow:
    verdict = _verdict(dependents, paralysed, decides)
    return CouplingRow(step.id, dependents, paralysed, verdict, ON_FAILURE[verdict])


def _verdict(dependents: int, paralysed: int, decides: bool) -> Coupling:
    """`decides`: the goal needs the step itself, or a step that depends on it has nothing else to go by."""
    if decides or paralysed == dependents:
        return Coupling.STRONG
    # More than half goes on without it: a gap costs less than a replan.
    return Coupling.WEAK if (dependents - paralysed) * 2 > dependents else Coupling.MIXED


def _dominators(needs: Needs, order: Sequence[int]) -> list[int]:
    """For each position the nearest one that dominates it; what lies behind the last is above those without any."""
    root = len(needs)
    above, jump, depth = ([value] * (root + 1) for value in (root, root, 0))

    def meet(one: int, other: int) -> int:
        """The lowest that is above both: up to the same depth, then side by side, by jumps where they lead apart."""
        while depth[one] != depth[other]:
            one, other = (one, other) if depth[one] > depth[other] else (other, one)
            one = jump[one] if depth[jump[one]] >= depth[other] else above[one]
        while one != other:
            ways = above if jump[one] == jump[other] else jump
            one, other = ways[one], ways[other]
        return one

    # In an order where dependencies come first, the dominator of a step is where those of its dependencies meet. A plan
    # has no cycle, so that one pass does.
    for at in order:
        parent = above[at] = reduce(meet, needs[at]) if needs[at] else root
        depth[at] = depth[parent] + 1
        far = jump[parent]  # each jump is as long as the two before it, or one step: log n of them lead anywhere
        even = depth[parent] - depth[far] == depth[far] - depth[jump[far]]
        jump[at] = jump[far] if even else parent
    return above


def _leaving(needs: Needs, above: Sequence[int], order: Sequence[int]) -> list[int]:
    """For each position how many dependents of it and of what it dominates it does not dominate itself."""
    ends = [0] * (len(needs) + 1)
    for at, own in enumerate(needs):
        for need in own:
            ends[need] += 1
        ends[above[at]] -= len(own)
    return [own + below for own, below in zip(ends, _sums(above, order, ends), strict=False)]


def _sums(above: Sequence[int], order: Sequence[int], values: Sequence[int]) -> list[int]:
    """For each position the sum of the values of what it dominates."""
    sums = [0] * len(above)
    for at in reversed(order):
        sums[above[at]] += sums[at] + values[at]
    return sums[:-1]


def _dependents(needs: Needs, order: Sequence[int]) -> list[int]:
    """For each position how many rest on it, directly or not; batch by batch, so that memory stays linear."""
    counts = [0] * len(needs)
    for start in range(0, len(order), _BATCH):
        bits = [0] * len(needs)
        for rank in reversed(range(min(start + _BATCH, len(order)))):
            at = order[rank]
            counts[at] += bits[at].bit_count()
            mask = bits[at] | (1 << rank - start if rank >= start else 0)
            for need in needs[at]:
                bits[need] |= mask
    return counts
