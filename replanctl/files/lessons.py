"""Lesson books in files, so that lessons carry from trial to trial."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from replanctl.files.disk import exists, read_text, write_text
from replanctl.files.reader import Document, read, refuse
from replanctl.files.shapes import MOST, Fields, list_of, optional, record, whole, words
from replanctl.files.words import step_ref
from replanctl.replan import Lesson

# A lesson may come from a book that a person wrote, so that its version and type are any words.
_FIELDS: Fields = {
    "text": words,
    "count": whole(1, MOST),
    "version": words,
    "step_id": optional(step_ref),
    "error_type": words,
}
# What YAML does not take as it is, even between quotes; compiled only where a book is saved, for that takes 3 ms.
_UNPRINTABLE = "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"


def _lesson(text: str, version: str, error_type: str, count: int = 1, step_id: str | None = None) -> Lesson:
    return Lesson(text, count, version, step_id, error_type)


_lesson_book = record(
    dict,
    {"lessons": list_of(record(_lesson, _FIELDS, required=("text", "version", "error_type")))},
    required=("lessons",),
)


def load_lessons(path: str | Path) -> tuple[Lesson, ...]:
    """The lessons in a file, oldest first; none when it does not exist yet, or is empty. Raises InputError."""
    if not exists(path):
        return ()
    text = read_text(path)
    return _lessons(read(str(path), text)) if text.strip() else ()


def save_lessons(path: str | Path, lessons: Iterable[Lesson]) -> None:
    """Write a lesson book, whole or not at all. Raises InputError when the file can't be written."""
    # Every field of every lesson on a line of its own, so that two books can be compared line by line.
    entries = [
        f"  - text: {_quoted(lesson.text)}\n"
        f"    count: {lesson.count}\n"
        f"    version: {_quoted(lesson.version)}\n"
        f"    step_id: {'null' if lesson.step_id is None else _quoted(lesson.step_id)}\n"
        f"    error_type: {_quoted(lesson.error_type)}\n"
        for lesson in lessons
    ]
    write_text(path, "lessons:\n" + "".join(entries) if entries else "lessons: []\n")


def _lessons(document: Document) -> tuple[Lesson, ...]:
    book = document.made(_lesson_book)
    refuse(document.problems())
    lessons: tuple[Lesson, ...] = book["lessons"]
    return lessons


def _quoted(text: str) -> str:
    """A text between double quotes, with escapes for what a YAML file can't hold."""
    return re.sub(_UNPRINTABLE, _escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return "\\uFFFD" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04X}"
