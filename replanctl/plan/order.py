"""What rests on what when a plan is loaded, by position in the list: cycles, whether a dependency is covered,
and what keeps a plan from being run.

Iterative and linear, for plans of 100,000 steps in one sequence. `needs[i]` are the positions step `i` depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replanctl.plan.model import Plan

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
