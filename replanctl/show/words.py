"""The words a person reads for the names a session uses, and how numbers and values of any size are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from replanctl.kinds import ErrorType, GateName, Reason, Settle
from replanctl.replan import GATE, GATES
from replanctl.show.text import Glyphs, cut, width

# Why a session ended, by reason.
REASONS: dict[Reason, str] = {
    Reason.GOAL_MET: "Goal met",
    Reason.GOAL_MET_WITH_GAPS: "Goal met with gaps,",
    Reason.NO_PLAN: "there was no plan to go on with",
    Reason.ABORTED: "a step failed that nothing may go on without",
    Reason.ESCALATED: "a failure came up that only a person can settle",
    Reason.INSUFFICIENT_EVIDENCE: "too little was found out to answer",
    Reason.INTERRUPTED: "the session was broken off",
    **{row.reason: row.refused for row in GATES},
}

# What a person said of a call that may have happened.
SETTLED = {
    Settle.DONE: "it happened",
    Settle.AGAIN: "it did not happen, and may be made",
    Settle.SKIP: "it is let be",
}

# What a routing rule saw, by name; a rule that is not here is the user's own.
# What the rule saw, said to somebody who has never read the table. A gate brings its words with its row; a routing rule
# gets its own here.
RULES = {
    "goal-changed": "a new goal needs a new plan",
    "override": "forced by the command line, the step or the policy",
    "environmental": "the tool does not answer, a new plan would not help",
    "permission": "the right is missing, a new plan would not help",
    "broken-dependency": "what it reads failed, was skipped or is void",
    "hidden-dependency": "what it reads has not run yet",
    "plan-typo": "what it reads does not exist",
    "may-have-happened": "the call may have acted, and is made only once",
    "premise-overturned": "finished work rests on what was refuted",
    "wrong-decomposition": "the right shape with the wrong thing in it",
    "small-radius": "{resting}",
    "wide-radius": "{resting}, too wide for a patch",
}

RESUMED = "taken up again"  # what a version is for that no replan made

# What becomes of a failure that is not replanned, by `on_failure`.
ON_FAILURE = {
    "skip": "what depends on it is skipped, the rest goes on",
    "abort": "nothing may go on without it",
    "defer": "a gap, the rest goes on without it",
}


def version_cause(cause: str) -> str:
    """Why there is a version, of its cause: `step 3 failed (assumption)`, or `the goal changed`."""
    error_type, at, step_id = cause.partition("@")
    if at:
        return f"step {step_id} failed ({error_type})"
    return "the goal changed" if cause == ErrorType.GOAL_CHANGED else cause


def seconds(value: float) -> str:
    """A time in seconds as a person writes it: 2s, 12.5s, 1m34s, 2m, 2h05m."""
    if round(value, 2) < 60:
        return f"{round(value, 2):g}s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s".removesuffix("00s")
    return f"{whole // 3600}h{whole % 3600 // 60:02}m".removesuffix("00m")


def number(value: float) -> str:
    """A whole number with thousands separated."""
    return f"{value:,.0f}"


def plural(count: int, word: str) -> str:
    """A count and its noun: `1 step`, `2 steps`."""
    return f"{number(count)} {word}" if count == 1 else f"{number(count)} {word}s"


def percent(ratio: float) -> str:
    """A ratio in per cent."""
    return f"{ratio * 100:,.0f} %"


def reading(gate: GateName, value: float | None) -> str:
    """A gate's reading or limit in its unit; None is no limit."""
    if value is None:
        return "no limit"
    return seconds(value) if gate == GateName.MAX_SECONDS else number(value)


def limit_of(gate: GateName, limit: float | None) -> str:
    """A limit to be set, exactly: one that is rounded down would not free what it is said to free."""
    said = reading(gate, limit)
    if (
        limit is None
        or gate != GateName.MAX_SECONDS
        or (limit % 60 == 0 and limit < 3600)
        or (limit < 60 and round(limit, 2) == limit)
    ):
        return said
    return f"{limit:.6f}".rstrip("0").rstrip(".") + "s"


def counted(gate: GateName, value: float, limit: float | None) -> str:
    """What a gate counted against its limit: `replans in all: 5, the limit is 5`."""
    counts = GATE[gate].counts if gate in GATE else gate
    return f"{counts}: {reading(gate, value)}, the limit is {reading(gate, limit)}"


def compact(value: Any) -> str:
    """A value as compact JSON; what JSON can't say is shown as Python does."""
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()
    except (UnicodeEncodeError, TypeError):
        return repr(value)


def some(names: list[str], ellipsis: str, *, most: int = 12) -> str:
    """Names side by side; of many the first and the last, with how many there are."""
    if len(names) <= most:
        return " ".join(names)
    return f"{' '.join(names[:3])} {ellipsis} {names[-1]} ({number(len(names))})"


LEAST_TEXT = 12  # columns of a text that are worth showing
_UNITS = ("kB", "MB", "GB")


def brief(value: Any, columns: int, glyphs: Glyphs) -> str:
    """The value as JSON where it fits, else its keys, its length or its beginning, and its size.

    `{id, …} 3.1 kB`, `[4 items] 189 B`, `"I typed 'list of…" 2.3 kB`
    """
    text = compact(value)
    if len(text) <= columns and width(text) <= columns:
        return text
    # A result may be a page of JSON. What it is and how large tells a person whether to look at it; the beginning of
    # the page rarely does.
    size = size_in_words(len(text.encode("utf-8", "replace")))
    if isinstance(value, dict):
        return f"{{{_names(map(str, value), columns - len(size) - 3, glyphs)}}} {size}"
    if isinstance(value, list | tuple):
        items = f"[{plural(len(value), 'item')}] {size}"
        return items if len(items) <= columns else f"[{glyphs.ellipsis}] {size}"
    room = columns - len(size) - 2
    said = cut(text, room, glyphs) if room >= LEAST_TEXT else f'"{glyphs.ellipsis}'
    end = '"' if text.startswith('"') else ""
    return f"{said}{end} {size}"


def _names(keys: Iterable[str], columns: int, glyphs: Glyphs) -> str:
    """As many keys as fit, and an ellipsis for the others."""
    shown: list[str] = []
    left = columns - width(glyphs.ellipsis)
    for key in keys:
        left -= width(key) + 2
        if left < 0:
            return ", ".join([*shown, glyphs.ellipsis])
        shown.append(key)
    return ", ".join(shown)


def size_in_words(octets: int) -> str:
    """`812 B`, `3.1 kB`, `12 MB`: bytes of UTF-8, in thousands."""
    size, unit = float(octets), "B"
    for larger in _UNITS:
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if unit != "B" and size < 10 else f"{number(size)} {unit}"
