"""What a session has spent, whether the gates admit what it would spend next, and how one that refuses ends it.

Everything that spends asks here before: the gates of its moment in their order (`replan/gates.py`), up to the first
that refuses. The readings are the other half of a gate's row; a new gate gets its own here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

import msgspec

from replanctl.kinds import GateName, Reason
from replanctl.replan import GATE, GATES, ORDER, REASONS, Check, Compare, GateRow, Limits, Moment

if TYPE_CHECKING:
    from replanctl.replan import Left
    from replanctl.run.state import SessionState

MICROSECONDS = 1_000_000


def microseconds(seconds: float) -> int:
    """Seconds as the clock counts them."""
    return round(seconds * MICROSECONDS)


class Stop(msgspec.Struct, frozen=True):
    """Why a session ends: its reason, the same in words, and the check of the gate that refused, if one did."""

    reason: Reason
    detail: str
    gate: Check | None = None


def refusal(check: Check) -> Stop:
    """How a gate that refuses ends the session."""
    detail = f"{check.gate} comes to {check.reading}, the limit is {check.limit}"
    return Stop(REASONS[check.gate], detail, check)


class Spending(msgspec.Struct, frozen=True):
    """What is about to be spent, for the gates that are asked before it.

    `tokens` by its coefficient or formula, `steps` are executions that a draft brings, `clock` is when it would begin,
    in microseconds (None: now). A replan has `padded` tokens to be asked for, `asked` for how often this same failure
    was replanned (None: it is no failure), and `seen` for how many versions the draft returns to.
    """

    tokens: int = 0
    padded: int = 0
    steps: int = 0
    clock: int | None = None
    asked: int | None = None
    seen: Callable[[], int] | None = None


def _clock(state: SessionState, spending: Spending) -> float:
    return state.at if spending.clock is None else spending.clock / MICROSECONDS


def _in_all(state: SessionState, spending: Spending) -> int:
    """Booked, in flight and about to be spent: only a call in flight that takes more than its coefficient can carry
    a session over."""
    return state.booked + state.in_flight + (spending.padded or spending.tokens)


# Every reading is taken when it is the gate's turn and not before: between two checks of one replan a resumed session
# may be given other limits, and what an earlier check led to may have changed what a later one reads. None: the gate
# has nothing to read here, and is not asked.
_READINGS: Mapping[GateName, Callable[[SessionState, Spending], int | float | None]] = {
    GateName.PER_STEP: lambda state, spending: spending.asked,
    GateName.MAX_REPLANS: lambda state, spending: state.replans,
    GateName.MAX_REPLAN_TOKENS: lambda state, spending: state.replan_tokens + spending.padded,
    GateName.MAX_REPEAT: lambda state, spending: spending.seen() if spending.seen is not None else None,
    GateName.MAX_STEPS: lambda state, spending: state.executions + spending.steps,
    GateName.MAX_TOOL_CALLS: lambda state, spending: state.calls,
    GateName.MAX_TOKENS: _in_all,
    GateName.MAX_SECONDS: _clock,
}

if _READINGS.keys() != GATE.keys():
    raise TypeError("each gate has a reading")


def left(state: SessionState) -> Left:
    """What the limits still allow now."""
    from replanctl.replan import Left

    limits = state.limits
    return Left(
        replans=_left(limits.max_replans, state.replans),
        replan_tokens=_left(limits.max_replan_tokens, state.replan_tokens),
        steps=_left(limits.max_steps, state.executions),
        calls=_left(limits.max_tool_calls, state.calls),
        tokens=_left(limits.max_tokens, state.booked + state.in_flight),
        seconds=None if limits.max_seconds is None else max(0.0, limits.max_seconds - state.at),
    )


def _left(limit: int | None, spent: int) -> int | None:
    return None if limit is None else max(0, limit - spent)


Limit = int | float | None
Row = tuple[GateRow, Limit, Callable[["SessionState", Spending], Limit], Compare]


# Steps and calls are many, and most gates have no limit: only those that have one are asked. A sweep runs thousands of
# sessions under a handful of limits, so their tables are kept; nobody writes into them. Limits are equal whether they
# are 5 or 5.0 seconds, and written as what they are.
@lru_cache(maxsize=64)
def _tables(limits: Limits, to_a_fraction: bool) -> tuple[Mapping[GateName, Limit], Mapping[Moment, tuple[Row, ...]]]:
    """The limit of each gate, and for each moment the gates that have one."""
    limit_of: dict[GateName, Limit] = {row.name: getattr(limits, row.name) for row in GATES}
    return limit_of, {
        moment: tuple(
            (row, limit, _READINGS[row.name], row.admits(moment))
            for row in rows
            if (limit := limit_of[row.name]) is not None
        )
        for moment, rows in ORDER.items()
    }


class Budget:
    """The limits in force, looked up once, and asked in the order of the table."""

    def __init__(self) -> None:
        self._limit: Mapping[GateName, Limit] = {}
        self._set: Mapping[Moment, tuple[Row, ...]] = {}
        self.unasked: float = 0  # so many executions begin without a question: all gates but their count are open

    def apply(self, limits: Limits) -> None:
        """These limits hold from now on: also for the checks of a replan that are under way."""
        self._limit, self._set = _tables(limits, isinstance(limits.max_seconds, float))
        rows = self._set[Moment.STEP]
        counted = all(row.name is GateName.MAX_STEPS for row, *_ in rows)
        self.unasked = min((limit or 0 for _, limit, *_ in rows), default=inf) if counted else 0

    def checks(self, moment: Moment, state: SessionState, spending: Spending) -> Iterator[Check]:
        """Every check of a moment, in order; each gate is read when it is its turn."""
        for row in ORDER[moment]:
            limit = self._limit[row.name]
            if limit is None and row.only_where_set:
                continue
            if (reading := _READINGS[row.name](state, spending)) is not None:
                yield row.check(moment, limit, reading)

    def refusal(self, moment: Moment, state: SessionState, spending: Spending) -> Check | None:
        """The first gate of a moment that refuses, if one does."""
        for row, limit, read, admits in self._set[moment]:
            reading = read(state, spending)
            if reading is not None and not admits(reading, limit):
                return row.check(moment, limit, reading)
        return None

    def cut_off(self, state: SessionState) -> Check:
        """The refusal of `max_seconds` where the session's time is up while a call is running."""
        row = GATE[GateName.MAX_SECONDS]
        return Check(row.name, self._limit[row.name], state.at, False)
