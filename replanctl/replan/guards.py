"""Gates that work alone: two that remember what was replanned and which plans were given up, and a ceiling on a sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import le, lt

import msgspec

from replanctl.kinds import GateName
from replanctl.replan.gates import GATE, Check, Moment


# A loop has two shapes. Either the same failure comes back, whatever is planned against it: the breaker counts those by
# lineage and class, so that neither another id nor another failure of the same step hides it. Or plans take turns, each
# abandoned for another that was abandoned before, while every single failure looks new: the guard counts those. Both
# remember for one goal only, for a new goal makes old failures worth another try.
class ReplanBreaker:
    """Stops the same failure from being replanned over and over: so many replans per lineage and error type.

    The counts start afresh when the goal changes.
    """

    def __init__(self, per_step: int | None = 3) -> None:
        self.per_step = per_step
        self._asked: dict[tuple[str, str], int] = {}

    def check(self, lineage: str, error_type: str) -> Check:
        """Whether this lineage (the id of its first step) may be replanned for this error type once more."""
        return GATE[GateName.PER_STEP].check(Moment.REPLAN, self.per_step, self.asked(lineage, error_type))

    def asked(self, lineage: str, error_type: str) -> int:
        """How often a replanner was asked for this lineage and error type."""
        return self._asked.get((lineage, error_type), 0)

    def record(self, lineage: str, error_type: str) -> None:
        """A replanner was asked, whatever came back."""
        # Also where the draft was refused or nothing came: what is limited is how often somebody was asked, which is
        # what costs.
        self._asked[lineage, error_type] = self._asked.get((lineage, error_type), 0) + 1

    def forget(self) -> None:
        """The goal changed."""
        self._asked.clear()


Sequenced = Callable[[], Sequence[tuple[str, str]]]


class OscillationGuard:
    """Refuses the return to an abandoned plan: a draft whose open steps have the (action, tool) sequence of an
    earlier version. The version being replaced is not counted: the same plan again is lack of progress.

    A fingerprint is a key that two equal sequences share and the sequence itself, which is only asked for when the
    keys meet, so that a check costs nothing that grows with the plan.
    """

    def __init__(self, max_repeat: int | None = 1) -> None:
        self.max_repeat = max_repeat
        self._abandoned: dict[int, list[Sequenced]] = {}
        self._current: tuple[int, Sequenced] | None = None

    def check(self, key: int, sequence: Sequenced) -> Check:
        """How many abandoned versions this draft equals, and whether that is admitted."""
        return GATE[GateName.MAX_REPEAT].check(Moment.COMMIT, self.max_repeat, self.seen(key, sequence))

    def seen(self, key: int, sequence: Sequenced) -> int:
        """How many abandoned versions this draft equals; none where it equals the one that is being replaced."""
        met = self._abandoned.get(key)
        if met is None:  # no earlier version can be equal, so the sequences need not be looked at
            return 0
        draft = sequence()
        same_again = self._current is not None and self._current[0] == key and self._current[1]() == draft
        return 0 if same_again else sum(earlier() == draft for earlier in met)

    def replace(self, key: int, sequence: Sequenced) -> None:
        """The version with this fingerprint is about to be replaced; it becomes an abandoned one afterwards."""
        self._current = (key, sequence)

    def commit(self) -> None:
        """The replacement is in force."""
        if self._current is not None:
            self._abandoned.setdefault(self._current[0], []).append(self._current[1])
            self._current = None

    def forget(self) -> None:
        """The goal changed: versions made for an earlier goal do not count."""
        self._abandoned.clear()
        self._current = None


def fingerprint(steps: Iterable[tuple[str, str]]) -> int:
    """A key that equal (action, tool) sequences share; it can be kept up step by step with + and -."""
    # A sum, so that a step that goes or comes changes it by its own hash and the plan need not be walked. Equal
    # sequences have equal keys; whether the reverse holds is looked up.
    return sum(map(hash, steps))


class BudgetGate(msgspec.Struct, frozen=True, gc=False):
    """A ceiling on a sum. `check(reading)` admits what stays within the limit (`reached` false: below it)."""

    gate: GateName
    limit: int | float | None
    reached: bool = True

    def check(self, reading: int | float) -> Check:
        """Whether this reading is inside; a limit of None always admits, a limit of 0 nothing."""
        inside = le if self.reached else lt
        return Check(self.gate, self.limit, reading, self.limit is None or inside(reading, self.limit))
