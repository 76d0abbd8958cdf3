"""Hard limits that are checked before the spending they limit: a gate is one row of `GATES`.

A gate stands between a decision and what it would spend: no session may ever exceed one. All that there is to say
about a gate stands in its row, and everything else is made from the row: the key in a policy file, the flags of `run`
and `resume`, the words on the screen, what the hand-over offers, the checks of a session and the table in
`docs/gates.md`.

**The order.** The rows stand in the order in which gates are asked. At one moment only those are asked that have it
in `asked`, and the first that refuses is named: counts come before tokens, and tokens before the clock, since a
person can act on a count. A replan passes two moments: REPLAN before the replanner is asked, which costs nothing
where it refuses, and COMMIT behind the draft check, when it is known what the draft would bring.

**The reading.** A check compares one number with the limit. What the number means depends on the moment: a count of
what was spent so far must be BELOW the limit, since one more is about to be added; a sum that already holds what is
about to be spent must stay WITHIN it, equal is inside. A limit of None admits everything, one of 0 nothing.

**A new gate** is a member of `GateName` and of `Reason`, a field in `GateLimits` and `Limits`, a row here, and its
reading in `run/budget.py`. Leaving one out is an error of the import; that a page of the docs lacks its words is one of
the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from operator import le, lt
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cost import CostModel, padded
from replanctl.kinds import GateName, Preset, Reason


class GateLimits(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The limits as a policy states them: None is no limit, UNSET the preset's or the default.

    `max_seconds` is in seconds of session time, those of tokens in tokens, the rest are counts.
    """

    preset: Preset | None = None
    per_step: int | UnsetType | None = UNSET
    max_replans: int | UnsetType = UNSET
    max_replan_tokens: int | UnsetType | None = UNSET
    max_steps: int | UnsetType | None = UNSET
    max_tool_calls: int | UnsetType | None = UNSET
    max_tokens: int | UnsetType | None = UNSET
    max_seconds: float | UnsetType | None = UNSET
    max_repeat: int | UnsetType | None = UNSET


class Limits(msgspec.Struct, frozen=True, gc=False):
    """The limits in force for one session; None admits everything."""

    per_step: int | None
    max_replans: int | None
    max_replan_tokens: int | None
    max_steps: int | None
    max_tool_calls: int | None
    max_tokens: int | None
    max_seconds: float | None
    max_repeat: int | None


class Moment(Enum):
    """When a gate is asked."""

    __hash__ = object.__hash__  # there is one of each; Enum's own hash is a Python function, and every step is a moment

    PLANNING = "before v1 is planned"
    REPLAN = "before the replanner is asked"
    COMMIT = "before a draft is committed"
    STEP = "before a step starts"
    WAIT = "before a wait for a retry, as of its end"
    CALL = "before a retry or a fallback is called"
    SOLVER = "before the Solver is called"


class Bound(Enum):
    """How a reading is compared with the limit."""

    __hash__ = object.__hash__  # as in Moment

    BELOW = "<"
    WITHIN = "≤"


class Unit(Enum):
    """What a limit is counted in."""

    COUNT = "N"
    TOKENS = "TOKENS"
    SECONDS = "TIME"


class Spent(Enum):
    """By what a gate's reading grows while steps run; a gate of replans grows by none of it."""

    EXECUTIONS = "executions"
    CALLS = "calls"


LimitRule = Callable[[int, CostModel], int | float | None]
Compare = Callable[[Any, Any], bool]  # a reading, and the limit


class GateRow(msgspec.Struct, frozen=True):
    """All about one gate.

    `asked` says at which moments it is asked and how its reading is compared then. `default` and `anchored` (None:
    the same) give the limit for a v1 of so many steps; where it depends on it, `rule` and `anchored_rule` say how.
    For people: `help` of its flags, `word` for it in a line of readings, `counts` for what it counts, `refused` for why
    it ended the session. `raises` are flags that a resume may go on with (`{more}`: what the reading lacked), `look`
    commands that show why, `spent` by what its reading grows while steps run. A `least` of 1 means that 0 is no limit
    but a mistake; not every limit can be lifted by `null`. One that is `only_where_set` has no row in the result where
    there is no limit.
    """

    name: GateName
    reason: Reason
    asked: Mapping[Moment, Bound]
    default: LimitRule
    help: str
    word: str
    counts: str
    refused: str
    raises: str
    rule: str = ""
    anchored: LimitRule | None = None
    anchored_rule: str = ""
    look: tuple[str, ...] = ()
    unit: Unit = Unit.COUNT
    spent: Spent | None = None
    least: int = 0
    nullable: bool = True
    only_where_set: bool = False

    def check(self, moment: Moment, limit: int | float | None, reading: int | float) -> Check:
        """One reading against the limit, as this moment compares it."""
        return Check(self.name, limit, reading, limit is None or self.admits(moment)(reading, limit))

    def admits(self, moment: Moment) -> Compare:
        """How this moment compares a reading with a limit that is set."""
        return _COMPARED[self.asked[moment], self.unit is Unit.SECONDS]

    def rule_under(self, stated: GateLimits) -> str:
        """How the limit follows from the plan, in words; empty where it is stated, or the same for every plan."""
        if getattr(stated, self.name) is not UNSET:
            return ""
        return (stated.preset is Preset.ANCHORED and self.anchored_rule) or self.rule

    @property
    def at_a_replan(self) -> Bound | None:
        """How a replan, or the commit of its draft, compares a reading; None where neither asks this gate."""
        return self.asked.get(Moment.COMMIT) or self.asked.get(Moment.REPLAN)


class Check(msgspec.Struct, frozen=True, gc=False):
    """One reading of a gate, taken before the spending it limits."""

    gate: GateName
    limit: int | float | None
    reading: int | float
    admitted: bool


# Seconds are compared as the session's clock counts: in microseconds.
_COMPARED: dict[tuple[Bound, bool], Compare] = {
    (Bound.BELOW, False): lt,
    (Bound.WITHIN, False): le,
    (Bound.BELOW, True): lambda reading, limit: round(reading * 1_000_000) < round(limit * 1_000_000),
    (Bound.WITHIN, True): lambda reading, limit: round(reading * 1_000_000) <= round(limit * 1_000_000),
}


def _nothing(steps: int, cost: CostModel) -> None:
    """No limit, whatever the plan."""


def _half_of_the_main_flow(steps: int, cost: CostModel) -> int:
    """But never less than one padded tail with every step of v1 as a line: half the main flow of a plan of three
    steps would forbid every replan."""
    return max(cost.main_flow(steps) // 2, padded(cost.replan(done=0, lines=steps, lessons=1)))


_BELOW, _WITHIN = Bound.BELOW, Bound.WITHIN

GATES: tuple[GateRow, ...] = (
    GateRow(
        GateName.PER_STEP, Reason.STEP_BREAKER,
        asked={Moment.REPLAN: _BELOW},
        default=lambda steps, cost: 3,
        help="Replans for the same failure of a step.",
        word="this failure", counts="replans for this same failure", refused="the same failure kept coming back",
        raises="--per-step +1 --granularity tail", look=("replanctl why {step} --run {run}",),
    ),
    GateRow(
        GateName.MAX_REPLANS, Reason.REPLAN_BUDGET,
        asked={Moment.REPLAN: _BELOW},
        default=lambda steps, cost: 5,
        anchored=lambda steps, cost: max(1, steps // 2), anchored_rule="half the steps of v1, at least 1",
        help="Replans in all.",
        word="replans", counts="replans in all", refused="no replans were left",
        raises="--max-replans +2", nullable=False,
    ),
    GateRow(
        GateName.MAX_REPLAN_TOKENS, Reason.TOKEN_BUDGET,
        asked={Moment.REPLAN: _WITHIN},
        default=lambda steps, cost: 20_000,
        anchored=_half_of_the_main_flow, anchored_rule="half of the estimated main flow",
        help="Tokens for all replans.",
        word="tokens", counts="replan tokens, this one padded",
        refused="the next replan would have cost too many tokens",
        raises="--max-replan-tokens +{tokens}", look=("replanctl show {run} --ledger",), unit=Unit.TOKENS,
    ),
    GateRow(
        GateName.MAX_REPEAT, Reason.OSCILLATION,
        asked={Moment.COMMIT: _BELOW},
        default=lambda steps, cost: 1,
        help="Returns to a plan that was given up.",
        word="same plan", counts="earlier versions with this very plan",
        refused="the plan went back to one that was given up",
        raises="--max-repeat +1", look=("replanctl show {run} --lessons",), least=1,
    ),
    GateRow(
        GateName.MAX_STEPS, Reason.STEP_BUDGET,
        asked={Moment.COMMIT: _WITHIN, Moment.STEP: _BELOW},
        default=lambda steps, cost: max(12, 2 * steps), rule="12, or twice the steps of v1 where that is more",
        help="Step executions.",
        word="steps", counts="step executions", refused="no step executions were left",
        raises="--max-steps +{steps}", spent=Spent.EXECUTIONS,
    ),
    GateRow(
        GateName.MAX_TOOL_CALLS, Reason.TOOL_CALL_BUDGET,
        asked={Moment.STEP: _BELOW, Moment.WAIT: _BELOW, Moment.CALL: _BELOW},
        default=_nothing,
        anchored=lambda steps, cost: 3 * steps, anchored_rule="3 times the steps of v1",
        help="Tool calls.",
        word="calls", counts="tool calls", refused="no tool calls were left",
        raises="--max-tool-calls +{steps}", spent=Spent.CALLS,
    ),
    GateRow(
        GateName.MAX_TOKENS, Reason.SESSION_TOKEN_BUDGET,
        asked=dict.fromkeys(
            (Moment.PLANNING, Moment.REPLAN, Moment.STEP, Moment.WAIT, Moment.CALL, Moment.SOLVER), _WITHIN
        ),
        default=_nothing,
        help="Tokens in all.",
        word="all tokens", counts="tokens in all, with what comes next",
        refused="going on would have cost too many tokens in all",
        raises="--max-tokens +{more}", look=("replanctl show {run} --ledger",),
        unit=Unit.TOKENS, spent=Spent.CALLS, only_where_set=True,
    ),
    GateRow(
        GateName.MAX_SECONDS, Reason.TIME_BUDGET,
        asked={Moment.STEP: _BELOW, Moment.WAIT: _WITHIN, Moment.CALL: _BELOW},
        default=_nothing,
        help="Session time: 250ms, 30s, 2m, 1h.",
        word="time", counts="session time by then", refused="the session's time was up",
        raises="--max-seconds +{more}", unit=Unit.SECONDS,
    ),
)  # fmt: skip

GATE: dict[GateName, GateRow] = {row.name: row for row in GATES}
ORDER: dict[Moment, tuple[GateRow, ...]] = {m: tuple(row for row in GATES if m in row.asked) for m in Moment}
REASONS: dict[GateName, Reason] = {row.name: row.reason for row in GATES}  # what a session ends with

if not set(GATE) == set(GateName) == set(Limits.__struct_fields__) == set(GateLimits.__struct_fields__) - {"preset"}:
    raise TypeError("each gate has a name, a row, and a field in GateLimits and Limits")


def resolve(stated: GateLimits, steps: int, cost: CostModel) -> Limits:
    """The limits for a plan of this many steps in its first version: as stated, else the preset's, else the default."""
    return _resolved(stated, steps, cost, isinstance(stated.max_seconds, float))


@lru_cache(maxsize=64)  # a sweep asks for the same limits thousands of times; 5 and 5.0 seconds are written differently
def _resolved(stated: GateLimits, steps: int, cost: CostModel, to_a_fraction: bool) -> Limits:
    return Limits(**{row.name: _limit(row, stated, steps, cost) for row in GATES})


def _limit(row: GateRow, stated: GateLimits, steps: int, cost: CostModel) -> Any:
    value = getattr(stated, row.name)
    if value is not UNSET:
        return value
    anchored = row.anchored if stated.preset is Preset.ANCHORED else None
    return (anchored or row.default)(steps, cost)
