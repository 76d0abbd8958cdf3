"""From a failure to a granularity: a table of named rules, first match wins."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from replanctl.kinds import ErrorType, Granularity, Radius, Unreadable


class RouteWhen(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """When a user's rule matches; what is left out matches everything."""

    error_type: ErrorType | None = None
    step: str | None = None
    tool: str | None = None
    min_radius: int | None = None
    max_radius: int | None = None


class RouteRule(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A user's rule; they stand between `override` and `environmental`."""

    name: str
    granularity: Granularity
    when: RouteWhen = RouteWhen()


class RoutingPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How failures are routed. `force` is the command line's granularity; it outranks step and policy."""

    patch_radius: int = 1
    radius: Radius = Radius.TRANSITIVE
    overrides: dict[str, Granularity] = {}
    rules: tuple[RouteRule, ...] = ()
    force: Granularity | None = None


class RouteFacts(msgspec.Struct, frozen=True, gc=False):
    """All that a routing decision may look at.

    `lineage` are the ids of the failed step and of those it replaced, oldest first; `radius` counts the open steps
    that rest on the failure, `direct` the failed step's own open dependents; `state` is a missing variable's;
    `premise_fell` says that a refuted assumption carries the variable of a done step; `doubtful`, that the failed call
    may have happened, and is not to be made twice; `forced` is the step's own `granularity`; `deepest` the deepest
    granularity committed for the lineage.
    """

    error_type: ErrorType
    lineage: tuple[str, ...] = ()
    tool: str = ""
    radius: int = 0
    direct: int = 0
    state: Unreadable | None = None
    premise_fell: bool = False
    doubtful: bool = False
    forced: Granularity | None = None
    deepest: Granularity | None = None


class Decision(msgspec.Struct, frozen=True, gc=False):
    """How deep to cut, by which rule, and from where the ladder lifted it (None where it did not)."""

    rule: str
    granularity: Granularity
    radius: int
    escalated_from: Granularity | None = None


class _Rule(msgspec.Struct, frozen=True):
    name: str
    when: Callable[[RouteFacts, RoutingPolicy], bool]
    granularity: Granularity


def _compared(facts: RouteFacts, policy: RoutingPolicy) -> int:
    return facts.direct if policy.radius is Radius.DIRECT else facts.radius


def _is(error_type: ErrorType) -> Callable[[RouteFacts, RoutingPolicy], bool]:
    return lambda facts, policy: facts.error_type is error_type


# A missing variable looks at the step it references: one that ended without a value takes the tail with it, one that
# has not run yet only lacks an edge, anything else is the planner's slip.
_BROKEN = frozenset({Unreadable.FAILED, Unreadable.SKIPPED, Unreadable.VOID})

# Ordered; the first rule that matches wins, and its name travels with the decision. Overrides and the user's own
# rules come before `environmental`; the last row is the default.
_RULES: tuple[_Rule, ...] = (
    _Rule("environmental", _is(ErrorType.ENVIRONMENTAL), Granularity.NONE),
    _Rule("permission", _is(ErrorType.PERMISSION), Granularity.NONE),
    _Rule("may-have-happened", lambda f, p: f.doubtful, Granularity.NONE),
    _Rule("broken-dependency", lambda f, p: f.state in _BROKEN, Granularity.TAIL),
    _Rule("hidden-dependency", lambda f, p: f.state == Unreadable.PENDING, Granularity.PATCH),
    _Rule("plan-typo", _is(ErrorType.MISSING_VAR), Granularity.PATCH),
    _Rule("premise-overturned", lambda f, p: f.premise_fell, Granularity.GLOBAL),
    _Rule("wrong-decomposition", _is(ErrorType.SEMANTIC), Granularity.TAIL),
    _Rule("small-radius", lambda f, p: _compared(f, p) <= p.patch_radius, Granularity.PATCH),
    _Rule("wide-radius", lambda f, p: True, Granularity.TAIL),
)
RULE_NAMES = ("goal-changed", "override", *(rule.name for rule in _RULES))
GOAL_CHANGED = Decision("goal-changed", Granularity.GLOBAL, 0)

_DEPTH = {g: depth for depth, g in enumerate(Granularity)}


def route(facts: RouteFacts, policy: RoutingPolicy | None = None) -> Decision:
    """Decide how deep to cut: an override, else the first rule that matches, lifted by the ladder.

    The ladder goes one way: a lineage that had a patch or a tail does not go below a tail again, one that had a
    global stays there. A person's override is not lifted, and `none` never is.
    """
    policy = policy or RoutingPolicy()
    radius = _compared(facts, policy)
    if (forced := _override(facts, policy)) is not None:
        return Decision("override", forced, radius)
    name, granularity = _first_match(facts, policy)
    lifted = _lift(granularity, facts.deepest)
    return Decision(name, lifted, radius, granularity if lifted is not granularity else None)


def _override(facts: RouteFacts, policy: RoutingPolicy) -> Granularity | None:
    if policy.force is not None:
        return policy.force
    if facts.forced is not None:
        return facts.forced
    return next((policy.overrides[id_] for id_ in reversed(facts.lineage) if id_ in policy.overrides), None)


def _first_match(facts: RouteFacts, policy: RoutingPolicy) -> tuple[str, Granularity]:
    for own in policy.rules:
        if _matches(own.when, facts, policy):
            return own.name, own.granularity
    rule = next(rule for rule in _RULES if rule.when(facts, policy))
    return rule.name, rule.granularity


def _matches(when: RouteWhen, facts: RouteFacts, policy: RoutingPolicy) -> bool:
    radius = _compared(facts, policy)
    return (
        (when.error_type is None or when.error_type is facts.error_type)
        and (when.step is None or when.step in facts.lineage)
        and (when.tool is None or when.tool == facts.tool)
        and (when.min_radius is None or radius >= when.min_radius)
        and (when.max_radius is None or radius <= when.max_radius)
    )


def _lift(granularity: Granularity, deepest: Granularity | None) -> Granularity:
    if granularity is Granularity.NONE or deepest is None:
        return granularity
    return deeper(granularity, Granularity.GLOBAL if deepest is Granularity.GLOBAL else Granularity.TAIL)


def deeper(one: Granularity | None, other: Granularity) -> Granularity:
    """The one of two granularities that cuts deeper."""
    return other if one is None else max(one, other, key=_DEPTH.__getitem__)
