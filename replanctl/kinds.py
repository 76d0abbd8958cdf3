"""Every closed list of words, once: what is stored, shown and compared is the value of one of these.

What only a command line says, its formats and when to use colour, stands in `cli/flags.py`.

Where a kind is chosen, choose with `match` and end in `assert_never`: a new member is then an error of mypy wherever it
has to be known, and not a silent default. JSON Schemas, flags and the checks of files list the members themselves.
"""

from __future__ import annotations

from enum import StrEnum


class Granularity(StrEnum):
    """How deep a replan cuts. `none` means that no replan helps: hand over to a person."""

    NONE = "none"
    PATCH = "patch"
    TAIL = "tail"
    GLOBAL = "global"


class OnFailure(StrEnum):
    """What happens once retries and fallbacks of a step are spent."""

    REPLAN = "replan"
    SKIP = "skip"
    ABORT = "abort"
    DEFER = "defer"


class StepState(StrEnum):
    """Where a step stands. `failed` covers both waiting for a replan and failed for good."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    __hash__ = str.__hash__  # the key of tables that every step looks up; Enum's own hash is a Python function


class ChangeKind(StrEnum):
    """What happened to a step from one version to another; the value is the mark it is printed with."""

    REVISED = "~"
    REWIRED = ">"
    REMOVED = "-"
    ADDED = "+"


class Coupling(StrEnum):
    """How much of what rests on a step its failure paralyses."""

    STRONG = "strong"
    WEAK = "weak"
    MIXED = "mixed"


class Status(StrEnum):
    """How one tool call ended."""

    OK = "ok"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    TOOL_ERROR = "tool_error"
    LOST = "lost"
    SHAPE = "shape"
    EMPTY = "empty"
    SEMANTIC = "semantic"
    DENIED = "denied"
    ERROR = "error"

    @property
    def took_effect(self) -> bool:
        """Whether the tool had done what it was asked when it came to this, whether the answer was heard or not."""
        return self in _TOOK_EFFECT

    @property
    def is_answer(self) -> bool:
        """Whether the tool answered, so that the agent knows that it acted."""
        return self in _TOOK_EFFECT and self is not Status.LOST

    @property
    def may_have_acted(self) -> bool:
        """Whether nobody can tell: no answer came, or a failure that says nothing of it."""
        return self in _MAY_HAVE_ACTED

    @property
    def as_heard(self) -> Status:
        """What the agent knows of it: an answer that was lost on the way is one that never came."""
        return Status.TIMEOUT if self is Status.LOST else self


# An answer means that the tool acted, whatever is wrong with it; `rate_limited`, `unavailable` and `denied` turned the
# call away; all others tell nothing. An answer that was `lost` is heard as a timeout.
_MAY_HAVE_ACTED = (Status.TIMEOUT, Status.LOST, Status.TOOL_ERROR, Status.ERROR)
_TOOK_EFFECT = (Status.OK, Status.SHAPE, Status.EMPTY, Status.SEMANTIC, Status.LOST)


class Settle(StrEnum):
    """A person's word on a call that may have happened: it did, it did not and is to be made, or it is let be."""

    DONE = "done"
    AGAIN = "again"
    SKIP = "skip"


class ErrorType(StrEnum):
    """The class of a failure. The last three are never routed: a refused draft's and a goal change's lessons and
    breakers have the first two, an execution that a gate ended has the last."""

    ENVIRONMENTAL = "environmental"
    ASSUMPTION = "assumption"
    SEMANTIC = "semantic"
    PERMISSION = "permission"
    MISSING_VAR = "missing_var"
    UNKNOWN = "unknown"
    INVALID_DRAFT = "invalid_draft"
    GOAL_CHANGED = "goal-changed"
    ABANDONED = "abandoned"


class Unreadable(StrEnum):
    """What stands in the way of a reference that can't be read: where its step stands, or what it lacks."""

    PENDING = "pending"
    FAILED = "failed"
    SKIPPED = "skipped"
    VOID = "void"
    NO_STEP = "no such step"
    NO_FIELD = "no such field"


class Health(StrEnum):
    """Whether a variable may still be used: `stale` only after a verdict, `void` not at all."""

    CLEAN = "clean"
    STALE = "stale"
    VOID = "void"


class Verdict(StrEnum):
    """What a draft says of a variable whose premises fell."""

    KEEP = "keep"
    CONVERT = "convert"
    DISCARD = "discard"


class Mode(StrEnum):
    """Whether failures replan, become gaps, or follow each step's own `on_failure` (ReWOO, arXiv:2305.18323)."""

    HYBRID = "hybrid"
    REPLAN = "replan"
    REWOO = "rewoo"
    AUTO = "auto"


class Radius(StrEnum):
    """What routing compares with `patch_radius`: all that rests on the failure, or its direct dependents."""

    TRANSITIVE = "transitive"
    DIRECT = "direct"


class Preset(StrEnum):
    """A named set of limits that depend on the plan's size."""

    ANCHORED = "anchored"


class Evict(StrEnum):
    """Which lesson goes when the book is full."""

    OLDEST = "oldest"
    BY_TYPE = "by_type"


class Otherwise(StrEnum):
    """What a scripted planner answers when no rule before this one matched."""

    GIVE_UP = "give_up"
    TEMPLATE = "template"


class GateName(StrEnum):
    """A hard limit, by its key in `policy.gates`. Everything else about it is a row of `replan/gates.py`."""

    PER_STEP = "per_step"
    MAX_REPLANS = "max_replans"
    MAX_REPLAN_TOKENS = "max_replan_tokens"
    MAX_STEPS = "max_steps"
    MAX_TOOL_CALLS = "max_tool_calls"
    MAX_TOKENS = "max_tokens"
    MAX_SECONDS = "max_seconds"
    MAX_REPEAT = "max_repeat"


class Ending(StrEnum):
    """Whether a session came to its goal."""

    COMPLETED = "completed"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a session ended. `interrupted` is what is said of one that broke off and may be taken up again."""

    GOAL_MET = "goal_met"
    GOAL_MET_WITH_GAPS = "goal_met_with_gaps"
    NO_PLAN = "no_plan"
    STEP_BUDGET = "step_budget"
    REPLAN_BUDGET = "replan_budget"
    STEP_BREAKER = "step_breaker"
    TOKEN_BUDGET = "token_budget"
    SESSION_TOKEN_BUDGET = "session_token_budget"
    TOOL_CALL_BUDGET = "tool_call_budget"
    TIME_BUDGET = "time_budget"
    OSCILLATION = "oscillation"
    ABORTED = "aborted"
    ESCALATED = "escalated"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    INTERRUPTED = "interrupted"

    @property
    def ending(self) -> Ending:
        """Whether this is a success."""
        return Ending.COMPLETED if self in _SUCCESSES else Ending.FAILED


# With gaps is met: how many are too many is the policy's to say (`solver`).
_SUCCESSES = (Reason.GOAL_MET, Reason.GOAL_MET_WITH_GAPS)


class LedgerKind(StrEnum):
    """What tokens were booked for."""

    PLANNING = "planning"
    EXECUTION = "execution"
    RE_EXECUTION = "re-execution"
    RETRY = "retry"
    REPLAN = "replan"
    SOLVER = "solver"

    @property
    def is_main(self) -> bool:
        """Whether it belongs to the main flow; the rest is remedy."""
        return self in _MAIN


_MAIN = (LedgerKind.PLANNING, LedgerKind.EXECUTION)


class RunStatus(StrEnum):
    """Where a stored run stands. A run that nobody writes any more and that has no result is `interrupted`."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    PRUNED = "pruned"  # given up: its number is all that is left
