"""The lesson book: one line distilled from each failure, carried into later replans (Reflexion, arXiv:2303.11366)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import assert_never

import msgspec

from replanctl.kinds import Evict


class LessonPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """`max` lessons are held; None holds all of them."""

    max: int | None = 5
    evict: Evict = Evict.OLDEST


_VERSION = re.compile(r"v[0-9]+")


class Lesson(msgspec.Struct, frozen=True, gc=False):
    """One lesson. `count` says how often it was learned; `version` and `step_id` where it was learned first."""

    text: str
    count: int
    version: str
    step_id: str | None
    error_type: str

    @property
    def says(self) -> str:
        """The text but for its version; one that a person wrote need not begin with any."""
        version, _, says = self.text.partition(" ")
        return says if _VERSION.fullmatch(version) else self.text


# A lesson is told apart by what it says without its version: the same failure of the same step learned again is one
# lesson with a higher count, or five replans of one step would drive everything else out of a book of five. It keeps
# its place all the same, since what was learned early and keeps coming back is no newer for it.
class LessonBook:
    """The lessons of a session, oldest first; a book may be carried from one session to the next.

    Writing one costs the same however many there are: they are found by what they say, and those of one error type
    are known in their order.
    """

    def __init__(self, policy: LessonPolicy | None = None, lessons: Iterable[Lesson] = ()) -> None:
        self.policy = policy or LessonPolicy()
        self._by_text: OrderedDict[str, Lesson] = OrderedDict()  # by what they say, version aside; oldest first
        self._by_type: dict[str, OrderedDict[str, int]] = {}  # the same, with when they were written
        self._written = 0
        for lesson in lessons:
            says = lesson.says
            if (known := self._by_text.get(says)) is None:
                self._put(says, lesson)
            else:
                self._by_text[says] = msgspec.structs.replace(known, count=known.count + lesson.count)
        while self._overfull():
            self._evict()

    def __len__(self) -> int:
        return len(self._by_text)

    def __iter__(self) -> Iterator[Lesson]:
        return iter(self._by_text.values())

    def __contains__(self, lesson: object) -> bool:
        """Whether the book holds a lesson of this text."""
        held = self._by_text.get(lesson.says) if isinstance(lesson, Lesson) else None
        return held is not None and isinstance(lesson, Lesson) and held.text == lesson.text

    def newest(self, count: int) -> list[Lesson]:
        """The newest lessons, oldest first."""
        return [*islice(reversed(self._by_text.values()), count)][::-1]

    def write(
        self, version: str, step_id: str | None, error_type: str, cause: str, avoid: str = ""
    ) -> tuple[Lesson, Lesson | None]:
        """Write a lesson down; returns it and the lesson it drove out, if any.

        One that says the same but for its version keeps its place and only raises its count.
        """
        says = f"step {step_id or 'none'} {error_type}: {cause or 'none'}; avoid: {avoid or 'none'}"
        if (known := self._by_text.get(says)) is not None:
            again = self._by_text[says] = msgspec.structs.replace(known, count=known.count + 1)
            return again, None
        lesson = Lesson(f"{version} {says}", 1, version, step_id, error_type)
        self._put(says, lesson)
        return lesson, self._evict() if self._overfull() else None

    def unlearn(self, lesson: Lesson) -> Lesson | None:
        """Count a lesson that the book holds once less; returns what is left of it, None where it went."""
        says = lesson.says
        if (count := self._by_text[says].count) == 1:
            self._take(says)
            return None
        left = self._by_text[says] = msgspec.structs.replace(lesson, count=count - 1)
        return left

    def _put(self, says: str, lesson: Lesson) -> None:
        self._by_text[says] = lesson
        self._by_type.setdefault(lesson.error_type, OrderedDict())[says] = self._written
        self._written += 1

    def _take(self, says: str) -> Lesson:
        lesson = self._by_text.pop(says)
        of_type = self._by_type[lesson.error_type]
        del of_type[says]
        if not of_type:
            del self._by_type[lesson.error_type]
        return lesson

    def _overfull(self) -> bool:
        return self.policy.max is not None and len(self) > self.policy.max

    def _evict(self) -> Lesson:
        match self.policy.evict:
            case Evict.OLDEST:
                return self._take(next(iter(self._by_text)))
            case Evict.BY_TYPE:
                return self._take(self._oldest_of_most_frequent())
            case _:
                assert_never(self.policy.evict)

    def _oldest_of_most_frequent(self) -> str:
        """The oldest lesson of the most frequent type; the older one wins a tie."""
        # The most frequent type has the most to spare: its other lessons still speak for it.
        oldest = ((-len(of_type), *next(iter(of_type.items()))[::-1]) for of_type in self._by_type.values())
        return min(oldest)[2]
