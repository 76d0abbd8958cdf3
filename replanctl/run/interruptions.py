"""When the goal changes under the running plan: once a step has ended, or at a time on the session's clock."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from math import inf

import msgspec


class Interruption(msgspec.Struct, frozen=True, gc=False):
    """The goal changes: once step `after` (or what replaced it) has ended either way, or `at` so many seconds."""

    goal: str
    after: str | None = None
    at: float | None = None
    refutes: tuple[str, ...] = ()


class GoalChange(msgspec.Struct, frozen=True, gc=False):
    """Every change that waits, as one: the last to come due wins, what they refute is united."""

    goal: str
    refutes: tuple[str, ...]


_Due = tuple[float, int]  # when it came due, in seconds, and its place in the list


# An interruption comes due by the clock or behind a step's end, and waits then: a goal is changed between two turns and
# never under a call. Several that wait come down to the last one, since no plan was made for those before it.
class Interruptions:
    """Which interruptions have come due and wait to be made. Each comes due once.

    One whose goal is in force already (or waits already, where a change does) changes nothing and holds nothing up.
    """

    def __init__(self, interruptions: Sequence[Interruption]) -> None:
        self._all: tuple[Interruption, ...] = ()
        self._came: list[_Due] = []  # due and not heard yet
        self.waiting: list[_Due] = []  # in the order they came due
        self.due = inf  # the second of the session's clock from which there is one to hear: asked before every step
        self.after: dict[str, list[int]] = {}  # by the step they wait for
        self._at: list[_Due] = []
        self._withdrawn: set[int] = set()  # those that were replaced before they came due
        self.expect(interruptions)

    def expect(self, interruptions: Sequence[Interruption]) -> None:
        """Replace the interruptions that have not come due by these; one that has come due does so once, in whatever
        list it stands again."""
        self._withdrawn.update(self._left())
        came = [one for index, one in enumerate(self._all) if index not in self._withdrawn]
        first = len(self._all)
        self._all = (*self._all, *interruptions)
        self.after, self._at = {}, []
        for index, one in enumerate(interruptions, first):
            if one in came:
                came.remove(one)
            elif one.after is not None:
                self.after.setdefault(one.after, []).append(index)
            else:
                self._at.append((one.at or 0.0, index))
        self._at.sort(reverse=True)
        self._look()

    def _look(self) -> None:
        self.due = 0.0 if self._came else self._at[-1][0] if self._at else inf

    def add(self, goal: str, at: float, refutes: Iterable[str] = ()) -> None:
        """A person changes the goal now, so many seconds after the start."""
        self._all = (*self._all, Interruption(goal, refutes=tuple(refutes)))
        self._came.append((at, len(self._all) - 1))
        self._look()

    def step_ended(self, lineage: Iterable[str], at: float) -> None:
        """A step of this lineage is done or failed, so many seconds after the start."""
        for id_ in lineage:
            self._came += ((at, index) for index in self.after.pop(id_, ()))
        self._look()

    def came(self, at: float) -> bool:
        """Whether any has come due and was not heard, now that the clock stands at so many seconds."""
        while self._at and self._at[-1][0] <= at:
            self._came.append(self._at.pop())
        self._look()
        return bool(self._came)

    def refused(self) -> list[Interruption]:
        """What has come due, in a mode that takes up no change; it is forgotten."""
        due, self._came = sorted(self._came), []
        self._look()
        return [self._all[index] for _, index in due]

    def heard(self, goal: str) -> list[Interruption]:
        """Put what has come due among those that wait; returns those that change nothing, which do not wait."""
        idle = []
        for due in sorted(self._came):
            one = self._all[due[1]]
            if one.goal == (self._all[self.waiting[-1][1]].goal if self.waiting else goal):
                idle.append(one)
            else:
                insort(self.waiting, due)
        self._came = []
        self._look()
        return idle

    @property
    def waits(self) -> bool:
        """Whether a change waits to be made."""
        return bool(self.waiting)

    def leads_back_to(self, goal: str) -> bool:
        """Whether what waits, made together, would leave this goal as it is."""
        return bool(self.waiting) and self._all[self.waiting[-1][1]].goal == goal

    def take(self) -> GoalChange:
        """All that waits, as one change; nothing waits afterwards."""
        waiting = [self._all[index] for _, index in self.waiting]
        self.waiting = []
        return GoalChange(waiting[-1].goal, tuple(dict.fromkeys(name for one in waiting for name in one.refutes)))

    def left(self) -> Iterator[Interruption]:
        """The interruptions that never came due, in the order of the list."""
        return (self._all[index] for index in self._left())

    def _left(self) -> list[int]:
        return sorted([*(i for many in self.after.values() for i in many), *(i for _, i in self._at)])
