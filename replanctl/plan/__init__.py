"""What is to be done: plans, steps, references, and what one plan changed against another. Values only."""

from __future__ import annotations

from replanctl.kinds import ChangeKind, Granularity, OnFailure, StepState
from replanctl.plan import references
from replanctl.plan.bulk import too_bulky, too_bulky_when_read
from replanctl.plan.coupling import CouplingRow, coupling
from replanctl.plan.cycles import cycles, in_order, uncovered
from replanctl.plan.data import NoDataError, data_of
from replanctl.plan.diff import (
    PlanDiff,
    StepChange,
    StepLike,
    changed_fields,
    diff_plans,
    diff_steps,
    exact,
    same_args,
    step_change,
)
from replanctl.plan.faults import plan_faults
from replanctl.plan.foreign import SIGNS, Foreign, foreign_in, foreign_references, may_be_foreign
from replanctl.plan.model import (
    ID_LENGTH,
    ID_PATTERN,
    Alternative,
    Plan,
    Step,
    Tool,
    sequenced,
    step_id,
    variable_name,
)
from replanctl.plan.new_ids import IdBook, NewIds
from replanctl.plan.references import Reference, follow, in_text, mentions, parse, render, shortened, strings

__all__ = [
    "Foreign",
    "foreign_in",
    "may_be_foreign",
    "foreign_references",
    "SIGNS",
    "strings",
    "follow",
    "render",
    "references",
    "Alternative",
    "NoDataError",
    "data_of",
    "StepChange",
    "ChangeKind",
    "CouplingRow",
    "Granularity",
    "ID_LENGTH",
    "ID_PATTERN",
    "IdBook",
    "NewIds",
    "OnFailure",
    "Plan",
    "PlanDiff",
    "Reference",
    "Step",
    "StepLike",
    "StepState",
    "Tool",
    "changed_fields",
    "coupling",
    "cycles",
    "diff_plans",
    "diff_steps",
    "exact",
    "in_order",
    "in_text",
    "shortened",
    "too_bulky",
    "too_bulky_when_read",
    "mentions",
    "parse",
    "plan_faults",
    "same_args",
    "sequenced",
    "step_change",
    "step_id",
    "uncovered",
    "variable_name",
]
