"""When the goal changes under the running plan: once a step has ended, or at a time on the session's clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec


class Interruption(msgspec.Struct, frozen=True, gc=False):
    """The goal changes: once step `after` (or what replaced it) has ended either way, or `at` so many seconds."""

    goal: str
    after: str | None = None
    at: float | None = None
    refutes: tuple[str, ...] = ()


class GoalChange(msgspec.Struct, frozen=True, gc=False):
    """Every interruption that has come due, as one change: the last of the list wins, what they refute is united."""

    goal: str
    refutes: tuple[str, ...]


class Interruptions:
    """Which interruptions have come due and were not answered yet. Each comes due once."""

    def __init__(self, interruptions: Sequence[Interruption]) -> None:
        self._all: tuple[Interruption, ...] = ()
        self._due: set[int] = set()
        self.expect(interruptions)

    def expect(self, interruptions: Sequence[Interruption]) -> None:
        """These are to come, instead of those that have not come due."""
        first = len(self._all)
        self._all = (*self._all, *interruptions)
        self._after: dict[str, list[int]] = {}
        self._at: list[tuple[float, int]] = []
        for index, one in enumerate(interruptions, first):
            if one.after is not None:
                self._after.setdefault(one.after, []).append(index)
            else:
                self._at.append((one.at or 0.0, index))
        self._at.sort(reverse=True)

    def add(self, goal: str) -> None:
        """A person changes the goal now."""
        self._all = (*self._all, Interruption(goal))
        self._due.add(len(self._all) - 1)

    def step_ended(self, line: Iterable[str]) -> None:
        """A step of this lineage is done or failed."""
        if self._after:
            for id_ in line:
                self._due.update(self._after.pop(id_, ()))

    def due(self, at: float) -> bool:
        """Whether any waits for its answer, now that the clock stands at so many seconds."""
        while self._at and self._at[-1][0] <= at:
            self._due.add(self._at.pop()[1])
        return bool(self._due)

    def take(self) -> GoalChange:
        """What has come due, as one change; it is answered with this."""
        due = [self._all[index] for index in sorted(self._due)]
        self._due.clear()
        return GoalChange(due[-1].goal, tuple(dict.fromkeys(name for one in due for name in one.refutes)))

    def takes_effect(self, goal: str) -> bool:
        """Whether what is due would change this goal."""
        return bool(self._due) and self._all[max(self._due)].goal != goal

    def left(self) -> Iterator[Interruption]:
        """Those that never came due."""
        indexes = sorted([*(i for many in self._after.values() for i in many), *(i for _, i in self._at)])
        return (self._all[index] for index in indexes)
