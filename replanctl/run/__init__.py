"""One session: its events, its order of business, and the result folded from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.kinds import Mode
from replanctl.lazy import lazily
from replanctl.run import events
from replanctl.run.events import (
    AnyEvent,
    Event,
    Gate,
    GoalChanged,
    Ledger,
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

if TYPE_CHECKING:
    from replanctl.run.accounts import Doubt, doubts
    from replanctl.run.amendments import Amendment, NewInputs, Script, Settlement
    from replanctl.run.engine import Session
    from replanctl.run.figures import Compared, Figures, RunsDiff
    from replanctl.run.given import check_goal, check_specs, own_steps
    from replanctl.run.handover import error_in_words
    from replanctl.run.interruptions import Interruption
    from replanctl.run.policy import Policy, RetryPolicy, SolverPolicy, check_limit, check_policy
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
    from replanctl.run.resume import call_cut_off, where_to_cut
    from replanctl.run.said import Said, described
    from replanctl.run.schema import DIALECT, Schema, event_schema, in_json_words, result_schema
    from replanctl.run.settle_flag import UnsettledError, Word, settlements, ways, word
    from replanctl.run.story import Blocker, ExecutionStory, Story, VersionStory, step_ids, story_of
    from replanctl.run.tools import Attempt, Call, Outcome, Started, StepError, Tools, listed
    from replanctl.run.written import plan_warnings
else:
    __getattr__ = lazily(
        __name__,
        {
            "accounts": ("Doubt", "doubts"),
            "amendments": ("Amendment", "NewInputs", "Script", "Settlement"),
            "engine": ("Session",),
            "figures": ("Compared", "Figures", "RunsDiff"),
            "given": ("check_goal", "check_specs", "own_steps"),
            "handover": ("error_in_words",),
            "interruptions": ("Interruption",),
            "policy": ("Policy", "RetryPolicy", "SolverPolicy", "check_limit", "check_policy"),
            "reopening": ("RESUME",),
            "requests": ("RequestListener",),
            "result": (
                "ExecutionView",
                "Gap",
                "GateView",
                "HandOver",
                "LedgerLine",
                "LessonView",
                "Revision",
                "RouteView",
                "SCHEMA_VERSION",
                "SessionResult",
                "SignalView",
                "StepView",
                "VariableView",
                "VersionView",
            ),
            "resume": ("call_cut_off", "where_to_cut"),
            "said": ("Said", "described"),
            "schema": ("DIALECT", "Schema", "event_schema", "in_json_words", "result_schema"),
            "settle_flag": ("UnsettledError", "Word", "settlements", "ways", "word"),
            "story": ("Blocker", "ExecutionStory", "Story", "VersionStory", "step_ids", "story_of"),
            "tools": ("Attempt", "Call", "Outcome", "Started", "StepError", "Tools", "listed"),
            "written": ("plan_warnings",),
        },
    )

__all__ = [
    "Amendment",
    "AnyEvent",
    "Attempt",
    "Blocker",
    "Call",
    "Compared",
    "DIALECT",
    "Doubt",
    "Event",
    "ExecutionStory",
    "ExecutionView",
    "Figures",
    "Gap",
    "Gate",
    "GateView",
    "GoalChanged",
    "HandOver",
    "Interruption",
    "Ledger",
    "LedgerLine",
    "LessonLearned",
    "LessonView",
    "Mode",
    "NewInputs",
    "Outcome",
    "PlanCommit",
    "PlanDiffed",
    "PlanDraft",
    "PlanRejected",
    "Policy",
    "RESUME",
    "RequestListener",
    "ResultFold",
    "RetryPolicy",
    "Revision",
    "Route",
    "RouteView",
    "SCHEMA_VERSION",
    "Said",
    "Schema",
    "Script",
    "RunsDiff",
    "Session",
    "SessionComplete",
    "SessionResult",
    "SessionStart",
    "Settlement",
    "Signal",
    "SignalView",
    "SolverCalled",
    "SolverPolicy",
    "Started",
    "StepEnd",
    "StepError",
    "StepFallback",
    "StepRetry",
    "StepSettled",
    "StepStart",
    "StepView",
    "Story",
    "Tools",
    "UnsettledError",
    "VariableHealth",
    "VariableView",
    "VersionStory",
    "VersionView",
    "Word",
    "call_cut_off",
    "check_goal",
    "check_limit",
    "check_policy",
    "check_specs",
    "doubts",
    "error_in_words",
    "described",
    "event_schema",
    "events",
    "fold",
    "in_json_words",
    "listed",
    "own_steps",
    "plan_warnings",
    "result_schema",
    "settlements",
    "step_ids",
    "story_of",
    "ways",
    "where_to_cut",
    "word",
]
