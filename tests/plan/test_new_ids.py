"""New ids: from which text, with which number, and how far from what was there before."""

from __future__ import annotations

import pytest

from replanctl.plan.new_ids import IdBook, NewIds, split

LONG = "s" * 64

# ids ever used, the draft's own ids, the ids asked for -> what they get
NEW: dict[str, tuple[str, str, str, str]] = {
    "a number: one more than the highest": ("1 2 3", "", "3 3", "4 5"),
    "the highest, not the own": ("3 7 1", "", "3 1", "8 9"),
    "a text with a number has a row of its own": ("s1 s3 t9 12", "", "s1 t9 3", "s4 t10 13"),
    "a text without one goes on with 2": ("summarise", "", "summarise summarise", "summarise_2 summarise_3"),
    "or behind its highest": ("look look_7", "", "look look_7", "look_8 look_9"),
    "even where that is below 2": ("look look_1", "", "look", "look_2"),
    "and 0 is a number": ("look look_0", "", "look", "look_1"),
    "no leading zeros": ("007 s08", "", "007 s08", "8 s9"),
    "three digits are a number": ("s998", "", "s998 s998 s998", "s999 s1000 s1001"),
    "four are none": ("run2024", "", "run2024 run2024", "run2024_2 run2024_3"),
    "nor is the tail of four": ("a-1234", "", "a-1234", "a-1234_2"),
    "a number behind digits and text": ("v2x v2x5", "", "v2x v2x5", "v2x_2 v2x6"),
    "eighteen digits alone are a number": ("9" * 18, "", "9" * 18, "1" + "0" * 18),
    "nineteen are a text": ("1" * 19, "", "1" * 19, "1" * 19 + "_2"),
    "the draft's own ids count": ("1 2", "9 x", "2 x", "10 x_2"),
    "also those whose number does not": ("s999", "s1000", "s999", "s1001"),
    "what is taken is passed over": ("s999 s1000 s1002", "", "s999 s999", "s1001 s1003"),
    "an id as long as can be has a successor": (LONG, "", f"{LONG} {LONG}", f"{LONG[:62]}_2 {LONG[:62]}_3"),
    "the text is cut, not the number": (f"{LONG[:61]}999", "", f"{LONG[:61]}999", f"{LONG[:60]}1000"),
    "a long run of digits is a text to be cut": ("s" + "9" * 63, "", "s" + "9" * 63, f"s{'9' * 61}_2"),
}


@pytest.mark.parametrize(("known", "own", "asked", "given"), NEW.values(), ids=NEW)
def test_new_ids(known: str, own: str, asked: str, given: str) -> None:
    new = NewIds(IdBook(known.split()), own.split())
    assert [new.after(id_) for id_ in asked.split()] == given.split()


def test_a_refused_draft_takes_no_numbers() -> None:
    book = IdBook(["s999", "s1000"])
    assert [NewIds(book, ["s1001"]).after("s1"), NewIds(book).after("s1")] == ["s1002", "s1001"]


def test_a_book_goes_on_with_the_plan() -> None:
    known = {"s999": None}
    book = IdBook(known)
    for _ in range(3):
        id_ = NewIds(book).after("s1")
        known[id_] = None
        book.note(id_)
    assert list(known) == ["s999", "s1000", "s1001", "s1002"]


@pytest.mark.parametrize(
    ("id_", "parts"),
    [
        ("3", ("", 3)),
        ("s3", ("s", 3)),
        ("fetch-a", ("fetch-a", None)),
        ("x_12", ("x_", 12)),
        ("x1234", ("x1234", None)),
    ],
)
def test_text_and_number(id_: str, parts: tuple[str, int | None]) -> None:
    assert split(id_) == parts
