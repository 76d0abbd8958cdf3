"""What rests on what, decided on the plan alone: cycles, covered dependencies, and what a failure would take along.

Iterative and linear, for plans of 100,000 steps in one sequence. `needs[i]` are the positions step `i` depends on.

The coupling test blanks one step's output; a later step is paralysed when it has dependencies and all of them are
blank or paralysed. What alone decides a dependent's input, and what the goal needs, is strongly coupled as well: the
goal decides, not the kind of task. Strong coupling calls for a replan, weak coupling lets the rest go on with a gap
(ReWOO, arXiv:2305.18323).

A step is paralysed by blanking another exactly when every way from the plan's beginnings to it leads through that
other one: when the other one dominates it. So one dominator tree answers for every step at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import msgspec

from replanctl.kinds import Coupling, OnFailure
from replanctl.plan.model import Plan, Step

Needs = Sequence[Sequence[int]]
_ROOM = 4  # times the steps of the plan that all cycles shown may add up to
_BATCH = 1024  # targets looked up in one pass: one bit each


def cycles(needs: Needs) -> list[list[int]]:
    """Cycles as paths from each step to one it depends on: one for every edge that closes one, in list order.

    When their lengths add up to more than a few times the plan's, the rest are left out.
    """
    found: list[list[int]] = []
    if all(need < at for at, own in enumerate(needs) for need in own):
        return found  # each step rests on earlier ones
    state = bytearray(len(needs))  # 0 not seen, 1 on the path, 2 done
    room = _ROOM * len(needs)
    for start in range(len(needs)):
        if state[start] == 0:
            room = _search(start, needs, state, found, room)
    return found


# An explicit stack instead of recursion: a sequence of 100,000 steps is as deep as it is long, and Python's own stack
# ends at a thousand.
def _search(start: int, needs: Needs, state: bytearray, found: list[list[int]], room: int) -> int:
    path = [start]
    waiting = [iter(needs[start])]
    state[start] = 1
    while path:
        for need in waiting[-1]:
            # An edge back to the path closes a cycle. A plan of n steps can have far more cycles than edges; one for
            # each closing edge is what a person can mend, one after the other.
            if state[need] == 1 and room > 0:
                found.append(path[path.index(need) :])
                room -= len(path)
            elif state[need] == 0:
                state[need] = 1
                path.append(need)
                waiting.append(iter(needs[need]))
                break
        else:
            state[path.pop()] = 2
            waiting.pop()
    return room


def in_order(needs: Needs) -> list[int]:
    """The positions with every dependency before what depends on it; the needs must hold no cycle."""
    order: list[int] = []
    state = bytearray(len(needs))
    for start in range(len(needs)):
        stack = [start]
        while stack:
            at = stack[-1]
            if state[at] == 0:
                state[at] = 1
                stack.extend(need for need in needs[at] if state[need] == 0)
                continue
            stack.pop()
            if state[at] == 1:
                state[at] = 2
                order.append(at)
    return order


def uncovered(needs: Needs, pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those (step, other) of the pairs in which the step does not rest on the other, directly or through others."""
    first = _sequences(needs)
    # Nearly every plan is a sequence, or nearly so, and nearly every pair lies in one: then nothing is searched.
    left = [(step, other) for step, other in pairs if not first[step] <= other < step and other not in needs[step]]
    targets = sorted({other for _, other in left})
    order = in_order(needs) if left else []
    open_: set[tuple[int, int]] = set()
    for start in range(0, len(targets), _BATCH):
        bits = {target: 1 << bit for bit, target in enumerate(targets[start : start + _BATCH])}
        rests = _resting(needs, order, bits)
        open_.update((step, other) for step, other in left if other in bits and not rests[step] & bits[other])
    return open_


def _sequences(needs: Needs) -> list[int]:
    """For each step where the strict sequence it stands in begins: it rests on all of it, which needs no search."""
    first: list[int] = []
    for at, own in enumerate(needs):
        first.append(first[at - 1] if at and at - 1 in own else at)
    return first


def _resting(needs: Needs, order: Iterable[int], bits: dict[int, int]) -> list[int]:
    """For each step the targets it rests on, as bits."""
    rests = [0] * len(needs)
    for at in order:
        mask = 0
        for need in needs[at]:
            # All targets of a batch travel as one whole number, so that one pass over the edges answers for a thousand
            # of them.
            mask |= rests[need] | bits.get(need, 0)
        rests[at] = mask
    return rests


def plan_faults(plan: Plan) -> tuple[str, ...]:
    """Equal ids, dependencies on nothing, cycles, and tools the plan does not have; none when it can be run."""
    if plan.tools is None and _is_in_order(plan.steps):
        return ()
    position = {step.id: index for index, step in enumerate(plan.steps)}
    faults = [f"two steps have the id {s.id}" for index, s in enumerate(plan.steps) if position[s.id] != index]
    for step in plan.steps:
        faults += (
            f"step {step.id} depends on {id_}, which no step is" for id_ in step.depends_on or () if id_ not in position
        )
        if plan.tools is not None and step.tool_name not in plan.tools:
            faults.append(f"step {step.id} uses the tool {step.tool_name}, which the plan does not have")
    # Cycles are looked for only where every dependency leads to a step.
    if not faults:
        for loop in cycles([[position[id_] for id_ in step.depends_on or ()] for step in plan.steps]):
            path = [plan.steps[index].id for index in (*loop, loop[0])]
            faults.append("the steps wait for each other: " + " → ".join(path))
    return tuple(dict.fromkeys(faults))


def _is_in_order(steps: Iterable[Step]) -> bool:
    """Whether each step has an id of its own and depends on earlier ones alone, as in most plans: such a list has no
    fault, which is told in one walk."""
    before: set[str] = set()
    for step in steps:
        if step.id in before or (step.depends_on and not before.issuperset(step.depends_on)):
            return False
        before.add(step.id)
    return True


ON_FAILURE = {Coupling.STRONG: OnFailure.REPLAN, Coupling.WEAK: OnFailure.DEFER, Coupling.MIXED: OnFailure.REPLAN}

_COUNTED = 4096  # dependents counted in one pass: one bit each


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
    for start in range(0, len(order), _COUNTED):
        bits = [0] * len(needs)
        for rank in reversed(range(min(start + _COUNTED, len(order)))):
            at = order[rank]
            counts[at] += bits[at].bit_count()
            mask = bits[at] | (1 << rank - start if rank >= start else 0)
            for need in needs[at]:
                bits[need] |= mask
    return counts
