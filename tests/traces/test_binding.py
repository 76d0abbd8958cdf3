"""What becomes a reference, and what stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.making import args_of, one, run

BOUND: list[tuple[str, Any, Any, Any]] = [
    # what it shows, an earlier result, a later arg, the arg as it is written
    ("a text of four characters", {"id": "AB-1"}, "AB-1", "#E1.id"),
    ("shorter text stays", {"id": "AB1"}, "AB1", "AB1"),
    ("a number of four digits", {"n": 1234}, 1234, "#E1.n"),
    ("a shorter number stays", {"n": 123}, 123, 123),
    ("decimals count as digits", {"n": 19.25}, 19.25, "#E1.n"),
    ("another type is another value", {"n": 1234}, "1234", "1234"),
    ("a float is no int", {"n": 1234.0}, 1234, 1234),
    ("a boolean is no value to bind", {"n": True}, True, True),
    ("common words stay", {"state": "success"}, "success", "success"),
    ("a whole result", "plain-77", "plain-77", "#E1"),
    ("a number as the whole result", 4140, 4140, "#E1"),
    ("text that reads as a number is one", "4140", 4140, "#E1"),
    ("in quotes it is a text", '"4140"', "4140", "#E1"),
    ("the path whose name fits", {"other": "AB-1", "ref": "AB-1"}, "AB-1", "#E1.ref"),
    ("keys that are no names", {"a b": {"#": ["AB-1"]}}, "AB-1", '#E1["a b"]["#"][0]'),
    ("deep in a list", [[{"id": "AB-1"}]], "AB-1", "#E1[0][0].id"),
    ("whole words of a text", {"id": "AB-1"}, "see AB-1, please", "see #E1.id, please"),
    ("at the end of a sentence", {"id": "AB-1"}, "see AB-1.", "see #E1.id."),
    ("no part of a word", {"id": "AB-1"}, "see XAB-1 and AB-12", "see XAB-1 and AB-12"),
    ("plain words in small letters stay", {"cabin": "economy"}, "in economy class", "in economy class"),
    ("names in a text", {"city": "Houston"}, "to Houston", "to #E1.city"),
    ("no part of a name", {"who": "Anna"}, "to Annabelle and Joanna", "to Annabelle and Joanna"),
    ("letters alone that are an id", {"id": "HXDUBJ"}, "refund HXDUBJ!", "refund #E1.id!"),
    ("several words in a text", {"city": "new york"}, "to new york, soon", "to #E1.city, soon"),
    (
        "the longest that stands there",
        {"a": "Rio Grande", "b": "Rio Grande do Sul"},
        "in Rio Grande do Sul",
        "in #E1.b",
    ),
    ("signs at the ends", {"id": "#W2378"}, "see #W2378, please", "see #E1.id, please"),
    ("behind a number sign it can't be written", {"id": "W2378"}, "see #W2378 of W2378", "see #W2378 of #E1.id"),
    ("writing without small letters", {"id": "订单四七"}, "看 订单四七。", "看 #E1.id。"),
    ("a negative number is another one", {"n": 1234}, "from -1234", "from -1234"),
    ("a negative number in a text", {"n": -1234}, "from -1234", "from #E1.n"),
    ("joined by a hyphen", {"id": "AB-1"}, "AB-1-2 and X-AB-1", "AB-1-2 and X-AB-1"),
    ("behind a colon", {"id": "AB-1"}, "id:AB-1", "id:#E1.id"),
    ("between slashes", {"id": "AB-1"}, "at ref/AB-1/x", "at ref/#E1.id/x"),
    ("deeper than a dozen", {"a": [[[[[[[[[[[[["AB-1"]]]]]]]]]]]]]}, "AB-1", f"#E1.a{'[0]' * 13}"),
    ("what would run on into a path stays", {"id": "AB-1"}, "see AB-1.txt", "see AB-1.txt"),
    ("a number in a text", {"n": 1234}, "1234 * 2", "#E1.n * 2"),
    ("a number in a longer number stays", {"n": 1234}, "1234.50 * 2", "1234.50 * 2"),
    ("values inside of args", {"id": "AB-1"}, {"deep": ["AB-1"]}, {"deep": ["#E1.id"]}),
    ("text that looks like a reference", {"id": "AB-1"}, "#E1 is AB-1", "##E1 is #E1.id"),
]


@pytest.mark.parametrize(("result", "arg", "written"), [row[1:] for row in BOUND], ids=[row[0] for row in BOUND])
def test_what_is_bound(result: Any, arg: Any, written: Any) -> None:
    found = one(run(("make", {}, result), ("use", {"ref": arg}, "ok")))
    assert args_of(found, 2) == {"ref": written}
    assert found.report.faithful is True
    assert found.report.bound == (written != arg and "#E1" in str(written).replace("##E1", ""))


def test_the_newest_call_that_produced_it_is_meant() -> None:
    found = one(run(("a", {}, {"id": "AB-1"}), ("b", {}, {"id": "AB-1"}), ("use", {"id": "AB-1"}, "ok")))
    assert args_of(found, 3) == {"id": "#E2.id"}


def test_the_newest_counts_whatever_its_type() -> None:
    """In a text a number and a text of the same digits read alike."""
    found = one(run(("a", {}, '{"id": "4711"}'), ("b", {}, {"n": 4711}), ("use", {"text": "see 4711"}, "ok")))
    assert args_of(found, 3) == {"text": "see #E2.n"}


def test_a_failed_call_produced_nothing() -> None:
    found = one(run(("a", {}, "Error: AB-1 is unknown"), ("use", {"id": "AB-1"}, "ok")))
    assert args_of(found, 2) == {"id": "AB-1"}


def test_what_came_back_later_was_not_known() -> None:
    """Two calls of one message: what the first returned was not there when the second was asked for."""
    ask = [{"id": str(n), "function": {"name": "use", "arguments": f'{{"id": "AB-{n}"}}'}} for n in (1, 2)]
    answers = [{"role": "tool", "tool_call_id": str(n), "content": '{"id": "AB-2"}'} for n in (1, 2)]
    found = one([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": ask}, *answers])
    assert args_of(found, 2) == {"id": "AB-2"}
