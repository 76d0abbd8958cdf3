"""Hard limits that are checked before the spending they limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cost import CostModel, padded
from replanctl.kinds import GateName, Preset, Reason


class GateLimits(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The limits as a policy states them: None is no limit, UNSET the preset's or the default.

    `max_seconds` is in seconds of session time, `max_replan_tokens` in tokens, the rest are counts.
    """

    preset: Preset | None = None
    per_step: int | UnsetType | None = UNSET
    max_replans: int | UnsetType = UNSET
    max_replan_tokens: int | UnsetType | None = UNSET
    max_steps: int | UnsetType | None = UNSET
    max_tool_calls: int | UnsetType | None = UNSET
    max_seconds: float | UnsetType | None = UNSET
    max_repeat: int | UnsetType | None = UNSET


class Limits(msgspec.Struct, frozen=True, gc=False):
    """The limits in force for one session; None admits everything."""

    per_step: int | None = 3
    max_replans: int | None = 5
    max_replan_tokens: int | None = 20_000
    max_steps: int | None = 12
    max_tool_calls: int | None = None
    max_seconds: float | None = None
    max_repeat: int | None = 1


# The reason a session ends with when a gate stops it.
REASONS: dict[GateName, Reason] = {
    GateName.PER_STEP: Reason.STEP_BREAKER,
    GateName.MAX_REPLANS: Reason.REPLAN_BUDGET,
    GateName.MAX_REPLAN_TOKENS: Reason.TOKEN_BUDGET,
    GateName.MAX_STEPS: Reason.STEP_BUDGET,
    GateName.MAX_TOOL_CALLS: Reason.TOOL_CALL_BUDGET,
    GateName.MAX_SECONDS: Reason.TIME_BUDGET,
    GateName.MAX_REPEAT: Reason.OSCILLATION,
}


def resolve(stated: GateLimits, steps: int, cost: CostModel) -> Limits:
    """The limits for a plan of this many steps in its first version: as stated, else the preset's, else the default."""
    base = Limits(max_steps=max(12, 2 * steps))
    if stated.preset is Preset.ANCHORED:
        base = _anchored(base, steps, cost)
    values = {name: getattr(stated, name) for name in REASONS}
    return msgspec.structs.replace(base, **{name: v for name, v in values.items() if v is not UNSET})


def _anchored(base: Limits, steps: int, cost: CostModel) -> Limits:
    """Limits in proportion to the plan. The token limit has a floor: half the main flow of a plan of three steps
    would forbid every replan."""
    floor = padded(cost.replan(done=0, lines=steps, lessons=1))
    return msgspec.structs.replace(
        base,
        max_replans=max(1, steps // 2),
        max_replan_tokens=max(cost.main_flow(steps) // 2, floor),
        max_tool_calls=3 * steps,
    )


def left_open(stated: GateLimits) -> tuple[str, ...]:
    """What a preset leaves to a person to say, as warnings."""
    if stated.preset is Preset.ANCHORED and stated.max_seconds is UNSET:
        return ("the preset anchored sets no max_seconds: ask the user how long a session may take",)
    return ()


class Check(msgspec.Struct, frozen=True, gc=False):
    """One reading of a gate, taken before the spending it limits."""

    gate: GateName
    limit: int | float | None
    reading: int | float
    admitted: bool


class BudgetGate(msgspec.Struct, frozen=True, gc=False):
    """A ceiling on a sum. `check(reading)` admits what stays within the limit (`reached` false: below it)."""

    gate: GateName
    limit: int | float | None
    reached: bool = True

    def check(self, reading: int | float) -> Check:
        """Whether this reading is inside; a limit of None always admits, a limit of 0 nothing."""
        limit = self.limit
        admitted = limit is None or (reading <= limit if self.reached else reading < limit)
        return Check(self.gate, limit, reading, admitted)


class ReplanBreaker:
    """Stops the same failure from being replanned over and over: so many replans per lineage and error type.

    The counts start afresh when the goal changes.
    """

    def __init__(self, per_step: int | None = 3) -> None:
        self.per_step = per_step
        self._asked: dict[tuple[str, str], int] = {}

    def check(self, lineage: str, error_type: str) -> Check:
        """Whether this lineage (the id of its first step) may be replanned for this error type once more."""
        return BudgetGate(GateName.PER_STEP, self.per_step, reached=False).check(
            self._asked.get((lineage, error_type), 0)
        )

    def record(self, lineage: str, error_type: str) -> None:
        """A replanner was asked, whatever came back."""
        self._asked[lineage, error_type] = self._asked.get((lineage, error_type), 0) + 1

    def forget(self) -> None:
        """The goal changed."""
        self._asked.clear()


Sequenced = Callable[[], Sequence[tuple[str, str]]]


class OscillationGuard:
    """Refuses the return to an abandoned plan: a draft whose open steps have the (action, tool) sequence of an
    earlier version. The version being replaced is not counted: the same plan again is lack of progress.

    A fingerprint is a key that two equal sequences share and the sequence itself, which is only asked for when the
    keys meet, so that a check costs nothing that grows with the plan.
    """

    def __init__(self, max_repeat: int | None = 1) -> None:
        self.max_repeat = max_repeat
        self._abandoned: dict[int, list[Sequenced]] = {}
        self._current: tuple[int, Sequenced] | None = None

    def check(self, key: int, sequence: Sequenced) -> Check:
        """How many abandoned versions this draft equals, and whether that is admitted."""
        met = self._abandoned.get(key, ())
        same_again = self._current is not None and self._current[0] == key and self._current[1]() == sequence()
        reading = 0 if same_again or not met else sum(earlier() == sequence() for earlier in met)
        return BudgetGate(GateName.MAX_REPEAT, self.max_repeat, reached=False).check(reading)

    def replace(self, key: int, sequence: Sequenced) -> None:
        """The version with this fingerprint is about to be replaced; it becomes an abandoned one afterwards."""
        self._current = (key, sequence)

    def commit(self) -> None:
        """The replacement is in force."""
        if self._current is not None:
            self._abandoned.setdefault(self._current[0], []).append(self._current[1])
            self._current = None

    def forget(self) -> None:
        """The goal changed: versions made for an earlier goal do not count."""
        self._abandoned.clear()
        self._current = None


def fingerprint(steps: Iterable[tuple[str, str]]) -> int:
    """A key that equal (action, tool) sequences share; it can be kept up step by step with + and -."""
    return sum(map(hash, steps))
