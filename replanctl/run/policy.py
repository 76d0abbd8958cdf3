"""Everything a session's policy says, one part for each room that obeys it."""

from __future__ import annotations

import msgspec

from replanctl.cost import Coefficients
from replanctl.kinds import Mode
from replanctl.replan import GateLimits, LessonPolicy, RoutingPolicy


class RetryPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """At most `max_attempts` calls of one tool; waits are in seconds and grow by `factor` up to `max_backoff`."""

    max_attempts: int = 3
    backoff: float = 1.0
    factor: float = 2.0
    max_backoff: float = 60.0


class SolverPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What the Solver must have: variables by name (`E1`) and a number of done steps."""

    require: tuple[str, ...] = ()
    min_evidence: int = 1


class Policy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How a session is run; every field has the default of the documentation."""

    mode: Mode = Mode.HYBRID
    max_parallel: int = 1
    retry: RetryPolicy = RetryPolicy()
    routing: RoutingPolicy = RoutingPolicy()
    gates: GateLimits = GateLimits()
    lessons: LessonPolicy = LessonPolicy()
    solver: SolverPolicy = SolverPolicy()
    coefficients: Coefficients = Coefficients()
