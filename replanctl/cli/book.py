"""The lesson book of `--lessons`: loaded before a run, saved after it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from replanctl.files import load_lessons, save_lessons
from replanctl.replan.lessons import Lesson, LessonBook, LessonPolicy
from replanctl.run.result import SessionResult


def save_book(path: Path, result: SessionResult) -> None:
    """Put a session's book in the place of the one it began with."""
    save_lessons(path, _lessons(result))


def add_to_book(path: Path, result: SessionResult, policy: LessonPolicy) -> None:
    """Save the book of a session that was taken up again: other runs may have learned something meanwhile.

    What only the file knows goes first, and out first when the book is full.
    """
    learned = list(_lessons(result))
    said = {_without_version(lesson) for lesson in learned}
    others = [lesson for lesson in load_lessons(path) if _without_version(lesson) not in said]
    save_lessons(path, LessonBook(policy, [*others, *learned]))


def _lessons(result: SessionResult) -> Iterable[Lesson]:
    return (Lesson(*msgspec.structs.astuple(view)) for view in result.lessons)


def _without_version(lesson: Lesson) -> str:
    return lesson.text.partition(" ")[2]
