"""What is to be done: plans, steps, references, and what one plan changed against another. Values only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import ChangeKind, Granularity, OnFailure, StepState
from replanctl.lazy import lazily
from replanctl.plan import references

if TYPE_CHECKING:
    from replanctl.plan.bulk import MOST_VALUES, too_bulky, too_bulky_when_read
    from replanctl.plan.data import NoDataError, are_plain, data_of, exact, mentions, same_args, size_of, strings
    from replanctl.plan.diff import (
        PlanDiff,
        StepChange,
        StepLike,
        changed_fields,
        diff_plans,
        diff_steps,
        kind_of_change,
        step_change,
    )
    from replanctl.plan.foreign import Foreign, foreign_in, foreign_references, may_be_foreign
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
    from replanctl.plan.order import CouplingRow, coupling, cycles, in_order, plan_faults, uncovered
    from replanctl.plan.references import SIGNS, Reference, follow, in_text, parse, render, shortened
    from replanctl.plan.texts import may_refer, references_in, renamed, texts_of
else:
    __getattr__ = lazily(
        __name__,
        {
            "bulk": ("MOST_VALUES", "too_bulky", "too_bulky_when_read"),
            "data": (
                "NoDataError",
                "are_plain",
                "data_of",
                "exact",
                "mentions",
                "same_args",
                "size_of",
                "strings",
            ),
            "diff": (
                "PlanDiff",
                "StepChange",
                "StepLike",
                "changed_fields",
                "diff_plans",
                "diff_steps",
                "kind_of_change",
                "step_change",
            ),
            "foreign": ("Foreign", "foreign_in", "foreign_references", "may_be_foreign"),
            "model": (
                "Alternative",
                "ID_LENGTH",
                "ID_PATTERN",
                "Plan",
                "Step",
                "Tool",
                "sequenced",
                "step_id",
                "variable_name",
            ),
            "new_ids": ("IdBook", "NewIds"),
            "order": ("cycles", "in_order", "plan_faults", "uncovered", "CouplingRow", "coupling"),
            "references": (
                "Reference",
                "SIGNS",
                "follow",
                "in_text",
                "parse",
                "render",
                "shortened",
            ),
            "texts": ("may_refer", "references_in", "renamed", "texts_of"),
        },
    )

__all__ = [
    "Alternative",
    "ChangeKind",
    "CouplingRow",
    "Foreign",
    "Granularity",
    "ID_LENGTH",
    "ID_PATTERN",
    "IdBook",
    "MOST_VALUES",
    "NewIds",
    "NoDataError",
    "OnFailure",
    "Plan",
    "PlanDiff",
    "Reference",
    "SIGNS",
    "Step",
    "StepChange",
    "StepLike",
    "StepState",
    "Tool",
    "are_plain",
    "changed_fields",
    "coupling",
    "cycles",
    "data_of",
    "diff_plans",
    "diff_steps",
    "exact",
    "follow",
    "foreign_in",
    "foreign_references",
    "in_order",
    "in_text",
    "kind_of_change",
    "may_be_foreign",
    "may_refer",
    "mentions",
    "parse",
    "plan_faults",
    "references",
    "references_in",
    "renamed",
    "render",
    "same_args",
    "sequenced",
    "shortened",
    "size_of",
    "step_change",
    "step_id",
    "strings",
    "texts_of",
    "too_bulky",
    "too_bulky_when_read",
    "uncovered",
    "variable_name",
]
