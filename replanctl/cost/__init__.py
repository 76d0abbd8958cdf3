"""What a session costs in tokens: coefficients, formulas, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.cost.model import Coefficients, CostModel, padded
from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.cost.measure import measured
    from replanctl.cost.table import CostAt, CostRow, CostTable, cost_table
else:
    __getattr__ = lazily(
        __name__,
        {
            "measure": ("measured",),
            "table": ("CostAt", "CostRow", "CostTable", "cost_table"),
        },
    )

__all__ = [
    "Coefficients",
    "CostAt",
    "CostModel",
    "CostRow",
    "CostTable",
    "cost_table",
    "measured",
    "padded",
]
