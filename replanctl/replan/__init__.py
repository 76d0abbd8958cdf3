"""What answers a failure: signal, route, gates, lessons, the request and the replanners."""

from __future__ import annotations

from replanctl.kinds import ErrorType, Evict, Otherwise, Preset, Radius, Status
from replanctl.replan.gates import (
    REASONS,
    BudgetGate,
    Check,
    GateLimits,
    OscillationGuard,
    ReplanBreaker,
    left_open,
    resolve,
)
from replanctl.replan.lessons import Lesson, LessonBook, LessonPolicy
from replanctl.replan.prompt import (
    LESSON_LINES,
    DoneStep,
    Lazy,
    ReplanRequest,
    build_prompt,
    done_lines,
    step_lines,
    summary,
)
from replanctl.replan.replanner import PlannerRule, PlannerWhen, Replanner, ReplannerError, ScriptedReplanner
from replanctl.replan.routing import (
    GOAL_CHANGED,
    RULE_NAMES,
    Decision,
    RouteFacts,
    RouteRule,
    RouteWhen,
    RoutingPolicy,
    deeper,
    route,
)
from replanctl.replan.signal import ERROR_TYPES, FailureSignal, Missing, classify
from replanctl.replan.template import template

__all__ = [
    "BudgetGate",
    "Check",
    "Decision",
    "DoneStep",
    "ERROR_TYPES",
    "ErrorType",
    "Evict",
    "FailureSignal",
    "GOAL_CHANGED",
    "GateLimits",
    "LESSON_LINES",
    "Lazy",
    "Lesson",
    "LessonBook",
    "LessonPolicy",
    "Missing",
    "OscillationGuard",
    "Otherwise",
    "PlannerRule",
    "PlannerWhen",
    "Preset",
    "REASONS",
    "RULE_NAMES",
    "Radius",
    "ReplanBreaker",
    "ReplanRequest",
    "Replanner",
    "ReplannerError",
    "RouteFacts",
    "RouteRule",
    "RouteWhen",
    "RoutingPolicy",
    "ScriptedReplanner",
    "Status",
    "build_prompt",
    "classify",
    "deeper",
    "done_lines",
    "left_open",
    "resolve",
    "route",
    "step_lines",
    "summary",
    "template",
]
