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
    error_type: ErrorType | None = None  # the only one it is about


def _compared(facts: RouteFacts, policy: RoutingPolicy) -> int:
    return facts.direct if policy.radius is Radius.DIRECT else facts.radius


def _always(facts: RouteFacts, policy: RoutingPolicy) -> bool:
    return True


# A missing variable looks at the step it references: one that ended without a value takes the tail with it, one that
# has not run yet only lacks an edge, anything else is the planner's slip.
_BROKEN = frozenset({Unreadable.FAILED, Unreadable.SKIPPED, Unreadable.VOID})

# From a failure to how deep the plan is cut.
#
# A failure is a symptom; what a replan costs depends on how much of the plan rested on the mistake. So routing asks
# three questions, in this order, and the first answer wins:
#
# 1. Would another plan help at all? Where the tool did not answer, a right is missing, or a call may have happened
#    that must not happen twice, the plan was not wrong, and planning again would only spend tokens on the same wall: a
#    person decides (`none`). These rules come first because no other fact about the failure can make a replan useful.
# 2. Is the plan itself known to be wrong, and how? A missing variable is the planner's own slip, found before any
#    call was made, and looks at the step it names: one that ended without a value takes the tail with it, one that has
#    not run yet lacks an edge, anything else is a typo. A refuted premise that finished work rests on overturns that
#    work too (`global`: it is the only granularity that may throw done things away). The right shape with the wrong
#    thing in it means that the work was cut up wrongly, and what follows was planned on top of that (`tail`).
# 3. Otherwise, how much rests on it? The radius decides between a `patch` and a `tail`. It is transitive: what rests
#    on the failure at a distance is as wrong as what rests on it directly.
#
# The last row is the default, so that every failure has a route, and every route has a name that travels with the
# decision: it can be explained, counted, and overruled by name. Overrides and the user's own rules come before
# `environmental`: a person outranks the table.
#
# The ladder stands behind the table. A lineage that was patched and fails again has shown that a patch was not enough,
# so it never goes below a tail again; after a global it stays there. It is lifted by what was committed, not by
# what was asked, and never lowered, or a planner could go round in ever smaller circles. It does not reach `global` by
# itself: throwing away finished work takes a reason, not only persistence. A changed goal starts it afresh.
_RULES: tuple[_Rule, ...] = (
    _Rule("environmental", _always, Granularity.NONE, ErrorType.ENVIRONMENTAL),
    _Rule("permission", _always, Granularity.NONE, ErrorType.PERMISSION),
    _Rule("may-have-happened", lambda f, p: f.doubtful, Granularity.NONE),
    _Rule("broken-dependency", lambda f, p: f.state in _BROKEN, Granularity.TAIL),
    _Rule("hidden-dependency", lambda f, p: f.state == Unreadable.PENDING, Granularity.PATCH),
    _Rule("plan-typo", _always, Granularity.PATCH, ErrorType.MISSING_VAR),
    _Rule("premise-overturned", lambda f, p: f.premise_fell, Granularity.GLOBAL),
    _Rule("wrong-decomposition", _always, Granularity.TAIL, ErrorType.SEMANTIC),
    _Rule("small-radius", lambda f, p: _compared(f, p) <= p.patch_radius, Granularity.PATCH),
    _Rule("wide-radius", _always, Granularity.TAIL),
)
# The rows that may match a failure of each type, in their order: half of the table is about another one.
_ABOUT = {kind: tuple(rule for rule in _RULES if rule.error_type in (None, kind)) for kind in ErrorType}
RULE_NAMES = ("goal-changed", "override", *(rule.name for rule in _RULES))
DEPTHS = {rule.name: rule.granularity for rule in _RULES} | {"goal-changed": Granularity.GLOBAL}  # where not forced
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
    own = policy.overrides
    return next((own[id_] for id_ in reversed(facts.lineage) if id_ in own), None) if own else None


def _first_match(facts: RouteFacts, policy: RoutingPolicy) -> tuple[str, Granularity]:
    for own in policy.rules:
        if _matches(own.when, facts, policy):
            return own.name, own.granularity
    rule = next(rule for rule in _ABOUT[facts.error_type] if rule.when(facts, policy))
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
