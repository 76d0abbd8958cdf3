"""The policy section: one table for each room that obeys it; and a file of coefficients alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import UNSET

from replanctl.cost import Coefficients
from replanctl.files.disk import read_text
from replanctl.files.faults import At
from replanctl.files.reader import read, refuse
from replanctl.files.shapes import (
    MOST,
    Fields,
    Reader,
    choice,
    limit,
    list_of,
    made_of,
    map_of,
    names,
    number,
    optional,
    record,
    whole,
    words,
)
from replanctl.files.words import duration, known_step, known_tool, known_variable
from replanctl.kinds import ErrorType, Evict, Granularity, Mode, Preset, Radius
from replanctl.replan import (
    GATES,
    RULE_NAMES,
    GateLimits,
    GateRow,
    LessonPolicy,
    RouteRule,
    RouteWhen,
    RoutingPolicy,
    Unit,
)
from replanctl.run import Policy, RetryPolicy, SolverPolicy

# `max_attempts` has an end, since each attempt of each step is an event that is kept; 1,000 is beyond any real policy.
_RETRY: Fields = {"max_attempts": whole(1, 1000), "backoff": duration, "factor": number, "max_backoff": duration}

_WHEN: Fields = {
    # A draft's fault and a goal change are never routed by a user's rule.
    "error_type": optional(choice(ErrorType, ErrorType.INVALID_DRAFT, ErrorType.GOAL_CHANGED, ErrorType.ABANDONED)),
    "step": optional(known_step),
    "tool": optional(known_tool),
    "min_radius": optional(whole(0)),
    "max_radius": optional(whole(0)),
}

_any_when = record(RouteWhen, _WHEN)


@made_of("same", _any_when)
def _when(value: Any, at: At) -> Any:
    """When a user's rule matches; what is left out matches everything."""
    when = _any_when(value, at)
    if when is UNSET or when.min_radius is None or when.max_radius is None or when.min_radius <= when.max_radius:
        return when
    return at["max_radius"].error("bad-range", "max_radius is below min_radius, so the rule never matches")


_RULE: Fields = {"name": words, "when": _when, "granularity": choice(Granularity)}

_rule = record(RouteRule, _RULE, required=("name", "granularity"))


_all_rules = list_of(_rule)


@made_of("same", _all_rules)
def _rules(value: Any, at: At) -> Any:
    """The user's rules, in order; no two with the same name."""
    rules = _all_rules(value, at)
    seen: set[str] = set()
    for index, rule in enumerate(value if isinstance(value, list) else ()):
        name = rule.get("name") if isinstance(rule, dict) else None
        # A route is explained, counted and overruled by its rule's name, so no two may share one.
        if name in RULE_NAMES:
            at[index]["name"].error(
                "duplicate-name", f"{name} is a built-in rule", "a route is explained by its rule's name"
            )
        elif isinstance(name, str) and name in seen:
            at[index]["name"].error(
                "duplicate-name", f"another rule is called {name} too", "a route is explained by its rule's name"
            )
        elif isinstance(name, str):
            seen.add(name)
    return rules


_ROUTING: Fields = {
    "patch_radius": whole(0),
    "radius": choice(Radius),
    "overrides": map_of(choice(Granularity), key=known_step),
    "rules": _rules,
}


def _limit(row: GateRow) -> Reader:
    """How a gate's limit is written, by its row."""
    if row.unit is Unit.SECONDS:
        return optional(duration)
    return limit(row.least) if row.nullable else whole(row.least)


_GATES: Fields = {"preset": optional(choice(Preset)), **{row.name.value: _limit(row) for row in GATES}}

# Tokens are summed up over a session, so that each has an end too.
_COEFFICIENTS: Fields = dict.fromkeys(Coefficients.__struct_fields__, whole(0, MOST))

coefficients = record(Coefficients, _COEFFICIENTS)

policy = record(
    Policy,
    {
        "mode": choice(Mode),
        "max_parallel": whole(1),
        "retry": record(RetryPolicy, _RETRY),
        "routing": record(RoutingPolicy, _ROUTING),
        "gates": record(GateLimits, _GATES),
        "lessons": record(LessonPolicy, {"max": limit(), "evict": choice(Evict)}),
        "solver": record(SolverPolicy, {"require": names(known_variable), "min_evidence": whole(0)}),
        "coefficients": coefficients,
    },
)

_wrapped = record(dict, {"coefficients": coefficients}, required=("coefficients",))


def load_coefficients(path: str | Path) -> Coefficients:
    """Token coefficients from a file that holds them alone, or under `coefficients`. Raises InputError."""
    document = read(str(path), read_text(path))
    wrapped = document.has("coefficients")
    found = document.made(_wrapped if wrapped else coefficients)
    refuse(document.problems())
    result: Coefficients = found["coefficients"] if wrapped else found
    return result
