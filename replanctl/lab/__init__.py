"""The lab: many sessions, what is known of each, and what that says about a policy.

Trials in, facts out, tables made from facts. Nothing here reads a file or draws a line.
"""

from __future__ import annotations

from replanctl.host import FAULTS, Fault, check_faults, fault, with_faults
from replanctl.lab.coverage import Coverage, Dead
from replanctl.lab.facts import Doubled, Facts, Stopped
from replanctl.lab.intervals import clopper_pearson, sign_test, wilson
from replanctl.lab.matrix import Matrix, MatrixOptions, matrix, matrix_trials
from replanctl.lab.sweep import process_pool, sharded, sweep
from replanctl.lab.trial import Trial

__all__ = [
    "FAULTS",
    "Coverage",
    "Dead",
    "Matrix",
    "MatrixOptions",
    "matrix",
    "matrix_trials",
    "Doubled",
    "Facts",
    "Fault",
    "Stopped",
    "Trial",
    "check_faults",
    "clopper_pearson",
    "fault",
    "process_pool",
    "sharded",
    "sign_test",
    "sweep",
    "wilson",
    "with_faults",
]
