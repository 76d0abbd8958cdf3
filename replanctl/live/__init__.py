"""A plan while it runs: the states of its steps, its graph, its variables, and drafts laid over it."""

from __future__ import annotations

from replanctl.kinds import Health, Verdict
from replanctl.live.calls import CallKey, Finished, OpenSteps, call_key
from replanctl.live.cells import DONE, FAILED, PENDING, RUNNING, SKIPPED, Cell, is_required, same_work, sequence_key
from replanctl.live.draft import Draft, Proposal, lay_over
from replanctl.live.draft_check import Surroundings, check, required, unmakeable
from replanctl.live.graph import Graph
from replanctl.live.naming import Either, Ground
from replanctl.live.progress import no_progress
from replanctl.live.variables import HealthChange, Variable, VariableTable

__all__ = [
    "Cell",
    "HealthChange",
    "DONE",
    "Draft",
    "Either",
    "FAILED",
    "Finished",
    "Graph",
    "Ground",
    "OpenSteps",
    "Health",
    "PENDING",
    "Proposal",
    "RUNNING",
    "SKIPPED",
    "Surroundings",
    "Variable",
    "VariableTable",
    "Verdict",
    "CallKey",
    "call_key",
    "is_required",
    "no_progress",
    "same_work",
    "sequence_key",
    "unmakeable",
    "check",
    "lay_over",
    "required",
]
