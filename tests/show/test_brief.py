"""What is said of values, names and stretches in few columns."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.kinds import StepState
from replanctl.replan.signal import Status
from replanctl.run.events import Attempt, StepEnd
from replanctl.show.flight import Ended
from replanctl.show.marks import title, tool_beside
from replanctl.show.stretch import Stretch, ids_in_words
from replanctl.show.text import ASCII, UNICODE, width
from replanctl.show.words import brief, size_in_words
from tests.show import sample

BRIEF: dict[str, tuple[Any, int, str]] = {
    "whole": ({"a": [1, 2]}, 20, '{"a":[1,2]}'),
    "keys that fit": ({"name": "x" * 2_000, "id": 1, "address": "y"}, 24, "{name, id, …} 2.0 kB"),
    "all keys": ({"name": "x" * 500}, 24, "{name} 511 B"),
    "no room for a key": ({"name": "x" * 500}, 8, "{…} 511 B"),
    "a list": ([1] * 100, 30, "[100 items] 201 B"),
    "a list of one": (["x" * 100], 30, "[1 item] 104 B"),
    "a text": ("The quick brown fox " * 9, 30, '"The quick brown fox T…" 182 B'),
    "a text without room": ("x" * 100, 12, '"…" 102 B'),
    "Chinese": ("价格" * 99, 30, '"价格价格价格价格价格…" 596 B'),
    "a number": (10**40, 20, "1000000000000… 41 B"),
}


@pytest.mark.parametrize(("value", "columns", "expected"), BRIEF.values(), ids=BRIEF)
def test_brief(value: Any, columns: int, expected: str) -> None:
    assert brief(value, columns, UNICODE) == expected


@pytest.mark.parametrize("columns", range(16, 60))
@pytest.mark.parametrize("value", [value for value, _, _ in BRIEF.values()], ids=BRIEF)
def test_brief_keeps_to_its_columns(value: Any, columns: int) -> None:
    assert width(brief(value, columns, UNICODE)) <= columns
    assert width(brief(value, columns, ASCII)) <= columns


@pytest.mark.parametrize(
    ("octets", "words"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (3_140, "3.1 kB"), (12_345, "12 kB"), (10**13, "10,000 GB")],
)  # fmt: skip
def test_size(octets: int, words: str) -> None:
    assert size_in_words(octets) == words


NAMED = [  # id, action, tool; title, tool beside it
    ("2", "get_order 7741 2", "get_order", "get_order 7741", ""),
    ("2", "get_order 2", "get_order", "get_order", ""),
    ("3", "get_order 7741 2", "get_order", "get_order 7741 2", ""),
    ("4", "think The order may be… 4", "think", "think The order may be…", ""),
    ("4", "calculate 3 * 4 4", "calculate", "calculate 3 * 4", ""),
    ("1", "read page 1", "read", "read page 1", "read"),
    ("1", "look it up", "look it up", "look it up", "look it up"),
    ("5", "Visit the page of the… 5", "WebSurfer", "Visit the page of the…", "WebSurfer"),
    ("5", "Take step 5", "WebSurfer", "Take step 5", "WebSurfer"),
    ("5", "write it up", "write", "write it up", "write"),
]


@pytest.mark.parametrize(("id_", "action", "tool", "shown", "beside"), NAMED)
def test_a_step_is_named_once(id_: str, action: str, tool: str, shown: str, beside: str) -> None:
    step = sample.step(id_, action, tool)
    assert (title(step), tool_beside(step)) == (shown, beside)


IDS = {
    "": "",
    "1": "1",
    "1 2": "1–2",
    "1 2 3 5": "1–3, 5",
    "9 10 11": "9–11",
    "s1 s2 t3": "s1–s2, t3",
    "a b c": "a, b, c",
    "a b c d": "a … d",
    "1 3 5 6": "1, 3, 5–6",
    "1 3 5 7 9 10": "1 … 10",
    "2 1": "2, 1",
}


@pytest.mark.parametrize(("ids", "words"), IDS.items())
def test_ids(ids: str, words: str) -> None:
    assert ids_in_words(ids.split(), UNICODE) == words


def _ended(number: int, tool: str) -> StepEnd:
    attempt = Attempt(tool, Status.OK, 2.0, 0)
    at = float(number)
    return StepEnd(number, at + 2, "v1", str(number), StepState.DONE, "ok", tool, at, attempts=(attempt,))


def test_a_stretch_counts_and_keeps_few_rows() -> None:
    tools = ["fetch"] * 3 + ["rank", "fetch", "write"] * 100
    stretch = Stretch(_ended(1, "fetch"))
    for number, tool in enumerate(tools, 1):
        stretch.add(Ended(_ended(number, tool), None, (), 1))
    assert (stretch.count, len(stretch.rows), stretch.is_long) == (303, 5, True)
    assert (stretch.ids(UNICODE), stretch.calls(timed=False), stretch.took()) == ("1–303", "303 calls", "5m04s")
    assert stretch.calls(timed=True) == "303 calls, 5m04s"
    assert stretch.what(80, UNICODE) == "fetch ×103, rank ×100, write ×100"
    assert stretch.what(26, UNICODE) == "fetch ×103, rank ×100, …"
    assert stretch.what(14, UNICODE) == "fetch ×103, …"
