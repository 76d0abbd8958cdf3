"""JSON Schema within bounds, and the contracts that results are held to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily
from replanctl.schema import contract

if TYPE_CHECKING:
    from replanctl.schema.contract import TYPES, schema_of
    from replanctl.schema.schemas import schema_fault
else:
    __getattr__ = lazily(
        __name__,
        {
            "contract": ("TYPES", "schema_of"),
            "schemas": ("schema_fault",),
        },
    )

__all__ = [
    "TYPES",
    "contract",
    "schema_fault",
    "schema_of",
]
