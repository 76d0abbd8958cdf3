"""replanctl: rehearse how plan-and-execute agents replan.

The parts work alone: `from replanctl import Session, route, LessonBook, …`. Names are loaded when they are first
used, so that the command line starts fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing costs more than everything `--version` needs
if TYPE_CHECKING:
    from typing import Any

    from replanctl.cost.model import Coefficients, CostModel
    from replanctl.errors import InputError, ReplanctlError, StoreError, UsageError
    from replanctl.files import load_plan, load_rehearsal
    from replanctl.plan.diff import PlanDiff, diff_plans
    from replanctl.plan.model import Granularity, Plan, Step, Tool
    from replanctl.plan.variables import VariableTable
    from replanctl.replan.gates import BudgetGate, OscillationGuard, ReplanBreaker
    from replanctl.replan.lessons import LessonBook
    from replanctl.replan.prompt import ReplanRequest, build_prompt
    from replanctl.replan.routing import RouteFacts, RoutingPolicy, route
    from replanctl.replan.signal import FailureSignal, Status, classify
    from replanctl.run.agent import PlanExecuteAgent
    from replanctl.run.engine import Session
    from replanctl.run.events import Event
    from replanctl.run.fold import fold
    from replanctl.run.policy import Policy
    from replanctl.run.result import SessionResult
    from replanctl.script import ScriptedTools
    from replanctl.traces import Imported, import_traces

__version__ = "0.1.0"

_HOMES = {
    "replanctl.cost.model": ("Coefficients", "CostModel"),
    "replanctl.errors": ("InputError", "ReplanctlError", "StoreError", "UsageError"),
    "replanctl.files": ("load_plan", "load_rehearsal"),
    "replanctl.plan.diff": ("PlanDiff", "diff_plans"),
    "replanctl.plan.model": ("Granularity", "Plan", "Step", "Tool"),
    "replanctl.plan.variables": ("VariableTable",),
    "replanctl.replan.gates": ("BudgetGate", "OscillationGuard", "ReplanBreaker"),
    "replanctl.replan.lessons": ("LessonBook",),
    "replanctl.replan.prompt": ("ReplanRequest", "build_prompt"),
    "replanctl.replan.routing": ("RouteFacts", "RoutingPolicy", "route"),
    "replanctl.replan.signal": ("FailureSignal", "Status", "classify"),
    "replanctl.run.agent": ("PlanExecuteAgent",),
    "replanctl.run.engine": ("Session",),
    "replanctl.run.events": ("Event",),
    "replanctl.run.fold": ("fold",),
    "replanctl.run.policy": ("Policy",),
    "replanctl.run.result": ("SessionResult",),
    "replanctl.script": ("ScriptedTools",),
    "replanctl.traces": ("Imported", "import_traces"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "__version__",
    "Coefficients",
    "CostModel",
    "InputError",
    "ReplanctlError",
    "StoreError",
    "UsageError",
    "load_plan",
    "load_rehearsal",
    "PlanDiff",
    "diff_plans",
    "Granularity",
    "Plan",
    "Step",
    "Tool",
    "VariableTable",
    "BudgetGate",
    "OscillationGuard",
    "ReplanBreaker",
    "LessonBook",
    "ReplanRequest",
    "build_prompt",
    "RouteFacts",
    "RoutingPolicy",
    "route",
    "FailureSignal",
    "Status",
    "classify",
    "PlanExecuteAgent",
    "Session",
    "Event",
    "fold",
    "Policy",
    "SessionResult",
    "ScriptedTools",
    "Imported",
    "import_traces",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that owns it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'replanctl' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME_OF[name]), name)
