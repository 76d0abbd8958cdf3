"""What `tune` should say, worked out by running every session under every limit that makes a difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from replanctl.host import Case
from replanctl.run import Policy
from tests.lab.brute import Ran, ran, replace

FOR_EVER = 300  # replans that stand for no limit of them
MOST = {
    "per_step": FOR_EVER, "max_replans": FOR_EVER, "max_repeat": FOR_EVER, "max_steps": 2000, "max_tool_calls": 2000,
    "max_replan_tokens": 300_000, "max_tokens": 300_000, "max_seconds": 600_000,
}  # fmt: skip
NOTHING = {"max_repeat": 1}


class Session:
    """One session of a corpus, which can be run under any limit of one gate; seconds are counted in thousandths."""

    def __init__(self, of: Case) -> None:
        self.name, self.solved, self._of = of.name, of.solved, of
        self.under = cache(self._under)
        self.stretches = cache(self._stretches)
        self.now = ran(of.rehearsal, lessons=of.lessons)

    def _under(self, gate: str, limit: int) -> Ran:
        policy = limited(self._of.rehearsal.policy, gate, limit / 1000 if gate == "max_seconds" else limit)
        return ran(self._of.rehearsal, policy=policy, lessons=self._of.lessons)

    def lifted(self, gate: str) -> Ran:
        """Run with the gate lifted; replans can't be without end."""
        policy = limited(self._of.rehearsal.policy, gate, FOR_EVER if gate == "max_replans" else None)
        return ran(self._of.rehearsal, policy=policy, lessons=self._of.lessons)

    def _stretches(self, gate: str) -> list[tuple[int, bool]]:
        """From which limit on it goes otherwise, and whether it completes there."""
        low, high = NOTHING.get(gate, 0), MOST[gate]
        found = [low, *self._changes(gate, low, high)]
        return [(limit, self.under(gate, limit).completed) for limit in found]

    def _changes(self, gate: str, low: int, high: int) -> list[int]:
        if told(self.under(gate, low)) == told(self.under(gate, high)):
            return []
        if high - low == 1:
            return [high]
        middle = (low + high) // 2
        return [*self._changes(gate, low, middle), *self._changes(gate, middle, high)]

    def completes(self, gate: str, limit: int) -> bool:
        """Whether it completes under this limit."""
        return [fine for start, fine in self.stretches(gate) if start <= limit][-1]


def limited(policy: Policy, gate: str, limit: Any) -> Policy:
    """The policy with one other limit."""
    return replace(policy, gates=replace(policy.gates, **{gate: limit}))


def told(one: Ran) -> Any:
    """What comes of a session; how long a call was that a limit cut off is left out."""
    doc = one.doc
    tries = [(row["step_id"], row["status"], [a["tool"] for a in row["attempts"]]) for row in doc["history"]]
    return [doc["status"], doc["reason"], doc["versions"], tries, doc["ledger"]["totals"]]


class Found(msgspec.Struct, frozen=True):
    """One gate over a corpus: `freed` by name with the smallest limit and the tokens more, and the limit for all."""

    stopped: list[str]
    freed: dict[str, tuple[Any, int]]
    solved: int
    proposed: Any


def tuned(sessions: Sequence[Session], gate: str) -> Found:
    """What the gate did to these sessions."""
    scale = 1000 if gate == "max_seconds" else 1
    stopped = [one for one in sessions if one.now.stopped_by == gate]
    freed = {one.name: (limit / scale if scale > 1 else limit, one.under(gate, limit).tokens - one.now.tokens)
             for one in stopped if (limit := smallest(one, gate, scale)) is not None}  # fmt: skip
    worth = [one for one in stopped if one.name in freed and one.solved is not False]
    kept = [one for one in sessions if one.now.completed]
    starts = sorted({start for one in [*worth, *kept] for start, _ in one.stretches(gate)}) if worth else []
    fits = (limit for limit in starts if all(one.completes(gate, limit) for one in [*worth, *kept]))
    proposed = next(fits, None)
    return Found(
        [one.name for one in stopped],
        freed,
        sum(one.solved is True for one in stopped),
        proposed / scale if proposed is not None and scale > 1 else proposed,
    )


def smallest(one: Session, gate: str, scale: int) -> int | None:
    """The smallest limit above the one that stopped it under which it completes."""
    above = round((one.now.limit or 0) * scale)
    return next((limit for limit, fine in one.stretches(gate) if fine and limit > above), None)


def completes(sessions: Sequence[Session], gate: str, limit: Any) -> int:
    """How many of all sessions complete under this limit."""
    return sum(one.under(gate, round(limit * 1000) if gate == "max_seconds" else limit).completed for one in sessions)
