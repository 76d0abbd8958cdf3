"""Names that are nearly right: the closest of those that were meant, by edits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from replanctl.plan import Step

NEAR = 2  # the edit distance up to which a name counts as a typing slip


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate within two edits of the name, the nearest first, then the first in order."""
    best, found = NEAR + 1, None
    for candidate in candidates:
        if abs(len(candidate) - len(name)) < best and (distance := edit_distance(name, candidate)) < best:
            best, found = distance, candidate
    return found


def edit_distance(one: str, other: str) -> int:
    """Levenshtein distance: insertions, deletions and substitutions."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


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
