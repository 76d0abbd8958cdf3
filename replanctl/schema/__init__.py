"""JSON Schema within bounds, and the contracts that results are held to."""

from __future__ import annotations

from replanctl.schema import contract
from replanctl.schema.contract import TYPES, schema_of
from replanctl.schema.schemas import schema_fault

__all__ = [
    "contract",
    "TYPES",
    "schema_fault",
    "schema_of",
]
