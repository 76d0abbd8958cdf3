"""What the fold counts as events come in: the ledger, what the session did to the world, and which calls it leaves in
doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from operator import itemgetter
from typing import Any

import msgspec

from replanctl.kinds import LedgerKind
from replanctl.plan import Step, exact
from replanctl.run import events as e
from replanctl.run.result import EffectView, Gap, LedgerLine, LedgerTotals, LedgerView

_EXECUTION, _RE_EXECUTION, _RETRY = LedgerKind.EXECUTION, LedgerKind.RE_EXECUTION, LedgerKind.RETRY

CallBegins = e.StepStart | e.StepRetry | e.StepFallback


# A line stands where its call began, although what it cost is known only when it ends. Where steps run side by side the
# order of the beginnings is the plan's; the order of the ends is up to the tools, and a ledger that followed it would
# read differently for every latency in the script.
class Bookings:
    """The ledger, folded from events: one line for each call, plan, replan and Solver call, in tokens.

    `coefficients` are what a call is estimated at.
    """

    def __init__(self) -> None:
        self.coefficients: dict[str, int] = {}
        self._lines: list[tuple[int, LedgerLine]] = []  # each with the `seq` of the event with which it began

    def ended(self, event: e.StepEnd, calls: Iterable[CallBegins]) -> None:
        """An execution ended: now the tokens of its calls are known."""
        kind = _RE_EXECUTION if event.again else _EXECUTION
        estimated = self.coefficients.get("execution", 0)
        for call, attempt in zip(calls, event.attempts, strict=True):
            line = LedgerLine(kind, event.version, event.step_id, None, estimated, attempt.tokens)
            self._lines.append((call.seq, line))
            kind, estimated = _RETRY, self.coefficients.get("retry", 0)

    def booked(self, event: e.Ledger) -> None:
        """Add the line of a plan, a replan or the Solver: these book in an event of their own."""
        line = LedgerLine(event.kind, event.version, event.step_id, event.granularity, event.estimated, event.booked)
        self._lines.append((event.seq, line))

    def view(self) -> LedgerView:
        """Every booking so far, and the sums."""
        lines = tuple([line for _, line in sorted(self._lines, key=itemgetter(0))])
        return LedgerView(lines, totals(lines))


def totals(lines: Iterable[LedgerLine]) -> LedgerTotals:
    """The sums of a ledger, in tokens: main is planning and first executions, remedy everything else."""
    booked = dict.fromkeys(LedgerKind, 0)
    for line in lines:
        booked[line.kind] += line.booked
    main = sum(tokens for kind, tokens in booked.items() if kind.is_main)
    remedy = sum(booked.values()) - main
    return LedgerTotals(main, remedy, main + remedy, round(remedy / main, 4) if main else 0.0)


_Acted = tuple[int, str, str, str, dict[str, Any]]  # seq, version, step, tool, args


# An effect is what a call did, not what was heard of it: a call whose answer is lost counts, one that was refused does
# not. So effects are taken from `acted`, which the attempt carries, and never from its status.
class Effects:
    """Counts the calls that took effect, folded from events. `once_only` are the tools that act on the world."""

    def __init__(self) -> None:
        self.once_only: Set[str] = frozenset()
        self._acted: list[_Acted] = []

    def ended(self, event: e.StepEnd, calls: Iterable[CallBegins], args: dict[str, Any]) -> None:
        """Note which calls of an execution took effect; effects are listed in the order in which their calls began."""
        for call, attempt in zip(calls, event.attempts, strict=False):
            if attempt.acted:
                self._acted.append((call.seq, call.version, event.step_id, attempt.tool, args))

    def rows(self) -> tuple[EffectView, ...]:
        """One row for each call of a once-only tool that took effect, and for each other that did more than once; in
        the order in which the first of each began."""
        once_only = self.once_only
        alike: dict[tuple[str, bytes], list[_Acted]] = {}
        for acted in sorted(self._acted, key=itemgetter(0)):
            alike.setdefault((acted[3], exact(acted[4])), []).append(acted)
        # The first of equal calls gives the row its place and its step; later ones only count.
        rows = [(calls[0], len(calls)) for calls in alike.values() if len(calls) > 1 or calls[0][3] in once_only]
        return tuple([EffectView(tool, args, id_, version, times) for (_, version, id_, tool, args), times in rows])


def close_gap(gaps: dict[str, Gap], step_id: str) -> None:
    """A step that a person has settled is no gap any more, nor is what had nothing but gaps for it."""
    if gaps.pop(step_id, None) is not None:
        for blocked in [gap.step_id for gap in gaps.values() if step_id in gap.blocked_by]:
            close_gap(gaps, blocked)


class Doubt(msgspec.Struct, frozen=True):
    """A call that may have happened, and that nobody has settled: the `call`-th of its step, which stood as `step`, by
    the `seq` of the event with which it began."""

    step: Step
    tool: str
    began: int
    call: int = 1


# Only a tool that is declared not idempotent can leave a call in doubt, so a session without one pays nothing for this.
# An execution leaves its last call in doubt, and no earlier one: after an answer that may have acted it does not try
# again. The very last call is held apart, because the process may have died between it and the event that would tell.
class Doubts:
    """Takes a session's events in, and says which calls they leave in doubt."""

    def __init__(self) -> None:
        self.once_only: frozenset[str] = frozenset()
        self._steps: dict[str, Step] = {}
        self._began: dict[str, Doubt] = {}  # by step, the last call of an execution under way
        self._open: dict[int, Doubt] = {}
        self._last: Doubt | None = None  # a call that nothing has come after

    def apply(self, event: e.Event) -> None:
        """Take one event in."""
        if type(event) is e.SessionStart:
            self.once_only = frozenset(event.once_only)
        elif self.once_only:
            self._last = None
            if (handler := _HANDLERS.get(type(event))) is not None:
                handler(self, event)

    def _commit(self, event: e.PlanCommit) -> None:
        self._steps.update((step.id, step) for step in (*event.steps, *event.amended))

    def _begin(self, event: e.StepStart | e.StepRetry | e.StepFallback) -> None:
        self._began.pop(event.step_id, None)
        if event.tool in self.once_only:
            self._last = self._began[event.step_id] = Doubt(self._steps[event.step_id], event.tool, event.seq)

    def _end(self, event: e.StepEnd) -> None:
        doubt = self._began.pop(event.step_id, None)
        if doubt is not None and event.attempts and event.attempts[-1].status.may_have_acted:
            self._open[doubt.began] = doubt

    def _settle(self, event: e.StepSettled) -> None:
        del self._open[event.began]

    def open(self, *, broken_off: bool = False) -> tuple[Doubt, ...]:
        """The calls in doubt, in the order they began. `broken_off`: also the one that was cut off with the session."""
        found = dict(self._open)
        if broken_off and self._last is not None:
            found[self._last.began] = self._last
        counts: dict[str, int] = {}
        numbered = []
        for _, doubt in sorted(found.items()):
            counts[doubt.step.id] = counts.get(doubt.step.id, 0) + 1
            numbered.append(msgspec.structs.replace(doubt, call=counts[doubt.step.id]))
        return tuple(numbered)


_HANDLERS: dict[type[e.Event], Callable[[Doubts, Any], None]] = {
    e.PlanCommit: Doubts._commit,
    e.StepStart: Doubts._begin,
    e.StepRetry: Doubts._begin,
    e.StepFallback: Doubts._begin,
    e.StepEnd: Doubts._end,
    e.StepSettled: Doubts._settle,
}


def doubts(events: Iterable[e.Event], *, broken_off: bool = False) -> tuple[Doubt, ...]:
    """The calls that a session's events leave in doubt."""
    folding = Doubts()
    for event in events:
        folding.apply(event)
    return folding.open(broken_off=broken_off)
