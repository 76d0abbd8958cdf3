"""The lesson book: one line distilled from each failure, carried into later replans (Reflexion, arXiv:2303.11366)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from replanctl.kinds import Evict


class LessonPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """`max` lessons are held; None holds all of them."""

    max: int | None = 5
    evict: Evict = Evict.OLDEST


class Lesson(msgspec.Struct, frozen=True, gc=False):
    """One lesson. `count` says how often it was learned; `version` and `step_id` where it was learned first."""

    text: str
    count: int
    version: str
    step_id: str | None
    error_type: str


class LessonBook:
    """The lessons of a session, oldest first; a book may be carried from one session to the next."""

    def __init__(self, policy: LessonPolicy | None = None, lessons: Iterable[Lesson] = ()) -> None:
        self.policy = policy or LessonPolicy()
        self._lessons: list[Lesson] = list(lessons)
        while self._overfull():
            self._evict()

    def __len__(self) -> int:
        return len(self._lessons)

    def __iter__(self) -> Iterator[Lesson]:
        return iter(self._lessons)

    def newest(self, count: int) -> list[Lesson]:
        """The newest lessons, oldest first."""
        return self._lessons[-count:] if count else []

    def write(
        self, version: str, step_id: str | None, error_type: str, cause: str, avoid: str = ""
    ) -> tuple[Lesson, Lesson | None]:
        """Write a lesson down; returns it and the lesson it drove out, if any.

        One that says the same but for its version keeps its place and only raises its count.
        """
        says = f"step {step_id or 'none'} {error_type}: {cause or 'none'}; avoid: {avoid or 'none'}"
        for index, lesson in enumerate(self._lessons):
            if lesson.text.partition(" ")[2] == says:
                again = msgspec.structs.replace(lesson, count=lesson.count + 1)
                self._lessons[index] = again
                return again, None
        lesson = Lesson(f"{version} {says}", 1, version, step_id, error_type)
        self._lessons.append(lesson)
        return lesson, self._evict() if self._overfull() else None

    def __contains__(self, lesson: object) -> bool:
        """Whether the book holds a lesson of this text."""
        return isinstance(lesson, Lesson) and any(each.text == lesson.text for each in self._lessons)

    def unlearn(self, lesson: Lesson) -> Lesson | None:
        """Count a lesson that the book holds once less; returns what is left of it, None where it went."""
        index = next(i for i, each in enumerate(self._lessons) if each.text == lesson.text)
        if (count := self._lessons[index].count) == 1:
            del self._lessons[index]
            return None
        left = self._lessons[index] = msgspec.structs.replace(lesson, count=count - 1)
        return left

    def _overfull(self) -> bool:
        return self.policy.max is not None and len(self._lessons) > self.policy.max

    def _evict(self) -> Lesson:
        return self._lessons.pop(self._oldest_of_most_frequent() if self.policy.evict is Evict.BY_TYPE else 0)

    def _oldest_of_most_frequent(self) -> int:
        """The place of the oldest lesson of the most frequent type; the older type wins a tie."""
        types = [lesson.error_type for lesson in self._lessons]
        return types.index(max(types, key=types.count))
