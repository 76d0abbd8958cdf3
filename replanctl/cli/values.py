"""Texts of the command line into values; each raises ValueError that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from replanctl.kinds import Format as Format

MOST_STEPS = 100_000  # of a plan that exists only as a number


def count(text: str) -> int:
    """A whole number from 0."""
    return _whole(text, 0)


def positive(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1)


def step_count(text: str) -> int:
    """A number of steps, from 1 to what can still be drawn."""
    if (steps := _whole(text, 1)) > MOST_STEPS:
        raise ValueError(f"{text} steps are more than {MOST_STEPS}")
    return steps


def amount(text: str) -> float:
    """A number from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ValueError(f"{text!r} is not a number from 0")
    return value


def duration(text: str) -> float:
    """A time in seconds: a number, or a text like 250ms, 30s, 2m, 1h."""
    from replanctl.files import seconds_of

    seconds = seconds_of(text)
    return amount(text) if seconds is None else seconds


def folder(text: str) -> Path:
    """A folder's path; an empty text is none, rather than the working folder."""
    if not text:
        raise ValueError("'' names no folder")
    return Path(text)


def or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same, or `none` for no limit."""

    def parse_or_none(text: str) -> Any:
        return None if text in ("none", "null") else parse(text)

    return parse_or_none


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20) or int(text) < least:
        raise ValueError(f"{text!r} is not a whole number from {least}")
    return int(text)
