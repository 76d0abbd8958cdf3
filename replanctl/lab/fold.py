"""From the events of a session to its facts, one event at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from replanctl.kinds import GateName, Granularity, LedgerKind
from replanctl.lab.facts import Doubled, Facts, Need, Stopped
from replanctl.plan import Step, mentions
from replanctl.replan import GATES, Bound
from replanctl.run import events as e


class FactFold:
    """Folds a session's events to its facts; it keeps nothing that grows with the session but calls made twice."""

    def __init__(self) -> None:
        self.seconds, self.tokens, self.remedy = 0.0, 0, 0
        self.spent = dict.fromkeys(LedgerKind, 0)
        self.calls = self.executions = self.replans = 0
        self.versions = 0
        self.depths: list[Granularity] = []
        self.rules: dict[str, None] = {}
        self.refused: dict[GateName, None] = {}
        self.fallbacks: dict[tuple[str, str], None] = {}
        self.alternatives: dict[tuple[str, int], None] = {}
        self._ways: dict[str, tuple[Step, Step]] = {}  # by step: its first self with alternatives, and its last
        self.gaps: set[str] = set()
        self.last_gate: e.Gate | None = None
        self.end: e.SessionComplete | None = None
        self._effects: dict[tuple[str, bytes], int] = {}
        self._begun: dict[str, e.StepStart] = {}
        self._once_only: frozenset[str] = frozenset()
        self._needs: dict[GateName, float] = {}

    def apply(self, event: e.Event) -> None:
        """Take the next event in."""
        take = _TAKE.get(event.__class__)
        if take is not None:
            take(self, event)

    def _started(self, event: e.SessionStart) -> None:
        # Of which tools every effect is listed is said once, at the start, and not by each event.
        self._once_only = frozenset(event.once_only)

    def _began(self, event: e.StepStart) -> None:
        self.executions += 1
        self._begun[event.step_id] = event

    def _fell_back(self, event: e.StepFallback) -> None:
        # Keyed by the tool that the step began with, since that is where the fallback is declared.
        self.fallbacks[self._begun[event.step_id].tool, event.tool] = None

    def _routed(self, event: e.Route) -> None:
        self.rules[event.rule] = None

    def _asked(self, event: e.Gate) -> None:
        self.last_gate = event
        # Kept whether the gate admitted it or not: the largest need is the smallest limit under which none of it is
        # refused.
        need = event.reading + _BELOW[event.gate]
        if need > self._needs.get(event.gate, 0):
            self._needs[event.gate] = need
        if not event.admitted:
            self.refused[event.gate] = None

    def _booked(self, event: e.Ledger) -> None:
        self._book(event.kind, event.booked)
        self.replans += event.kind is LedgerKind.REPLAN

    def _completed(self, event: e.SessionComplete) -> None:
        self.end = event

    def _book(self, kind: LedgerKind, tokens: int) -> None:
        self.tokens += tokens
        self.spent[kind] += tokens
        if not kind.is_main:
            self.remedy += tokens

    def _committed(self, event: e.PlanCommit) -> None:
        self.versions += 1
        if event.granularity is not None:
            self.depths.append(event.granularity)
        # A gap is filled by removing its step, or by listing the step again: a new cell has no gap yet.
        if self.gaps:
            self.gaps.difference_update(event.removed)
            self.gaps.difference_update(step.id for step in event.steps)
        for step in event.steps:
            # A step keeps its first self through every version: an alternative is numbered as that one listed it, and a
            # later version may list fewer, or none.
            ways = self._ways
            if ways and (before := ways.get(step.replaces or "") or ways.get(step.id)) is not None:
                first, old = before
                if (old.tool_name, old.args) != (step.tool_name, step.args):
                    self._took(first, step)
                ways[step.id] = (first, step)
            elif step.alternatives:
                ways[step.id] = (step, step)

    def _took(self, first: Step, now: Step) -> None:
        """Which alternative of its first step a step with another call took, if it did."""
        for number, way in enumerate(first.alternatives):
            tool, args = way.tool or first.tool_name, first.args if way.args is None else way.args
            if tool == now.tool_name and (args == now.args or mentions(args)):  # references are renamed on the way
                self.alternatives[first.id, number] = None

    def _ended(self, event: e.StepEnd) -> None:
        self.calls += len(event.attempts)
        args = b""
        for number, attempt in enumerate(event.attempts):
            # The ledger books an execution by its first attempt; each further one is a retry, whichever tool it called.
            first = LedgerKind.RE_EXECUTION if event.again else LedgerKind.EXECUTION
            self._book(first if number == 0 else LedgerKind.RETRY, attempt.tokens)
            if attempt.acted:
                # The same call is the same tool with the same args, whatever the order of their keys. Encoded only once
                # an attempt took effect: most executions of most tools never come here twice.
                args = args or msgspec.json.encode(self._begun[event.step_id].args, order="deterministic")
                key = (attempt.tool, args)
                self._effects[key] = self._effects.get(key, 0) + 1
        if event.gap:
            self.gaps.add(event.step_id)
        elif self.gaps:
            self.gaps.discard(event.step_id)

    def needs(self) -> tuple[Need, ...]:
        """What each gate that was asked read at most, and what was spent of what others count."""
        # Some gates are asked before a step and never at its end, so that the last spending has no reading of its own:
        # for these the totals stand in.
        spent = {
            GateName.MAX_STEPS: self.executions,
            GateName.MAX_TOOL_CALLS: self.calls,
            GateName.MAX_TOKENS: self.tokens,
            GateName.MAX_SECONDS: self.end.seconds if self.end is not None else 0,
        }
        found = {**self._needs, **{gate: max(self._needs.get(gate, 0), much) for gate, much in spent.items()}}
        return tuple(Need(gate, limit) for gate, limit in found.items())

    def effects(self) -> int:
        """How many rows the result's list of effects has."""
        once = self._once_only
        return len([1 for (tool, _), times in self._effects.items() if times > 1 or tool in once])

    def doubled(self) -> tuple[Doubled, ...]:
        """Every call that took effect more than once, the worst of each tool."""
        worst: dict[str, int] = {}
        for (tool, _), times in self._effects.items():
            if times > 1:
                worst[tool] = max(worst.get(tool, 0), times)
        return tuple(Doubled(tool, times) for tool, times in worst.items())

    def facts(
        self,
        key: tuple[str, ...],
        *,
        planner: tuple[int, ...] = (),
        outcomes: tuple[int, ...] = (),
        unlanded: tuple[str, ...] = (),
    ) -> Facts:
        """The facts of a session that came to its end; the planner's and the script's rules that were used are told."""
        end = self.end
        assert end is not None  # a session always comes to its end
        return Facts(
            key=key,
            status=end.status,
            reason=end.reason,
            seconds=end.seconds,
            tokens=self.tokens,
            remedy=self.remedy,
            calls=self.calls,
            executions=self.executions,
            replans=self.replans,
            versions=self.versions,
            depths=tuple(self.depths),
            gaps=len(self.gaps),
            stopped=self.stopped(),
            doubled=self.doubled(),
            rules=tuple(self.rules),
            refused=tuple(self.refused),
            fallbacks=tuple(self.fallbacks),
            alternatives=tuple(self.alternatives),
            planner=planner,
            outcomes=outcomes,
            unlanded=unlanded,
            effects=self.effects(),
            needs=self.needs(),
            spent=tuple(self.spent.values()),
        )

    def stopped(self) -> Stopped | None:
        """The gate that ended the session, if one did."""
        end, gate = self.end, self.last_gate
        if end is None or end.gate is None or gate is None:
            return None
        return Stopped(end.gate, gate.limit, gate.reading)


# By class: looked up once for each event of each session, which is most of what a sweep does beside running them. What
# is not here says nothing that any table asks for.
_TAKE: dict[type, Callable[[FactFold, Any], None]] = {
    e.SessionStart: FactFold._started,
    e.PlanCommit: FactFold._committed,
    e.StepStart: FactFold._began,
    e.StepFallback: FactFold._fell_back,
    e.StepEnd: FactFold._ended,
    e.Route: FactFold._routed,
    e.Gate: FactFold._asked,
    e.Ledger: FactFold._booked,
    e.SessionComplete: FactFold._completed,
}


# Asked at a replan or at the commit of its draft, a gate counts what was spent so far, and one more is about to be.
_BELOW = {row.name: int(row.at_a_replan is Bound.BELOW) for row in GATES}


def facts_of(events: Iterable[e.Event]) -> FactFold:
    """Fold a whole session."""
    fold, taken_by = FactFold(), _TAKE.get
    for event in events:
        if (take := taken_by(event.__class__)) is not None:
            take(fold, event)
    return fold
