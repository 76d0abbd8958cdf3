"""The coupling test: what a step's failure would take with it, decided on the plan alone.

One step's output is blanked; a later step is paralysed when it has dependencies and all of them are blank or
paralysed. Strong coupling calls for a replan, weak coupling lets the rest go on with a gap (ReWOO, arXiv:2305.18323).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from replanctl.plan.model import OnFailure, Step


class Coupling(StrEnum):
    """How much of what rests on a step its failure paralyses."""

    STRONG = "strong"
    WEAK = "weak"
    MIXED = "mixed"


ON_FAILURE = {Coupling.STRONG: OnFailure.REPLAN, Coupling.WEAK: OnFailure.DEFER, Coupling.MIXED: OnFailure.REPLAN}


class CouplingRow(msgspec.Struct, frozen=True, gc=False):
    """The test of one step: how many steps rest on it, directly or not, and how many of them are paralysed."""

    step_id: str
    dependents: int
    paralysed: int
    coupling: Coupling
    on_failure: OnFailure


def coupling(steps: Sequence[Step]) -> tuple[CouplingRow, ...]:
    """The test of every step, in list order.

    Work grows with the number of (step, transitive dependent) pairs.
    """
    readers: dict[str, list[Step]] = {step.id: [] for step in steps}
    for step in steps:
        for id_ in dict.fromkeys(step.depends_on or ()):
            if id_ in readers:
                readers[id_].append(step)
    return tuple(_row(step, readers) for step in steps)


def _row(step: Step, readers: dict[str, list[Step]]) -> CouplingRow:
    reached = _reached(step, readers)
    paralysed = _paralysed(step, readers)
    verdict = _verdict(len(reached), len(paralysed))
    return CouplingRow(step.id, len(reached), len(paralysed), verdict, ON_FAILURE[verdict])


def _reached(step: Step, readers: dict[str, list[Step]]) -> set[str]:
    reached: set[str] = set()
    stack = [step.id]
    while stack:
        for reader in readers[stack.pop()]:
            if reader.id not in reached:
                reached.add(reader.id)
                stack.append(reader.id)
    return reached


def _paralysed(step: Step, readers: dict[str, list[Step]]) -> set[str]:
    alive: dict[str, int] = {}  # dependencies of a reader that still deliver
    paralysed: set[str] = set()
    stack = [step.id]
    while stack:
        for reader in readers[stack.pop()]:
            left = alive.get(reader.id, len(set(reader.depends_on or ()))) - 1
            alive[reader.id] = left
            if left == 0:
                paralysed.add(reader.id)
                stack.append(reader.id)
    return paralysed


def _verdict(dependents: int, paralysed: int) -> Coupling:
    if paralysed == dependents:
        return Coupling.STRONG
    return Coupling.WEAK if (dependents - paralysed) * 2 > dependents else Coupling.MIXED
