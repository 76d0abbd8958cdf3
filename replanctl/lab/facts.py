"""What the lab knows of one session: a small value folded from its events, so that thousands fit in memory."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from replanctl.kinds import Ending, GateName, Granularity, LedgerKind, Reason
from replanctl.plan import Step
from replanctl.run import events as e


class Doubled(msgspec.Struct, frozen=True, gc=False):
    """The same call took effect so many times."""

    tool: str
    times: int


class Stopped(msgspec.Struct, frozen=True, gc=False):
    """The gate that ended a session, with what it read."""

    gate: GateName
    limit: float | None
    reading: float


class Facts(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One session. `key` says which it was; seconds are of session time, tokens are booked.

    `rules` are the routing rules that decided, `refused` the gates that refused anything, `fallbacks` pairs of a tool
    and what was called instead, `alternatives` steps of v1 with the number of the one taken, `planner` and `outcomes`
    the script's rules by number that were used, `unlanded` the faults that never met a call.
    """

    key: tuple[str, ...]
    status: Ending
    reason: Reason
    seconds: float = 0.0
    tokens: int = 0
    remedy: int = 0
    calls: int = 0
    executions: int = 0
    replans: int = 0
    versions: int = 1
    depths: tuple[Granularity, ...] = ()
    gaps: int = 0
    stopped: Stopped | None = None
    doubled: tuple[Doubled, ...] = ()
    rules: tuple[str, ...] = ()
    refused: tuple[GateName, ...] = ()
    fallbacks: tuple[tuple[str, str], ...] = ()
    alternatives: tuple[tuple[str, int], ...] = ()
    planner: tuple[int, ...] = ()
    outcomes: tuple[int, ...] = ()
    unlanded: tuple[str, ...] = ()

    @property
    def completed(self) -> bool:
        """Whether it came to its goal, with or without gaps."""
        return self.status is Ending.COMPLETED


class FactFold:
    """Folds a session's events to its facts; it keeps nothing that grows with the session but calls made twice."""

    def __init__(self) -> None:
        self.seconds, self.tokens, self.remedy = 0.0, 0, 0
        self.calls = self.executions = self.replans = 0
        self.versions = 0
        self.depths: list[Granularity] = []
        self.rules: dict[str, None] = {}
        self.refused: dict[GateName, None] = {}
        self.fallbacks: dict[tuple[str, str], None] = {}
        self.alternatives: dict[tuple[str, int], None] = {}
        self._ways: dict[str, tuple[str, Step]] = {}
        self.gaps: set[str] = set()
        self.last_gate: e.Gate | None = None
        self.end: e.SessionComplete | None = None
        self._effects: dict[tuple[str, bytes], int] = {}
        self._args: dict[str, bytes] = {}
        self._tools: dict[str, str] = {}

    def apply(self, event: e.Event) -> None:
        """Take the next event in."""
        match event:
            case e.StepEnd():
                self._ended(event)
            case e.StepStart():
                self.executions += 1
                self._tools[event.step_id] = event.tool
                self._args[event.step_id] = msgspec.json.encode(event.args, order="deterministic")
            case e.StepFallback():
                self.fallbacks[self._tools.get(event.step_id, event.instead_of), event.tool] = None
            case e.Route():
                self.rules[event.rule] = None
            case e.Gate():
                self.last_gate = event
                if not event.admitted:
                    self.refused[event.gate] = None
            case e.Ledger():
                self._book(event.kind, event.booked)
                self.replans += event.kind is LedgerKind.REPLAN
            case e.PlanCommit():
                self._committed(event)
            case e.SessionComplete():
                self.end = event
            case _:
                pass

    def _book(self, kind: LedgerKind, tokens: int) -> None:
        self.tokens += tokens
        if not kind.is_main:
            self.remedy += tokens

    def _committed(self, event: e.PlanCommit) -> None:
        self.versions += 1
        if event.granularity is not None:
            self.depths.append(event.granularity)
        self.gaps.difference_update(event.removed)
        self.gaps.difference_update(step.id for step in event.steps)
        for step in event.steps:
            before = self._ways.get(step.replaces or "") or self._ways.get(step.id)
            if before is not None:
                self._took(before, step)
                self._ways[step.id] = (before[0], step)
            elif step.alternatives:
                self._ways[step.id] = (step.id, step)

    def _took(self, before: tuple[str, Step], now: Step) -> None:
        """Which alternative of its first step a revised one took, if it did."""
        root, old = before
        if (old.tool_name, old.args) == (now.tool_name, now.args):
            return
        for number, way in enumerate(old.alternatives):
            tool, args = way.tool or old.tool_name, old.args if way.args is None else way.args
            if (tool, args) == (now.tool_name, now.args):
                self.alternatives[root, number] = None

    def _ended(self, event: e.StepEnd) -> None:
        self.calls += len(event.attempts)
        for number, attempt in enumerate(event.attempts):
            first = LedgerKind.RE_EXECUTION if event.again else LedgerKind.EXECUTION
            self._book(first if number == 0 else LedgerKind.RETRY, attempt.tokens)
            if attempt.acted:
                key = (attempt.tool, self._args.get(event.step_id, b""))
                self._effects[key] = self._effects.get(key, 0) + 1
        if event.gap:
            self.gaps.add(event.step_id)
        else:
            self.gaps.discard(event.step_id)

    def doubled(self) -> tuple[Doubled, ...]:
        """Every call that took effect more than once, the worst of each tool."""
        worst: dict[str, int] = {}
        for (tool, _), times in self._effects.items():
            if times > 1:
                worst[tool] = max(worst.get(tool, 0), times)
        return tuple(Doubled(tool, times) for tool, times in worst.items())

    def stopped(self) -> Stopped | None:
        """The gate that ended the session, if one did."""
        end, gate = self.end, self.last_gate
        if end is None or end.gate is None or gate is None:
            return None
        return Stopped(end.gate, gate.limit, gate.reading)


def facts_of(events: Iterable[e.Event]) -> FactFold:
    """Fold a whole session."""
    fold = FactFold()
    apply = fold.apply
    for event in events:
        apply(event)
    return fold
