"""Recorded runs in: one table per dialect, one mapping to a rehearsal, one check that it goes the recorded way."""

from replanctl.traces.disguise import Shown
from replanctl.traces.importing import NamesGiven, import_traces
from replanctl.traces.rehearsal import PlanOf
from replanctl.traces.report import Imported, Report, Totals, totals
from replanctl.traces.trace import Kind

__all__ = ["Imported", "Kind", "NamesGiven", "PlanOf", "Report", "Shown", "Totals", "import_traces", "totals"]
