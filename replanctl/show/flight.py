"""Executions side by side: which lane each takes, and their rows in the order in which they began.

Executions end in any order, but a person reads a plan from above: what began at one instant stands in the order of the
list. So a row waits until all that began before it are written, and what is said of its failure waits with it. Where
somebody watches real tools nothing waits: an answer that is there is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from replanctl.plan import Step
from replanctl.run import StepEnd


class Ended(NamedTuple):
    """What a row is written from; a step that was skipped ran in no lane."""

    event: StepEnd
    step: Step | None
    warnings: Sequence[str]
    lane: int | None


class _Row:
    """An execution from its start until its row is written."""

    __slots__ = ("below", "ended", "lane")

    def __init__(self, lane: int | None, ended: Ended | None = None) -> None:
        self.lane = lane
        self.ended = ended
        self.below: list[Callable[[], None]] = []


class Flight:
    """Gives `write` the ended executions in the order in which they began; `live`, in that in which they ended.

    Holds as many rows as run side by side, whatever the length of the session.
    """

    def __init__(self, write: Callable[[Ended], None], *, live: bool = False) -> None:
        self._write = write
        self._live = live
        self._rows: dict[str, _Row] = {}  # in the order in which they began
        self._free: list[int] = []  # lanes that were left, the lowest first
        self._lanes = 0

    def start(self, step_id: str) -> None:
        """An execution began: it takes the lowest lane that is free."""
        if self._free:
            lane = heappop(self._free)
        else:
            lane = self._lanes = self._lanes + 1
        self._rows[step_id] = _Row(lane)

    def end(self, event: StepEnd, step: Step | None, warnings: Sequence[str]) -> None:
        """An execution ended, or a step was skipped, or failed before it was called."""
        row = self._rows.get(event.step_id)
        if row is None:
            row = self._rows[event.step_id] = _Row(None)
        if row.lane is not None:
            heappush(self._free, row.lane)
        row.ended = Ended(event, step, warnings, row.lane)
        self._drain()

    def below(self, step_id: str, say: Callable[[], None]) -> bool:
        """Say this below the row of this step, if that waits; else it is for the caller to say."""
        row = self._rows.get(step_id)
        if row is None or row.ended is None:
            return False
        row.below.append(say)
        return True

    def flush(self) -> None:
        """Write what has ended; those that still run are written when they end."""
        for step_id in [id_ for id_, row in self._rows.items() if row.ended is not None]:
            self._out(step_id)

    def _drain(self) -> None:
        if self._live:
            self.flush()
            return
        while self._rows:
            step_id, row = next(iter(self._rows.items()))
            if row.ended is None:
                return
            self._out(step_id)

    def _out(self, step_id: str) -> None:
        row = self._rows.pop(step_id)
        assert row.ended is not None
        self._write(row.ended)
        for say in row.below:
            say()
