"""From a failure to a granularity: a table of named rules, first match wins."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from replanctl.plan.model import Granularity
from replanctl.replan.signal import ErrorType


class Radius(StrEnum):
    """What routing compares with `patch_radius`: all that rests on the failure, or its direct dependents."""

    TRANSITIVE = "transitive"
    DIRECT = "direct"


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
