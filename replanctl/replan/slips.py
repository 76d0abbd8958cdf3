"""Args under names that a tool does not know, mended to the required ones that were probably meant."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.nearest import closest
from replanctl.plan import Step


def misspelt_args(args: dict[str, Any], schema: dict[str, Any]) -> dict[str, str]:
    """The args that a tool's schema does not know, each with the missing required one that was probably meant."""
    known, required = schema.get("properties"), schema.get("required")
    known, required = known if isinstance(known, dict) else {}, required if isinstance(required, list) else []
    missing = [name for name in required if name not in args]
    meant: dict[str, str] = {}
    for name in args:
        if name not in known and name not in required and (near := closest(name, missing)) is not None:
            meant[name] = near
            missing.remove(near)
    return meant


def respelt(step: Step, meant: dict[str, str]) -> tuple[Step, tuple[str, ...]]:
    """The step with these args under the names that were meant, and a warning for each that shows both."""
    args = {meant.get(name, name): value for name, value in step.args.items()}
    warnings = tuple(f"step {step.id}: arg {name} → {near}" for name, near in meant.items())
    return msgspec.structs.replace(step, args=args), warnings
