"""The lab: many sessions, what is known of each, and what that says about a policy.

Trials in, facts out, tables made from facts. Nothing here reads a file or draws a line.
"""

from __future__ import annotations

from replanctl.host import Case
from replanctl.lab.bills import Tally
from replanctl.lab.compare import (
    Comparison,
    Lane,
    Pair,
    Parting,
    Race,
    Strategy,
    Versus,
    compare,
    compare_trials,
)
from replanctl.lab.coverage import Coverage, Dead
from replanctl.lab.facts import Doubled, Facts, Freed, Stopped
from replanctl.lab.faulted import MatrixOptions, matrix_trials
from replanctl.lab.intervals import clopper_pearson, sign_test, wilson
from replanctl.lab.matrix import Matrix, Pairs, Row, Stranded, Twice, matrix
from replanctl.lab.race import parting, race
from replanctl.lab.stats import Decided, Stats, stats
from replanctl.lab.study import (
    HONEST,
    CompareDocument,
    Kind,
    MatrixDocument,
    StatsDocument,
    Study,
    TuneDocument,
    Work,
    compare_study,
    comparison,
    document_schema,
    matrices,
    matrix_study,
    tune_study,
    tuning,
)
from replanctl.lab.sweep import process_pool, sharded, sweep, sweep_trials
from replanctl.lab.totals import LaneTotals, Totals, TotalsFold
from replanctl.lab.trial import Trial
from replanctl.lab.tune import CurvePoint, GateTuning, Share, Tuning, tune, tune_trials, tuned_policy
from replanctl.script import FAULTS, Fault, check_faults, fault, with_faults

__all__ = [
    "FAULTS",
    "HONEST",
    "Case",
    "CompareDocument",
    "Comparison",
    "Coverage",
    "CurvePoint",
    "Dead",
    "Decided",
    "Doubled",
    "Facts",
    "Fault",
    "Freed",
    "GateTuning",
    "Kind",
    "Lane",
    "LaneTotals",
    "Matrix",
    "MatrixDocument",
    "MatrixOptions",
    "Pair",
    "Pairs",
    "Parting",
    "Race",
    "Row",
    "Share",
    "Stats",
    "StatsDocument",
    "Stopped",
    "Stranded",
    "Strategy",
    "Study",
    "Totals",
    "Tally",
    "TotalsFold",
    "Trial",
    "TuneDocument",
    "Tuning",
    "Twice",
    "Versus",
    "Work",
    "check_faults",
    "clopper_pearson",
    "compare",
    "compare_study",
    "compare_trials",
    "comparison",
    "document_schema",
    "fault",
    "matrices",
    "matrix",
    "matrix_study",
    "matrix_trials",
    "parting",
    "process_pool",
    "race",
    "sharded",
    "sign_test",
    "stats",
    "sweep",
    "sweep_trials",
    "tune",
    "tune_study",
    "tune_trials",
    "tuned_policy",
    "tuning",
    "wilson",
    "with_faults",
]
