"""One span, whatever it was written as: what it was, what went in and came out, when, and how it failed."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET


class Span(msgspec.Struct):
    """A span that a trace is made of. Times are in seconds; `order` is its place in the file.

    `kind` is `tool`, `model` or empty. `args` and `result` are raw, UNSET where they were not recorded. `asks` and
    `answers` are the messages of a model span. `plain`: args may be one text, and a result stand alone under one key.
    """

    id: str
    parent: str
    name: str
    kind: str = ""
    began: float | None = None
    ended: float | None = None
    order: int = 0
    tool: str = ""
    call_id: str = ""
    args: Any = UNSET
    args_names: tuple[str, ...] = ()
    result: Any = UNSET
    failed: bool = False
    error_types: tuple[Any, ...] = ()
    message: str = ""
    tokens: int | None = None
    asked: Any = None
    answered: Any = None
    goal: Any = None
    hints: tuple[str, ...] = ()
    place: str = ""
    raw: Any = None
    finished: bool = True
    plain: bool = False
    untimed: bool = False


_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def seconds(value: Any, *, nanoseconds: bool = False) -> float | None:
    """A time as seconds: nanoseconds where the name says so or the size does, ISO text, or seconds.

    JavaScript's SDK writes seconds and the nanoseconds beyond them as a pair.
    """
    if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
        return float(value[0] + value[1] / 1e9) if 0 <= value[0] < 1e12 else None
    if isinstance(value, str):
        text = value.strip()
        if _ISO.match(text):
            return _iso(text)
        if not re.fullmatch(r"\d{1,20}(?:\.\d{1,9})?", text):
            return None
        value = float(text) if "." in text else int(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or value - value != 0:
        return None
    if isinstance(value, float) and not nanoseconds:
        return value if value < 1e11 else value / _unit(value)
    return value / 1e9 if nanoseconds else value / _unit(value)


def _unit(value: float) -> float:
    """The units in a second, by the size of a number that counts from 1970; a small one is in nanoseconds."""
    # Between two neighbours lie three orders of magnitude, so a time of this century can't be taken for another unit.
    for size, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (1e8, 1.0)):
        if value >= size:
            return unit
    return 1e9


def _iso(text: str) -> float | None:
    text = re.sub(r"(\.\d{6})\d+", r"\1", text.replace("Z", "+00:00"))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # A time without a zone is taken for UTC: only differences are used, and all of a trace come from one clock.
    naive = found.tzinfo is None
    return (found - datetime(1970, 1, 1)).total_seconds() if naive else found.timestamp()


def latency(span: Span) -> float | None:
    """How long a span took, in seconds; None where it does not say."""
    if span.untimed or span.began is None or span.ended is None or span.ended < span.began:
        return None
    return round(span.ended - span.began, 6)


def text_part(value: Any) -> str:
    """A value as text; empty for None and UNSET."""
    return value if isinstance(value, str) else "" if value is None or value is UNSET else str(value)
