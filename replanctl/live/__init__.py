"""A plan while it runs: the states of its steps, its graph, its variables, and drafts laid over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import Health, Verdict
from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.live.calls import Finished, OpenSteps
    from replanctl.live.cells import (
        DONE,
        FAILED,
        PENDING,
        RUNNING,
        SKIPPED,
        CallKey,
        Cell,
        call_key,
        close_gap,
        is_required,
        same_work,
        sequence_key,
    )
    from replanctl.live.copying import is_sound, lay_copy
    from replanctl.live.draft import Draft, Proposal, lay_over
    from replanctl.live.draft_check import Surroundings, check, required, unmakeable
    from replanctl.live.graph import Graph
    from replanctl.live.naming import Either, Ground
    from replanctl.live.progress import no_progress
    from replanctl.live.variables import HealthChange, Judged, Variable, VariableTable
else:
    __getattr__ = lazily(
        __name__,
        {
            "calls": ("Finished", "OpenSteps"),
            "cells": (
                "CallKey",
                "Cell",
                "DONE",
                "FAILED",
                "PENDING",
                "RUNNING",
                "SKIPPED",
                "call_key",
                "close_gap",
                "is_required",
                "is_sound",
                "same_work",
                "sequence_key",
            ),
            "copying": ("is_sound", "lay_copy"),
            "draft": ("Draft", "Proposal", "lay_over"),
            "draft_check": ("Surroundings", "check", "required", "unmakeable"),
            "graph": ("Graph",),
            "naming": ("Either", "Ground"),
            "progress": ("no_progress",),
            "variables": ("HealthChange", "Judged", "Variable", "VariableTable"),
        },
    )

__all__ = [
    "CallKey",
    "Cell",
    "DONE",
    "Draft",
    "Either",
    "FAILED",
    "Finished",
    "Graph",
    "Ground",
    "Health",
    "HealthChange",
    "Judged",
    "OpenSteps",
    "PENDING",
    "Proposal",
    "RUNNING",
    "SKIPPED",
    "Surroundings",
    "Variable",
    "VariableTable",
    "Verdict",
    "call_key",
    "check",
    "close_gap",
    "is_required",
    "is_sound",
    "lay_copy",
    "lay_over",
    "no_progress",
    "required",
    "same_work",
    "sequence_key",
    "unmakeable",
]
