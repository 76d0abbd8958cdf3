"""One fault put before a plan's own script: what a step's tool returns instead, once or for ever."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from replanctl.errors import UsageError
from replanctl.kinds import Status
from replanctl.nearest import or_nearest
from replanctl.plan import ID_PATTERN, Plan
from replanctl.script import Entry, Match, OutcomeRule

FAULTS = tuple(status for status in Status if status is not Status.OK)
_FAULT = re.compile(rf"({ID_PATTERN})=([a-z_]+)(:always)?")


class Fault(msgspec.Struct, frozen=True, gc=False):
    """What a step's calls return instead of what the script says: at the first attempt, or `always`.

    The step is meant with whatever replaces it, as long as it uses the tool it had: a fallback or another tool gets
    out of it.
    """

    step: str
    status: Status
    always: bool = False

    def __str__(self) -> str:
        return f"{self.step}={self.status}{':always' if self.always else ''}"


def fault(text: str) -> Fault:
    """`3=timeout` or `3=timeout:always`. Raises ValueError for anything else."""
    found = _FAULT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a fault: write STEP=STATUS or STEP=STATUS:always")
    if found[2] not in FAULTS:
        way_out = or_nearest(found[2], FAULTS, f"there are {', '.join(FAULTS)}")
        raise ValueError(f"{found[2]} is no status of a fault: {way_out}")
    return Fault(found[1], Status(found[2]), always=found[3] is not None)


def check_faults(faults: Iterable[Fault], plan: Plan) -> None:
    """Raises UsageError for a fault of a step that the plan does not have."""
    known = [step.id for step in plan.steps]
    for one in faults:
        if one.step not in known:
            raise UsageError(f"--fault {one}: the plan has no step {one.step}", hint=or_nearest(one.step, known))


def with_faults(rules: tuple[OutcomeRule, ...], faults: Iterable[Fault]) -> tuple[OutcomeRule, ...]:
    """The rules with these faults in front."""
    return (*(_rule(one) for one in faults), *rules)


def _rule(one: Fault) -> OutcomeRule:
    times = None if one.always else 1
    return OutcomeRule(Match(step=one.step), (Entry(one.status),), times=times, name=f"the fault {one}")
