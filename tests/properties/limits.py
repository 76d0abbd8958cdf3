"""The limits a policy means for a plan, worked out once more and by hand."""

from __future__ import annotations

import math

from msgspec import UNSET

from replanctl.files import Rehearsal
from replanctl.replan.gates import Limits, Preset

_DEFAULTS = {"per_step": 3, "max_replans": 5, "max_replan_tokens": 20_000, "max_repeat": 1}


def limits_of(rehearsal: Rehearsal) -> Limits:
    """What is stated, else the preset, else the default."""
    stated, steps = rehearsal.policy.gates, len(rehearsal.plan.steps)
    values = {**dict.fromkeys(Limits.__struct_fields__), **_DEFAULTS, "max_steps": max(12, 2 * steps)}
    if stated.preset is Preset.ANCHORED:
        c = rehearsal.policy.coefficients
        main = c.prompt + c.goal + c.step * steps + c.execution * steps
        tail = c.prompt + c.goal + c.failure + c.lesson + c.step * steps
        values["max_replans"] = max(1, steps // 2)
        values["max_replan_tokens"] = max(main // 2, math.ceil(tail * 12 / 10))
        values["max_tool_calls"] = 3 * steps
    named = {name: getattr(stated, name) for name in values}
    return Limits(**{name: values[name] if named[name] is UNSET else named[name] for name in values})
