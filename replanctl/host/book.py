"""The lesson book of `--lessons`: loaded before a run, saved after it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from replanctl.errors import InputError, StoreError
from replanctl.files import check_writable, load_lessons, save_lessons
from replanctl.replan import Lesson, LessonBook, LessonPolicy
from replanctl.run import SessionResult


def open_book(path: Path) -> tuple[Lesson, ...]:
    """The lessons in a book that can be written after the run. Raises InputError before anything is run."""
    lessons = load_lessons(path)
    check_writable(path)
    return lessons


def save_book(path: Path, result: SessionResult) -> None:
    """Put a session's book in the place of the one it began with."""
    _save(path, _lessons(result))


def add_to_book(path: Path, result: SessionResult, policy: LessonPolicy) -> None:
    """Save the book of a session that was taken up again: other runs may have learned something meanwhile.

    What only the file knows goes first, and out first when the book is full.
    """
    learned = list(_lessons(result))
    said = {lesson.says for lesson in learned}
    # Read again at the end and not at the start: runs of the same book may have ended in between.
    others = [lesson for lesson in load_lessons(path) if lesson.says not in said]
    _save(path, LessonBook(policy, [*others, *learned]))


def _save(path: Path, lessons: Iterable[Lesson]) -> None:
    """Raises StoreError: by now something was run, and its result is told."""
    try:
        save_lessons(path, lessons)
    except InputError as error:
        raise StoreError(f"the lesson book {path} {error.problems[0].message}", hint=error.problems[0].hint) from error


def _lessons(result: SessionResult) -> Iterable[Lesson]:
    return (Lesson(*msgspec.structs.astuple(view)) for view in result.lessons)
