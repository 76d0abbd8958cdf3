"""Durations: seconds as a number, or text such as `250ms`, `30s`, `2m`, `1h`."""

from __future__ import annotations

import re
from typing import Any

from replanctl.files.faults import At
from replanctl.files.shapes import kind

LONGEST = 1_000_000_000  # seconds, some thirty years: sums of durations stay exact, and far from infinity
DURATION = r"([0-9]{1,15})(?:\.([0-9]{1,15}))?(ms|s|m|h)"
_DURATION = re.compile(DURATION)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def duration(value: Any, at: At) -> Any:
    """Seconds, from a number or a text like `250ms`, `30s`, `2m`, `1h`."""
    seconds = seconds_of(value)
    if seconds is None:
        hint = "write 250ms, 30s, 2m or 1h, or a number of seconds"
        if _seconds(value) is not None:
            hint = f"the longest is {LONGEST:,} seconds"
        return at.error("bad-duration", f"expected a duration, got {kind(value)}", hint)
    return seconds


def seconds_of(value: object) -> float | None:
    """A duration in seconds; None where the value is not one."""
    seconds = _seconds(value)
    return None if seconds is None or seconds > LONGEST else seconds


def _seconds(value: object) -> float | None:
    if isinstance(value, str):
        return _spelled_out(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _spelled_out(text: str) -> float | None:
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    whole, part, unit = found[1], found[2] or "", found[3]
    # One division of whole numbers: 0.1s is as near to a tenth as a float gets.
    seconds: float = int(whole + part) * _MILLISECONDS[unit] / (1000 * 10 ** len(part))
    return seconds
