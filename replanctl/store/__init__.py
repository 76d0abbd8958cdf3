"""Runs on disk: numbered 1, 2, 3, … in one SQLite file of the store folder. Nothing else is ever written."""

from replanctl.kinds import RunStatus
from replanctl.store.model import Inputs, RunRow, SourceText
from replanctl.store.store import Store
from replanctl.store.writer import BATCH, RunWriter

__all__ = ["BATCH", "Inputs", "RunRow", "RunStatus", "RunWriter", "SourceText", "Store"]
