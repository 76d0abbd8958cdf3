"""What many sessions come to: of one plan under every fault by how they ended, of one lane by what they cost."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.kinds import Reason
from replanctl.lab.facts import Facts


class Totals(msgspec.Struct, frozen=True):
    """Sessions by how they ended. `absorbed` met the goal without a replan, `by_replans` with some."""

    sessions: int
    completed: int
    absorbed: int
    by_replans: int
    with_gaps: int
    handed_over: int
    stopped: int


# Both totals are counted session by session and never by walking a table: a matrix with pairs does not keep its pairs,
# and a comparison keeps only cases that differ.
class TotalsFold:
    """Counts sessions by how they ended."""

    def __init__(self) -> None:
        self.sessions = self.met = self.absorbed = self.gaps = self.handed_over = 0

    def apply(self, one: Facts) -> None:
        """Take a session in."""
        self.sessions += 1
        self.met += one.reason is Reason.GOAL_MET
        self.absorbed += one.reason is Reason.GOAL_MET and not one.replans
        self.gaps += one.reason is Reason.GOAL_MET_WITH_GAPS
        self.handed_over += one.reason is Reason.ESCALATED

    def add(self, many: Totals) -> None:
        """Add the totals of another plan."""
        self.sessions += many.sessions
        self.met += many.absorbed + many.by_replans
        self.absorbed += many.absorbed
        self.gaps += many.with_gaps
        self.handed_over += many.handed_over

    def totals(self) -> Totals:
        """The totals of the sessions taken in so far."""
        completed = self.met + self.gaps
        # What did neither complete nor hand over was stopped: by a gate, an abort, or for want of a plan.
        stopped = self.sessions - completed - self.handed_over
        by_replans = self.met - self.absorbed
        return Totals(self.sessions, completed, self.absorbed, by_replans, self.gaps, self.handed_over, stopped)


class LaneTotals(msgspec.Struct, frozen=True):
    """What a lane came to over all cases. Seconds of session time, tokens as booked."""

    lane: str
    sessions: int
    completed: int
    with_gaps: int
    gaps: int
    calls: int
    replans: int
    tokens: int
    seconds: float
    effects: int


class LaneFold:
    """Counts what a lane came to."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sums = dict.fromkeys(LaneTotals.__struct_fields__[1:], 0)
        self._microseconds = 0

    def apply(self, one: Facts) -> None:
        """Take a session in."""
        sums = self._sums
        sums["sessions"] += 1
        sums["completed"] += one.completed
        sums["with_gaps"] += one.reason is Reason.GOAL_MET_WITH_GAPS
        for name in ("gaps", "calls", "replans", "tokens", "effects"):
            sums[name] += getattr(one, name)
        # Summed as whole microseconds, as the session's clock counts: sums of floats drift with their number.
        self._microseconds += round(one.seconds * 1_000_000)

    def totals(self) -> LaneTotals:
        """The totals of the lane so far."""
        sums: dict[str, Any] = {**self._sums, "seconds": self._microseconds / 1_000_000}
        return LaneTotals(lane=self._name, **sums)
