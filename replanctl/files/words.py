"""Readers of what has a form of its own: ids, variables, durations; and names, held against what the plan declares.

A name of a tool or an assumption that the plan does not list is an error; a step that no plan has yet is a warning, for
a draft may bring it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from msgspec import UNSET

from replanctl.files.faults import At
from replanctl.files.shapes import kind, shown, words
from replanctl.plan import step_id

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


def step_ref(value: Any, at: At) -> Any:
    """A step's id: text, or a whole number, which is the same."""
    try:
        return step_id(value)
    except ValueError:
        hint = "letters, digits, _ and -, beginning with a letter or digit, at most 64"
        return at.error("bad-id", f"expected a step id, got {kind(value)}", hint)


def variable(value: Any, at: At) -> Any:
    """A variable's name, such as `E3`."""
    try:
        if isinstance(value, str) and value.startswith("E"):
            return f"E{step_id(value[1:])}"
    except ValueError:
        pass
    return at.error("bad-variable", f"expected the name of a variable, got {kind(value)}", "E and the id of a step: E3")


def known_step(value: Any, at: At) -> Any:
    """A step's id, with a warning where no plan has such a step yet."""
    id_ = step_ref(value, at)
    names = at.names
    if id_ is not UNSET and names is not None and id_ not in names.ids and id_ not in names.later:
        at.warning("unknown-step", f"no plan has a step {id_} yet", at.nearest(id_, names.ids))
    return id_


def known_variable(value: Any, at: At) -> Any:
    """A variable's name, with a warning where no plan has its step yet."""
    name = variable(value, at)
    if name is not UNSET:
        known_step(name[1:], at)
    return name


def known_tool(value: Any, at: At) -> Any:
    """A tool's name; one of the plan's tools, where it lists them."""
    return _declared(words(value, at), at, "unknown-tool", at.names.tools if at.names else None)


def known_assumption(value: Any, at: At) -> Any:
    """An assumption's name; one of the plan's assumptions, where it lists them."""
    return _declared(words(value, at), at, "unknown-assumption", at.names.assumptions if at.names else None)


def _declared(name: Any, at: At, rule: str, declared: Collection[str] | None) -> Any:
    if name is UNSET or declared is None or name in declared:
        return name
    what = rule.removeprefix("unknown-")
    return at.error(rule, f"{shown(name)} is not among the plan's {what}s", at.nearest(name, declared))
