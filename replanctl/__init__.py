"""replanctl: rehearse how plan-and-execute agents replan.

The parts work alone: `from replanctl import Session, route, LessonBook, …`. Names are loaded when they are first
used, so that the command line starts fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing costs more than everything `--version` needs
if TYPE_CHECKING:
    from typing import Any

    from replanctl.cli.fixture import Rehearse
    from replanctl.cost import Coefficients, CostModel
    from replanctl.errors import InputError, ReplanctlError, ReplayDivergedError, StoreError, UsageError
    from replanctl.files import load_plan, load_rehearsal
    from replanctl.host.agent import PlanExecuteAgent
    from replanctl.host.amending import InDoubtError, More
    from replanctl.host.corpus import Case, load_corpus
    from replanctl.host.expect import mismatches
    from replanctl.host.functions import ToolFailure
    from replanctl.host.replaying import Replayed, replay
    from replanctl.host.resuming import NotGivenError, resume
    from replanctl.host.running import rehearse
    from replanctl.kinds import Granularity, Mode, OnFailure, Settle, Status, Verdict
    from replanctl.lab.compare import Comparison, Lane, Strategy, compare, compare_trials
    from replanctl.lab.facts import Facts
    from replanctl.lab.faulted import matrix_trials
    from replanctl.lab.matrix import Matrix, matrix
    from replanctl.lab.sweep import sweep
    from replanctl.lab.trial import Trial
    from replanctl.lab.tune import Tuning, tune, tune_trials
    from replanctl.live.draft import Draft
    from replanctl.live.variables import VariableTable
    from replanctl.plan.diff import PlanDiff, diff_plans
    from replanctl.plan.model import Alternative, Plan, Step, Tool
    from replanctl.replan.gates import GateLimits
    from replanctl.replan.guards import BudgetGate, OscillationGuard, ReplanBreaker
    from replanctl.replan.lessons import Lesson, LessonBook, LessonPolicy
    from replanctl.replan.prompt import ReplanRequest, build_prompt
    from replanctl.replan.replanner import Replanner
    from replanctl.replan.routing import RouteFacts, RoutingPolicy, route
    from replanctl.replan.signal import FailureSignal, classify
    from replanctl.run.amendments import NewInputs, Settlement
    from replanctl.run.engine import Session
    from replanctl.run.events import Event
    from replanctl.run.fold import fold
    from replanctl.run.interruptions import Interruption
    from replanctl.run.policy import Policy, RetryPolicy, SolverPolicy
    from replanctl.run.result import SessionResult
    from replanctl.run.tools import Call, Outcome
    from replanctl.script import OutcomeRule, ScriptedTools
    from replanctl.store import RunRow, Store
    from replanctl.traces import Imported, import_traces

__version__ = "0.1.0"

_HOMES = {
    "replanctl.cli.fixture": ("Rehearse",),
    "replanctl.cost": ("Coefficients", "CostModel"),
    "replanctl.errors": ("InputError", "ReplanctlError", "ReplayDivergedError", "StoreError", "UsageError"),
    "replanctl.files": ("load_plan", "load_rehearsal"),
    "replanctl.host.agent": ("PlanExecuteAgent",),
    "replanctl.host.amending": ("InDoubtError", "More"),
    "replanctl.host.corpus": ("Case", "load_corpus"),
    "replanctl.host.expect": ("mismatches",),
    "replanctl.host.functions": ("ToolFailure",),
    "replanctl.host.replaying": ("Replayed", "replay"),
    "replanctl.host.resuming": ("NotGivenError", "resume"),
    "replanctl.host.running": ("rehearse",),
    "replanctl.kinds": ("Granularity", "Mode", "OnFailure", "Settle", "Status", "Verdict"),
    "replanctl.lab.sweep": ("sweep",),
    "replanctl.lab.compare": ("Comparison", "Lane", "Strategy", "compare", "compare_trials"),
    "replanctl.lab.facts": ("Facts",),
    "replanctl.lab.matrix": ("Matrix", "matrix"),
    "replanctl.lab.faulted": ("matrix_trials",),
    "replanctl.lab.trial": ("Trial",),
    "replanctl.lab.tune": ("Tuning", "tune", "tune_trials"),
    "replanctl.live.draft": ("Draft",),
    "replanctl.live.variables": ("VariableTable",),
    "replanctl.plan.diff": ("PlanDiff", "diff_plans"),
    "replanctl.plan.model": ("Alternative", "Plan", "Step", "Tool"),
    "replanctl.replan.gates": ("GateLimits",),
    "replanctl.replan.guards": ("BudgetGate", "OscillationGuard", "ReplanBreaker"),
    "replanctl.replan.lessons": ("Lesson", "LessonBook", "LessonPolicy"),
    "replanctl.replan.prompt": ("ReplanRequest", "build_prompt"),
    "replanctl.replan.replanner": ("Replanner",),
    "replanctl.replan.routing": ("RouteFacts", "RoutingPolicy", "route"),
    "replanctl.replan.signal": ("FailureSignal", "classify"),
    "replanctl.run.amendments": ("NewInputs", "Settlement"),
    "replanctl.run.engine": ("Session",),
    "replanctl.run.events": ("Event",),
    "replanctl.run.fold": ("fold",),
    "replanctl.run.interruptions": ("Interruption",),
    "replanctl.run.policy": ("Policy", "RetryPolicy", "SolverPolicy"),
    "replanctl.run.result": ("SessionResult",),
    "replanctl.run.tools": ("Call", "Outcome"),
    "replanctl.script": ("OutcomeRule", "ScriptedTools"),
    "replanctl.store": ("RunRow", "Store"),
    "replanctl.traces": ("Imported", "import_traces"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "__version__",
    "Rehearse",
    "Coefficients",
    "CostModel",
    "InputError",
    "ReplanctlError",
    "ReplayDivergedError",
    "StoreError",
    "UsageError",
    "load_plan",
    "load_rehearsal",
    "PlanExecuteAgent",
    "InDoubtError",
    "More",
    "Case",
    "load_corpus",
    "mismatches",
    "ToolFailure",
    "Replayed",
    "replay",
    "NotGivenError",
    "resume",
    "rehearse",
    "Granularity",
    "Mode",
    "OnFailure",
    "Settle",
    "Status",
    "Verdict",
    "sweep",
    "Comparison",
    "Lane",
    "Strategy",
    "compare",
    "compare_trials",
    "Facts",
    "Matrix",
    "matrix",
    "matrix_trials",
    "Trial",
    "Tuning",
    "tune",
    "tune_trials",
    "Draft",
    "VariableTable",
    "PlanDiff",
    "diff_plans",
    "Alternative",
    "Plan",
    "Step",
    "Tool",
    "GateLimits",
    "BudgetGate",
    "OscillationGuard",
    "ReplanBreaker",
    "Lesson",
    "LessonBook",
    "LessonPolicy",
    "ReplanRequest",
    "build_prompt",
    "Replanner",
    "RouteFacts",
    "RoutingPolicy",
    "route",
    "FailureSignal",
    "classify",
    "NewInputs",
    "Settlement",
    "Session",
    "Event",
    "fold",
    "Interruption",
    "Policy",
    "RetryPolicy",
    "SolverPolicy",
    "SessionResult",
    "Call",
    "Outcome",
    "OutcomeRule",
    "ScriptedTools",
    "RunRow",
    "Store",
    "Imported",
    "import_traces",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that owns it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'replanctl' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME_OF[name]), name)
