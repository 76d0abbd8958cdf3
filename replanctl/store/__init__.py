"""Runs on disk: numbered 1, 2, 3, … in one SQLite file of the store folder. Nothing else is ever written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import RunStatus
from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.store.database import FILE_NAMES
    from replanctl.store.model import Inputs, RunRow, SourceText
    from replanctl.store.shelf import DamagedRunError
    from replanctl.store.store import Store
    from replanctl.store.writer import BATCH, RunWriter
else:
    __getattr__ = lazily(
        __name__,
        {
            "database": ("FILE_NAMES",),
            "model": ("Inputs", "RunRow", "SourceText"),
            "shelf": ("DamagedRunError",),
            "store": ("Store",),
            "writer": ("BATCH", "RunWriter"),
        },
    )

__all__ = [
    "BATCH",
    "DamagedRunError",
    "FILE_NAMES",
    "Inputs",
    "RunRow",
    "RunStatus",
    "RunWriter",
    "SourceText",
    "Store",
]
