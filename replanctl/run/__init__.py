"""One session: its events, its order of business, and the result folded from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import Mode
from replanctl.lazy import lazily
from replanctl.run import events
from replanctl.run.engine import NewInputs, Session
from replanctl.run.events import (
    AnyEvent,
    Event,
    Gate,
    GoalChanged,
    LessonLearned,
    PlanCommit,
    PlanDiffed,
    PlanDraft,
    PlanRejected,
    Route,
    SessionComplete,
    SessionStart,
    Signal,
    SolverCalled,
    StepEnd,
    StepFallback,
    StepRetry,
    StepSettled,
    StepStart,
    VariableHealth,
)
from replanctl.run.fold import ResultFold, fold
from replanctl.run.given import check_goal, check_limit, check_policy, own_steps
from replanctl.run.handover import error_in_words
from replanctl.run.interruptions import Interruption
from replanctl.run.policy import Policy, RetryPolicy, SolverPolicy
from replanctl.run.reopening import RESUME
from replanctl.run.requests import RequestListener
from replanctl.run.result import (
    SCHEMA_VERSION,
    ExecutionView,
    Gap,
    GateView,
    HandOver,
    LedgerLine,
    LessonView,
    Revision,
    RouteView,
    SessionResult,
    SignalView,
    StepView,
    VariableView,
    VersionView,
)
from replanctl.run.resume import Amendment, Script, call_cut_off, where_to_cut
from replanctl.run.settlements import UnsettledError, Word, settlements, ways, word
from replanctl.run.settling import Doubt, Settlement, doubts
from replanctl.run.tools import Attempt, Call, Outcome, Started, StepError, Tools
from replanctl.run.written import plan_warnings

if TYPE_CHECKING:
    from replanctl.run.schema import DIALECT, Schema, event_schema, in_json_words, result_schema
    from replanctl.run.story import Blocker, ExecutionStory, Story, VersionStory, step_ids, story_of
else:
    __getattr__ = lazily(
        __name__,
        {
            "schema": ("DIALECT", "Schema", "event_schema", "in_json_words", "result_schema"),
            "story": ("Blocker", "ExecutionStory", "VersionStory", "Story", "step_ids", "story_of"),
        },
    )

__all__ = [
    "SessionComplete",
    "LessonView",
    "check_goal",
    "check_limit",
    "check_policy",
    "own_steps",
    "plan_warnings",
    "events",
    "Amendment",
    "AnyEvent",
    "Attempt",
    "Blocker",
    "Call",
    "NewInputs",
    "VersionStory",
    "ExecutionStory",
    "ExecutionView",
    "Interruption",
    "DIALECT",
    "Event",
    "Gap",
    "Gate",
    "GateView",
    "GoalChanged",
    "HandOver",
    "error_in_words",
    "LedgerLine",
    "LessonLearned",
    "Mode",
    "Outcome",
    "PlanCommit",
    "PlanDiffed",
    "PlanDraft",
    "PlanRejected",
    "Policy",
    "RESUME",
    "RequestListener",
    "ResultFold",
    "SCHEMA_VERSION",
    "RetryPolicy",
    "Revision",
    "Route",
    "RouteView",
    "Schema",
    "Script",
    "Session",
    "SessionResult",
    "SessionStart",
    "Signal",
    "SignalView",
    "Doubt",
    "UnsettledError",
    "Word",
    "settlements",
    "ways",
    "word",
    "Settlement",
    "StepSettled",
    "doubts",
    "SolverCalled",
    "SolverPolicy",
    "Started",
    "StepEnd",
    "StepError",
    "StepFallback",
    "StepRetry",
    "StepStart",
    "StepView",
    "Story",
    "Tools",
    "VariableHealth",
    "VariableView",
    "VersionView",
    "call_cut_off",
    "event_schema",
    "fold",
    "in_json_words",
    "result_schema",
    "step_ids",
    "story_of",
    "where_to_cut",
]
