"""Rehearsals for the lab's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from replanctl.files import Rehearsal, Role, Source, load_rehearsal, parse_rehearsal
from replanctl.lab import Case
from replanctl.run import Policy

PLANS = Path(__file__).parent.parent.parent / "plans"
replace = msgspec.structs.replace


def case(text: str, name: str = "plan.yaml") -> Case:
    """A case from the text of a plan."""
    return Case(name, parse_rehearsal([Source(name, Role.PLAN, text)]))


def example(name: str) -> Case:
    """An example plan, by its path in `plans` without the suffix."""
    return Case(name, load_rehearsal(PLANS / f"{name}.yaml"))


def limited(of: Case, **limits: Any) -> Case:
    """The same under other limits."""
    return under(of, replace(of.rehearsal.policy, gates=replace(of.rehearsal.policy.gates, **limits)))


def under(of: Case, policy: Policy) -> Case:
    """The same under another policy."""
    return replace(of, rehearsal=replace(of.rehearsal, policy=policy))


def rehearsal(text: str) -> Rehearsal:
    """A rehearsal from the text of a plan."""
    return case(text).rehearsal
