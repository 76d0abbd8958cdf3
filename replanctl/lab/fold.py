"""From the events of a session to its facts, one event at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil, floor
from typing import Any

import msgspec

from replanctl.kinds import GateName, Granularity, LedgerKind, Otherwise, StepState
from replanctl.lab.facts import Doubled, Facts, Need, Stopped
from replanctl.plan import Step
from replanctl.replan import GATES, Bound
from replanctl.run import events as e


class _Ways(msgspec.Struct, frozen=True, gc=False):
    """The step of v1 that a step came from, how many alternatives that one had, and how many are left."""

    step_id: str
    of: int
    left: int


class FactFold:
    """Folds a session's events to its facts; it keeps nothing that grows with the session but calls made twice."""

    def __init__(self) -> None:
        self.seconds, self.tokens, self.remedy = 0.0, 0, 0
        self.spent = _NOTHING_SPENT.copy()
        self.calls = self.executions = self.replans = 0
        self.versions = 0
        self.depths: list[Granularity] = []
        self.rules: dict[str, None] = {}
        self.refused: dict[GateName, e.Gate] = {}
        self.fallbacks: dict[tuple[str, str], None] = {}
        self.alternatives: dict[tuple[str, int], None] = {}
        self._ways: dict[str, _Ways] = {}
        self._by_template = False
        self.gaps: set[str] = set()
        self.end: e.SessionComplete | None = None
        self._effects: dict[tuple[str, bytes], int] = {}
        self._begun: dict[str, e.StepStart] = {}
        self._once_only: frozenset[str] = frozenset()
        self._needs: dict[GateName, float] = {}
        self._coefficients: dict[LedgerKind, int] = {}
        self._tokens_asked = self._calls_asked = 0  # what a step, a call or a replan asked for beyond what it took
        self._late = 0.0  # when the last call began that took no time

    def apply(self, event: e.Event) -> None:
        """Take the next event in."""
        take = _TAKE.get(event.__class__)
        if take is not None:
            take(self, event)

    def _started(self, event: e.SessionStart) -> None:
        # Of which tools every effect is listed is said once, at the start, and not by each event.
        self._once_only = frozenset(event.once_only)
        say = event.coefficients.get
        execution, retry = say("execution", 0), say("retry", 0)
        self._coefficients = {
            LedgerKind.EXECUTION: execution,
            LedgerKind.RE_EXECUTION: execution,
            LedgerKind.RETRY: retry,
        }

    def _began(self, event: e.StepStart) -> None:
        self.executions += 1
        self._begun[event.step_id] = event

    def _fell_back(self, event: e.StepFallback) -> None:
        # Keyed by the tool that the step began with, since that is where the fallback is declared.
        self.fallbacks[self._begun[event.step_id].tool, event.tool] = None

    def _routed(self, event: e.Route) -> None:
        self.rules[event.rule] = None

    def _asked(self, event: e.Gate) -> None:
        # Kept whether the gate admitted it or not: the largest need is the smallest limit under which none of it is
        # refused.
        need = event.reading + _BELOW[event.gate]
        if need > self._needs.get(event.gate, 0):
            self._needs[event.gate] = need
        if event.gate is GateName.MAX_REPLAN_TOKENS:
            # The padded estimate is asked of the tokens in all as well, and less is booked.
            self._tokens_asked = max(
                self._tokens_asked, self.tokens + int(event.reading) - self.spent[LedgerKind.REPLAN]
            )
        if not event.admitted:
            self.refused[event.gate] = event

    def _booked(self, event: e.Ledger) -> None:
        self._book(event.kind, event.booked)
        self.replans += event.kind is LedgerKind.REPLAN

    def _completed(self, event: e.SessionComplete) -> None:
        self.end = event

    def _book(self, kind: LedgerKind, tokens: int) -> None:
        self.tokens += tokens
        self.spent[kind] += tokens
        if kind in _REMEDY:
            self.remedy += tokens

    def _committed(self, event: e.PlanCommit) -> None:
        self.versions += 1
        if event.granularity is not None:
            self.depths.append(event.granularity)
        # A gap is filled by removing its step, or by listing the step again: a new cell has no gap yet.
        if self.gaps:
            self.gaps.difference_update(event.removed)
            self.gaps.difference_update(step.id for step in event.steps)
        if event.granularity is None:
            self._ways = {
                step.id: _Ways(step.id, *[len(step.alternatives)] * 2) for step in event.steps if step.alternatives
            }
        elif self._ways:
            self._went_on(event.steps)

    def _drafted(self, event: e.PlanDraft) -> None:
        self._by_template = event.replanner == Otherwise.TEMPLATE

    def _went_on(self, steps: Iterable[Step]) -> None:
        """Which alternatives of v1 these steps take: the template takes the first that is left, and leaves the others.

        What a planner writes has alternatives of its own, or none.
        """
        for step in steps:
            before = self._ways.get(step.replaces or "") or self._ways.get(step.id)
            if before is None:
                continue
            if not self._by_template:
                self._ways.pop(step.id, None)
                continue
            left = len(step.alternatives)
            if left < before.left:
                self.alternatives[before.step_id, before.of - before.left] = None
            self._ways[step.id] = _Ways(before.step_id, before.of, left)

    def _ended(self, event: e.StepEnd) -> None:
        self.calls += len(event.attempts)
        if event.state is not StepState.SKIPPED and (not event.attempts or not event.attempts[-1].latency):
            # A step without a call is asked for one all the same, and exactly at the limit nothing begins.
            self._calls_asked = max(self._calls_asked, self.calls + (not event.attempts))
            self._late = event.at
        # The ledger books an execution by its first attempt; each further one is a retry, whichever tool it called.
        kind, args = _FIRST[event.again], b""
        for attempt in event.attempts:
            if attempt.tokens < self._coefficients[kind]:
                self._tokens_asked = max(self._tokens_asked, self.tokens + self._coefficients[kind])
            self._book(kind, attempt.tokens)
            kind = LedgerKind.RETRY
            if attempt.acted:
                # The same call is the same tool with the same args, whatever the order of their keys. Encoded only once
                # an attempt took effect: most executions of most tools never come here twice.
                args = args or _encoded(self._begun[event.step_id].args)
                key = (attempt.tool, args)
                self._effects[key] = self._effects.get(key, 0) + 1
        if event.gap:
            self.gaps.add(event.step_id)
        elif self.gaps:
            self.gaps.discard(event.step_id)

    def needs(self) -> tuple[Need, ...]:
        """What each gate that was asked read at most, and what was spent of what others count."""
        # Some gates are asked before a step and never at its end, so that the last spending has no reading of its own:
        # for these the totals stand in, and what was asked for where that was more than was spent.
        seconds = self.end.seconds if self.end is not None else 0.0
        spent = {
            GateName.MAX_STEPS: self.executions,
            GateName.MAX_TOOL_CALLS: max(self.calls, self._calls_asked),
            GateName.MAX_TOKENS: max(self.tokens, self._tokens_asked),
            GateName.MAX_SECONDS: max(ceil(seconds * 1000), floor(self._late * 1000) + 1) / 1000,
        }
        found = {**self._needs, **{gate: max(self._needs.get(gate, 0), much) for gate, much in spent.items()}}
        return tuple([Need(gate, limit) for gate, limit in found.items()])

    def effects(self) -> int:
        """How many rows the result's list of effects has."""
        once = self._once_only
        if not once:
            return len([times for times in self._effects.values() if times > 1])
        return len([1 for (tool, _), times in self._effects.items() if times > 1 or tool in once])

    def doubled(self) -> tuple[Doubled, ...]:
        """Every call that took effect more than once, the worst of each tool."""
        if max(self._effects.values(), default=0) < 2:
            return ()
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
        if self.end is None or self.end.gate is None:
            return None
        # Not the last gate that was asked: behind the breaker of one step the rest of the plan goes on.
        gate = self.refused[self.end.gate]
        return Stopped(gate.gate, gate.limit, gate.reading)


# By class: looked up once for each event of each session, which is most of what a sweep does beside running them. What
# is not here says nothing that any table asks for.
_TAKE: dict[type, Callable[[FactFold, Any], None]] = {
    e.SessionStart: FactFold._started,
    e.PlanCommit: FactFold._committed,
    e.PlanDraft: FactFold._drafted,
    e.StepStart: FactFold._began,
    e.StepFallback: FactFold._fell_back,
    e.StepEnd: FactFold._ended,
    e.Route: FactFold._routed,
    e.Gate: FactFold._asked,
    e.Ledger: FactFold._booked,
    e.SessionComplete: FactFold._completed,
}


_NOTHING_SPENT = dict.fromkeys(LedgerKind, 0)
_REMEDY = frozenset(kind for kind in LedgerKind if not kind.is_main)
_FIRST = (LedgerKind.EXECUTION, LedgerKind.RE_EXECUTION)  # by whether the lineage had made a call before
_encoded = msgspec.json.Encoder(order="deterministic").encode


# Asked at a replan or at the commit of its draft, a gate counts what was spent so far, and one more is about to be.
_BELOW = {row.name: int(row.at_a_replan is Bound.BELOW) for row in GATES}


def facts_of(events: Iterable[e.Event]) -> FactFold:
    """Fold a whole session."""
    fold, taken_by = FactFold(), _TAKE.get
    for event in events:
        if (take := taken_by(event.__class__)) is not None:
            take(fold, event)
    return fold
