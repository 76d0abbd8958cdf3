"""Who is asked for a new plan: the seam, and the scripted replanner of a plan file."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from replanctl.plan.model import Granularity, Step
from replanctl.plan.variables import Verdict
from replanctl.replan.signal import ErrorType


class Otherwise(StrEnum):
    """What a scripted planner answers when no rule before this one matched."""

    GIVE_UP = "give_up"
    TEMPLATE = "template"


class PlannerWhen(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """When a planner rule matches; what is left out matches everything.

    `error` is text contained in the message, `goal` text contained in the new goal (it matches at a
    goal change only), both whatever the case.
    """

    error: str | None = None
    type: ErrorType | None = None
    step: str | None = None
    granularity: Granularity | None = None
    goal: str | None = None


class PlannerRule(msgspec.Struct, frozen=True, gc=False):
    """One scripted answer: `steps` are the plan from the cursor on. `otherwise` rules match always and have no steps."""

    when: PlannerWhen = PlannerWhen()
    cause: str = ""
    steps: tuple[Step, ...] = ()
    verdicts: dict[str, Verdict] = {}
    otherwise: Otherwise | None = None
