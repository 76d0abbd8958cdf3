"""The words a person reads for the names a session uses, and how numbers are written."""

from __future__ import annotations

from typing import Any

import msgspec

# Why a session ended, by reason.
REASONS = {
    "goal_met": "Goal met",
    "goal_met_with_gaps": "Goal met with gaps,",
    "no_plan": "there was no plan to go on with",
    "step_budget": "no step executions were left",
    "replan_budget": "no replans were left",
    "step_breaker": "the same failure kept coming back",
    "token_budget": "the next replan would have cost too many tokens",
    "tool_call_budget": "no tool calls were left",
    "time_budget": "the session's time was up",
    "oscillation": "the plan went back to one that was given up",
    "aborted": "a step failed that nothing may go on without",
    "escalated": "a failure came up that only a person can settle",
    "insufficient_evidence": "too little was found out to answer",
    "interrupted": "the session was broken off",
}

# A gate in one word, for the line of readings, and what it counts, for a refusal.
GATES = {
    "per_step": ("failure", "replans for this same failure"),
    "max_replans": ("replans", "replans in all"),
    "max_replan_tokens": ("tokens", "replan tokens, this one padded"),
    "max_repeat": ("seen", "earlier versions with this very plan"),
    "max_steps": ("steps", "step executions"),
    "max_tool_calls": ("calls", "tool calls"),
    "max_seconds": ("clock", "session time by then"),
}

# What a routing rule saw, by name; a rule that is not here is the user's own.
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


def reading(gate: str, value: float | None) -> str:
    """A gate's reading or limit in its unit; None is no limit."""
    if value is None:
        return "no limit"
    return seconds(value) if gate == "max_seconds" else number(value)


def counted(gate: str, value: float, limit: float | None) -> str:
    """What a gate counted against its limit: `replans in all: 5, the limit is 5`."""
    _, what = GATES.get(gate, ("", gate))
    return f"{what}: {reading(gate, value)}, the limit is {reading(gate, limit)}"


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
