"""The lesson book: what a line says, when it only counts up, and who leaves when it is full."""

from __future__ import annotations

import pytest

from replanctl.replan.lessons import Evict, Lesson, LessonBook, LessonPolicy

Written = tuple[str, str | None, str, str, str]


def lesson(text: str, count: int = 1) -> Lesson:
    """A lesson as its own text tells it: `v2 step 3 assumption: …`."""
    version, _, step_id, error_type = text.split(":")[0].split(" ")
    return Lesson(text, count, version, None if step_id == "none" else step_id, error_type)


def book(*lessons: Lesson, most: int | None = 5, evict: Evict = Evict.OLDEST) -> LessonBook:
    return LessonBook(LessonPolicy(most, evict), lessons)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (("v2", "3", "assumption", "by quote", "look: shape"), "v2 step 3 assumption: by quote; avoid: look: shape"),
        (("v1", "s-3", "semantic", "x", "a: timeout, b: ok"), "v1 step s-3 semantic: x; avoid: a: timeout, b: ok"),
        (("v1", "3", "missing_var", "typo", ""), "v1 step 3 missing_var: typo; avoid: none"),
        (("v1", "3", "unknown", "", ""), "v1 step 3 unknown: none; avoid: none"),
        (
            ("v4", None, "goal-changed", "the goal is now a yearly cost", ""),
            "v4 step none goal-changed: the goal is now a yearly cost; avoid: none",
        ),
    ],
)  # fmt: skip
def test_what_a_line_says(written: Written, text: str) -> None:
    lessons = book()
    assert lessons.write(*written) == (Lesson(text, 1, written[0], written[1], written[2]), None)
    assert list(lessons) == [lesson(text)]


A, B, C = (f"v1 step {n} assumption: x; avoid: none" for n in "123")
S, T = (f"v1 step {n} semantic: x; avoid: none" for n in "78")
U = "v1 step 9 unknown: x; avoid: none"


def test_the_same_but_for_its_version_keeps_its_place_and_counts() -> None:
    lessons = book(lesson(A), lesson(B))
    for version, count in (("v2", 2), ("v3", 3), ("v3", 4)):
        assert lessons.write(version, "1", "assumption", "x") == (lesson(A, count), None)
    assert list(lessons) == [lesson(A, 4), lesson(B)]


@pytest.mark.parametrize(
    "written",
    [
        ("v1", "2", "assumption", "x", ""),
        ("v1", "1", "semantic", "x", ""),
        ("v1", "1", "assumption", "y", ""),
        ("v1", "1", "assumption", "x", "look: shape"),
        ("v1", None, "assumption", "x", ""),
    ],
)
def test_anything_else_is_another_lesson(written: Written) -> None:
    lessons = book(lesson(A))
    assert lessons.write(*written)[0].count == 1
    assert len(lessons) == 2


def test_counting_up_drives_nobody_out() -> None:
    lessons = book(lesson(A), lesson(B), most=2)
    assert lessons.write("v5", "1", "assumption", "x") == (lesson(A, 2), None)
    assert list(lessons) == [lesson(A, 2), lesson(B)]


# what is in the book, how many it holds, who leaves first -> what is left after `U` was written, who left
FULL: dict[str, tuple[list[str], int | None, str, list[str], str | None]] = {
    "room for one more": ([A, B], 3, "oldest", [A, B, U], None),
    "the oldest": ([A, B, C], 3, "oldest", [B, C, U], A),
    "the oldest, whatever its type": ([S, A, B], 3, "oldest", [A, B, U], S),
    "no limit": ([A, B, C, S, T], None, "oldest", [A, B, C, S, T, U], None),
    "room for one": ([A], 1, "oldest", [U], A),
    "no room at all": ([], 0, "oldest", [], U),
    "the oldest of the most frequent type": ([S, A, B], 3, "by_type", [S, B, U], A),
    "by type, a tie goes to the older type": ([S, A], 2, "by_type", [A, U], S),
    "by type, two and two": ([A, S, T, B], 4, "by_type", [S, T, B, U], A),
    "by type, room for one": ([A], 1, "by_type", [U], A),
    "by type, no room": ([], 0, "by_type", [], U),
}


@pytest.mark.parametrize(("before", "most", "evict", "after", "left"), FULL.values(), ids=FULL)
def test_a_full_book(before: list[str], most: int | None, evict: str, after: list[str], left: str | None) -> None:
    lessons = book(*map(lesson, before), most=most, evict=Evict(evict))
    assert lessons.write("v1", "9", "unknown", "x") == (lesson(U), lesson(left) if left else None)
    assert list(lessons) == [lesson(text) for text in after]


def test_a_count_makes_no_type_more_frequent() -> None:
    lessons = book(lesson(S, 9), lesson(A), lesson(B), most=3, evict=Evict.BY_TYPE)
    assert lessons.write("v1", "9", "unknown", "x")[1] == lesson(A)


def test_what_was_forgotten_is_learned_anew() -> None:
    lessons = book(lesson(A), most=1)
    lessons.write("v1", "2", "assumption", "x")
    assert lessons.write("v2", "1", "assumption", "x")[0] == lesson(A.replace("v1", "v2"))


def test_a_book_that_is_carried_along_is_cut_to_size_from_its_old_end() -> None:
    assert list(book(lesson(A), lesson(B), lesson(C), most=2)) == [lesson(B), lesson(C)]
    assert list(book(lesson(S), lesson(A), lesson(B), most=2, evict=Evict.BY_TYPE)) == [lesson(S), lesson(B)]
    assert list(book(lesson(A), most=0)) == []


def test_the_newest_come_oldest_first() -> None:
    lessons = book(lesson(A), lesson(B), lesson(C))
    assert lessons.newest(2) == [lesson(B), lesson(C)]
    assert lessons.newest(9) == [lesson(A), lesson(B), lesson(C)]
    assert lessons.newest(0) == []


def test_the_default_book_holds_five() -> None:
    assert (LessonPolicy().max, LessonPolicy().evict) == (5, "oldest")
    assert list(LessonBook()) == []
