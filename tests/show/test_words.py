"""Numbers, times and names as a person writes them."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.kinds import Reason
from replanctl.replan import routing
from replanctl.run.fold import fold
from replanctl.show.words import (
    REASONS,
    RULES,
    compact,
    counted,
    number,
    percent,
    plural,
    reading,
    seconds,
    some,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0s"), (2.0, "2s"), (12.5, "12.5s"), (0.25, "0.25s"), (59.994, "59.99s"), (59.999, "1m"), (60, "1m"),
        (94, "1m34s"), (3599.4, "59m59s"), (3599.6, "1h"), (7500, "2h05m"), (360_000, "100h"),
    ],
)  # fmt: skip
def test_seconds(value: float, text: str) -> None:
    assert seconds(value) == text


def test_counts() -> None:
    assert [plural(n, "step") for n in (0, 1, 2, 1_000)] == ["0 steps", "1 step", "2 steps", "1,000 steps"]
    assert (number(20_000), percent(710 / 1180), percent(12.5)) == ("20,000", "60 %", "1,250 %")


@pytest.mark.parametrize(
    ("gate", "value", "text"),
    [("max_steps", 12, "12"), ("max_seconds", 90.0, "1m30s"), ("max_steps", None, "no limit")],
)
def test_reading(gate: str, value: float | None, text: str) -> None:
    assert reading(gate, value) == text


def test_counted() -> None:
    assert counted("max_replans", 5, 5) == "replans in all: 5, the limit is 5"
    assert counted("of_my_own", 1, None) == "of_my_own: 1, the limit is no limit"


def test_some() -> None:
    names = [f"E{i}" for i in range(1, 14)]
    assert some(names[:12], "…") == " ".join(names[:12])
    assert some(names, "…") == "E1 E2 E3 … E13 (13)"
    assert some([], "…") == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [({"a": [1, None, True]}, '{"a":[1,null,true]}'), ("中", '"中"'), ("\ud800", "'\\ud800'"), ({1j}, "[\"1j\"]")],
)  # fmt: skip
def test_compact(value: Any, text: str) -> None:
    assert compact(value) == text


def test_every_name_has_its_words() -> None:
    assert set(REASONS) == set(Reason)
    assert set(RULES) == set(routing.RULE_NAMES)
    assert fold(()).reason in REASONS
