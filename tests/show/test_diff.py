"""A plan diff as a person reads it."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.diff import diff_plans
from replanctl.plan.model import Step
from replanctl.show.diff import count_line, diff_markdown, diff_screen
from replanctl.show.leaves import apart, args_in_words
from replanctl.show.text import ASCII, UNICODE
from tests.show.golden import assert_golden, drawn


def s(
    id_: str, action: str = "act", tool: str = "t", *after: str, args: dict[str, Any] | None = None, **more: Any
) -> Step:
    return Step(id_, tool, args or {}, action=action, depends_on=after, **more)


OLD = (
    s("1", "look up A", "lookup", args={"vendor": "A", "limit": 10, "old": None}),
    s("2", "look up B", "lookup"),
    s("3", "look up C", "lookup", "1"),
    s("4", "total", "sum", "1", "2", "3"),
    s("5", "write it up, at a length that no terminal of eighty columns has the room for", "write", "4"),
    s("x-long-id", "keep me", "keep"),
)
NEW = (
    s("x-long-id", "keep me", "keep"),
    s("1", "look up A again", "scrape", "2", args={"vendor": "A", "limit": 20, "new": [1, 2]}),
    s("2", "look up B", "lookup"),
    s("3", "look up C", "lookup", "1", "2"),
    s("6", "add up", "sum", "1", "3", replaces="4"),
    s("7", "write it up", "mail", "6", replaces="5"),
    s("8", "an action so long that there is no room for the note beside it", "new"),
)
SAME = diff_plans(OLD, OLD)
DIFF = diff_plans(OLD, NEW, old_name="7:v1", new_name="7:v2")


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_text(columns: int) -> None:
    text = drawn(lambda paper: diff_screen(paper, DIFF, "tail, because assumption@3"), width=columns)
    assert_golden(f"diff-{columns}", text)


def test_text_in_ascii() -> None:
    text = drawn(lambda paper: diff_screen(paper, DIFF), encoding="ascii")
    assert text.isascii()
    assert_golden("diff-ascii", text)


def test_nothing_changed() -> None:
    assert drawn(lambda paper: diff_screen(paper, SAME)) == "  v1 → v2\n  Plan: 6 kept.\n"
    assert drawn(lambda paper: diff_screen(paper, diff_plans((), ()))) == "  v1 → v2\n  Plan: 0 kept.\n"


def test_markdown() -> None:
    assert_golden("diff-markdown", diff_markdown(DIFF))
    assert diff_markdown(SAME) == "### v1 → v2\n\nPlan: 6 kept.\n"


LINKED: list[tuple[str, str]] = [
    ("see https://a.b/c", "see https:<!-- -->//a.b/c"),
    ("www.evil.org", "www<!-- -->.evil.org"),
    ("GH-12, gh-3", "GH<!-- -->-12, gh<!-- -->-3"),
    ("back to deadbeef1234", "back to deadbe<!-- -->ef1234"),
    ("0f" * 20, "0f0f0f<!-- -->" + "0f" * 17),
    ("me@b.org", r"me\@<!-- -->b.org"),
    ("facade, added, 12:30, wwwhat, GH-x", "facade, added, 12:30, wwwhat, GH-x"),
]


@pytest.mark.parametrize(("text", "written"), LINKED)
def test_markdown_makes_no_links_of_foreign_text(text: str, written: str) -> None:
    document = diff_markdown(diff_plans((), [s("1", text)]))
    assert f"| {written}<br>" in document or f"| {written} |" in document


def test_markdown_takes_foreign_text_as_it_is() -> None:
    hostile = s("1", "a|b <b>`*_[x](y) @all\nnext \x1b", "t")
    line = next(line for line in diff_markdown(diff_plans((), [hostile])).splitlines() if line.startswith("| `"))
    assert line == r"| `+` | 1 | a\|b \<b\>\`\*\_\[x\](y) \@<!-- -->all next ⟨U+001B⟩<br>t |"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ((), (), "Plan: 0 kept."),
        (OLD, NEW, "Plan: 3 added, 1 revised, 1 rewired, 2 removed, 2 kept."),
        (OLD, (), "Plan: 6 removed, 0 kept."),
        ([s(str(i)) for i in range(1_200)], [s(str(i)) for i in range(1_200)], "Plan: 1,200 kept."),
    ],
)
def test_counting(old: Any, new: Any, line: str) -> None:
    assert count_line(diff_plans(old, new)) == line


ARGS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "changed": ({"a": "C", "b": 1}, {"a": "D", "b": 1}, ['a: "C" → "D"']),
    "new and dropped": ({"a": None}, {"b": ""}, ["a: dropped null", 'b: new ""']),
    "many": ({}, {f"k{i}": i for i in range(9)}, [*(f"k{i}: new {i}" for i in range(4)), "… 5 more"]),
    "one more than many": ({}, {f"k{i}": i for i in range(5)}, [f"k{i}: new {i}" for i in range(5)]),
    "a value deep inside": (
        {"pay": [{"by": "card", "sum": 299}, {"by": "gift", "sum": 1}]},
        {"pay": [{"by": "card", "sum": 128}, {"by": "gift", "sum": 1}]},
        ["pay[0].sum: 299 → 128"],
    ),
    "an item at the end": ({"pay": [{"sum": 1}]}, {"pay": [{"sum": 2}, {"sum": 3}]}, [
        "pay[0].sum: 1 → 2", 'pay[1]: new {"sum":3}']),
    "an item at the beginning": ({"ids": ["b", "c"]}, {"ids": ["a", "b", "c"]}, ['ids[0]: new "a"']),
    "an item from the middle": ({"ids": ["a", "b", "c"]}, {"ids": ["a", "c"]}, ['ids[1]: dropped "b"']),
    "a key inside": ({"at": {"x": 1, "y": 2}}, {"at": {"y": 2, "z": []}}, ["at.x: dropped 1", "at.z: new []"]),
    "another kind": ({"at": {"x": 1}}, {"at": [1]}, ['at: {"x":1} → [1]']),
    "what Python takes for equal": ({"a": [1, 1, 0]}, {"a": [True, 1.0, 0]}, ["a[0]: 1 → true", "a[1]: 1 → 1.0"]),
    "long values that differ at the end": (
        {"q": "x" * 200 + "1"},
        {"q": "x" * 200 + "2"},
        [f'q: "{"x" * 49}…{"x" * 47}1" → "{"x" * 49}…{"x" * 47}2"'],
    ),
    "long values that differ in the middle": (
        {"q": "x" * 100 + "1" + "x" * 100},
        {"q": "x" * 100 + "2" + "x" * 100},
        [f'q: …xxxxxxxx1{"x" * 89}… → …xxxxxxxx2{"x" * 89}…'],
    ),
    "long values that differ at once": (
        {"q": "a" + "x" * 200},
        {"q": "b"},
        [f'q: "a{"x" * 48}…{"x" * 48}" → "b"'],
    ),
    "half a surrogate pair": ({"q": "\ud800"}, {"q": 1}, ["q: '\\ud800' → 1"]),
    "hostile key": ({}, {"\x1b[2J" + "k" * 80: 1}, [f"⟨U+001B⟩[2J{'k' * 28}…: new 1"]),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "lines"), ARGS.values(), ids=ARGS)
def test_args(old: dict[str, Any], new: dict[str, Any], lines: list[str]) -> None:
    assert args_in_words(old, new, UNICODE) == lines


def test_args_that_are_nested_without_end() -> None:
    old, new = {"a": 1}, {"a": 2}
    for _ in range(40):
        old, new = {"a": old}, {"a": new}  # type: ignore[dict-item]
    (line,) = args_in_words(old, new, UNICODE)
    assert line.startswith("a.a.a.a.a.a.a.a: {")
    assert " → " in line


def test_apart_in_ascii() -> None:
    middle = "x" * 60
    assert apart(f'"{middle}1{middle}"', f'"{middle}2{middle}"', ASCII, 20) == (
        "...xxxxxxxx1xxxxx...",
        "...xxxxxxxx2xxxxx...",
    )


@pytest.mark.parametrize("columns", range(20, 60))
def test_on_any_width(columns: int) -> None:
    lines = drawn(lambda paper: diff_screen(paper, DIFF), width=columns).splitlines()
    assert [line for line in lines if len(line) > columns] == []
