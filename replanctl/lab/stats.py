"""Stored runs as they went: what decided anything in them, how they ended, and what came of taking them up again."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from replanctl.kinds import LedgerKind, Reason
from replanctl.plan import exact
from replanctl.run import Event
from replanctl.run import events as e


class Decided(msgspec.Struct, frozen=True):
    """Something that decided: how often, in how many runs, and how those runs ended, by reason."""

    name: str
    times: int
    runs: int
    ends: dict[str, int]


class Stats(msgspec.Struct, frozen=True):
    """What many stored runs say together.

    `rules` are routing rules with what they decided, `gates` what they refused. Of the runs that were taken up again
    `resumed_completed` came to their goal. Of `replans` so many were `repeated`: the new version made the very call
    that had failed. `unfinished` runs have no end yet.
    """

    runs: int
    completed: int
    unfinished: int
    ends: dict[str, int]
    rules: tuple[Decided, ...]
    gates: tuple[Decided, ...]
    resumed: int
    resumed_completed: int
    replans: int
    repeated: int


# Stored runs are read one after the other and folded at once: a store of thousands takes the memory of one. Here
# nothing is run again, so that only what the runs themselves say is counted; a policy is judged by `tune`.
class RunFold:
    """What one run says: how often each rule and gate decided, how it ended, and what its replans did."""

    def __init__(self) -> None:
        self.rules: dict[str, int] = {}
        self.gates: dict[str, int] = {}
        self.end: Reason | None = None
        self.replans = self.repeated = 0
        self._begun: dict[str, bytes] = {}
        self._failed: dict[str, bytes] = {}
        self._avoid: list[bytes] = []
        self._ran = False

    def apply(self, event: Event) -> None:
        """Take the next event in."""
        match event:
            case e.Route():
                self.rules[event.rule] = self.rules.get(event.rule, 0) + 1
            case e.Gate() if not event.admitted:
                self.gates[event.gate] = self.gates.get(event.gate, 0) + 1
            case e.StepStart():
                self._ran = True
                self._begun[event.step_id] = exact({event.tool: event.args})
            case e.StepEnd() if event.attempts:
                self._called(event)
            case e.Ledger() if event.kind is LedgerKind.REPLAN:
                # One that was asked counts, whatever came of its draft.
                self.replans += 1
            case e.PlanCommit() if event.granularity is not None:
                self._committed(event)
            case e.SessionComplete():
                self.end = event.reason
            case _:
                pass

    def _committed(self, event: e.PlanCommit) -> None:
        # Replans of one wave are made one after the other before anything starts: what the first was to avoid is still
        # to be avoided under the last.
        if self._ran:
            self._avoid, self._ran = [], False
        # A replan's cause is `type@step`: the call of that step which failed is the one that the new version should not
        # make again.
        failed = self._failed.get(event.cause.partition("@")[2])
        if failed is not None:
            self._avoid.append(failed)

    def _called(self, event: e.StepEnd) -> None:
        call = self._begun.get(event.step_id, b"")
        # Once for each replan, however often the version goes on to make it.
        self.repeated += self._avoid.count(call)
        self._avoid = [each for each in self._avoid if each != call]
        if event.error is not None:
            self._failed[event.step_id] = call


_COUNTED = ("runs", "completed", "unfinished", "resumed", "resumed_completed", "replans", "repeated")


def stats(runs: Iterable[tuple[Iterable[Event], bool]]) -> Stats:
    """The statistics of runs, each given as its events and whether it was taken up again."""
    rules, gates = _Decisions(), _Decisions()
    ends: dict[str, int] = {}
    counted = dict.fromkeys(_COUNTED, 0)
    for events, resumed in runs:
        fold = RunFold()
        for event in events:
            fold.apply(event)
        completed = fold.end is not None and fold.end.ending == "completed"
        end = str(fold.end or Reason.INTERRUPTED)
        ends[end] = ends.get(end, 0) + 1
        rules.add(fold.rules, end)
        gates.add(fold.gates, end)
        counted["runs"] += 1
        counted["completed"] += completed
        counted["unfinished"] += fold.end is None
        counted["resumed"] += resumed
        counted["resumed_completed"] += resumed and completed
        counted["replans"] += fold.replans
        counted["repeated"] += fold.repeated
    return Stats(**counted, ends=_sorted(ends), rules=rules.told(), gates=gates.told())


class _Decisions:
    """How often each of several things decided, and how the runs ended in which it did."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._ends: dict[str, dict[str, int]] = {}

    def add(self, counts: dict[str, int], end: str) -> None:
        for name, times in counts.items():
            self._times[name] = self._times.get(name, 0) + times
            ends = self._ends.setdefault(name, {})
            ends[end] = ends.get(end, 0) + 1

    def told(self) -> tuple[Decided, ...]:
        """The most frequent first, equals by name."""
        names = sorted(self._times, key=lambda name: (-self._times[name], name))
        return tuple(
            Decided(name, self._times[name], sum(self._ends[name].values()), _sorted(self._ends[name]))
            for name in names
        )


def _sorted(ends: dict[str, int]) -> dict[str, int]:
    return dict(sorted(ends.items(), key=lambda item: (-item[1], item[0])))
