"""Random policies: mostly the defaults, with here a tight gate and there another rule."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.cost import Coefficients
from replanctl.plan.model import Granularity, Plan, ids
from replanctl.replan.gates import GateLimits, Preset
from replanctl.replan.lessons import Evict, LessonPolicy
from replanctl.replan.routing import Radius, RouteRule, RouteWhen, RoutingPolicy
from replanctl.replan.signal import ErrorType
from replanctl.run.policy import Mode, Policy, RetryPolicy, SolverPolicy
from tests.properties.dice import Dice
from tests.properties.plans import TOOLS

ROUTED_TYPES = tuple(ErrorType)[:6]
MODES = (Mode.HYBRID, Mode.HYBRID, Mode.HYBRID, Mode.REPLAN, Mode.REWOO, Mode.AUTO)

# Each gate with values that stop a small session now and then; None is no limit, 0 forbids all.
LIMITS: dict[str, tuple[Any, ...]] = {
    "per_step": (1, 2, 0, None, 6),
    "max_replans": (1, 2, 0, 3, 12),
    "max_replan_tokens": (1000, 600, 0, None, 2500),
    "max_steps": (4, 2, 0, None, 8),
    "max_tool_calls": (4, 2, 0, None, 8),
    "max_tokens": (1500, 900, 0, None, 2500),
    "max_seconds": (4.0, 2.0, 0.0, None, 1.5, 12.0),
    "max_repeat": (1, 2, None),
}


def policy(dice: Dice, plan: Plan) -> Policy:
    """How a session over this plan is run."""
    return Policy(
        mode=dice.pick(MODES),
        max_parallel=dice.pick((1, 1, 2, 3, 9)),
        retry=_retry(dice) if dice.chance(40) else RetryPolicy(),
        routing=_routing(dice, plan) if dice.chance(50) else RoutingPolicy(),
        gates=_gates(dice),
        lessons=LessonPolicy(dice.pick((5, 1, 2, 0, None)), dice.pick(tuple(Evict))),
        solver=_solver(dice, plan) if dice.chance(25) else SolverPolicy(),
        coefficients=_coefficients(dice) if dice.chance(10) else Coefficients(),
    )


def _coefficients(dice: Dice) -> Coefficients:
    return Coefficients(**{name: dice.pick((0, 1, 7, 500)) for name in Coefficients.__struct_fields__})


def _retry(dice: Dice) -> RetryPolicy:
    return RetryPolicy(
        max_attempts=dice.pick((1, 2, 4)),
        backoff=dice.pick((1.0, 0.0, 0.25)),
        factor=dice.pick((2.0, 1.0, 0.0)),
        max_backoff=dice.pick((60.0, 0.5)),
    )


def _routing(dice: Dice, plan: Plan) -> RoutingPolicy:
    everywhere = tuple(Granularity)
    overrides = {id_: dice.pick(everywhere) for id_ in dice.some(ids(plan.steps), 1)}
    return RoutingPolicy(
        patch_radius=dice.pick((1, 0, 2, 3)),
        radius=dice.pick(tuple(Radius)),
        overrides=overrides if dice.chance(40) else {},
        rules=(_rule(dice, plan),) if dice.chance(40) else (),
        force=dice.pick(everywhere) if dice.chance(8) else None,
    )


def _rule(dice: Dice, plan: Plan) -> RouteRule:
    when = RouteWhen(
        error_type=dice.pick((None, *ROUTED_TYPES)),
        step=dice.pick((None, None, plan.steps[0].id)),
        tool=dice.pick((None, None, TOOLS[0])),
        min_radius=dice.pick((None, None, 1)),
        max_radius=dice.pick((None, None, 2)),
    )
    return RouteRule("mine", dice.pick(tuple(Granularity)), when)


def _gates(dice: Dice) -> GateLimits:
    limits = GateLimits(preset=Preset.ANCHORED if dice.chance(15) else None)
    if not dice.chance(60):
        return limits
    return replace(limits, **{name: dice.pick(LIMITS[name]) for name in dice.some(tuple(LIMITS), 2)})


def _solver(dice: Dice, plan: Plan) -> SolverPolicy:
    required = dice.some(ids(plan.steps), 1)
    return SolverPolicy(tuple(f"E{id_}" for id_ in required), dice.pick((1, 0, 2, 4)))
