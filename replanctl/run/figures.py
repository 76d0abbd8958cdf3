"""What a run came to in a few figures, and how those of two runs differ: verdict, routes and cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from replanctl.kinds import Ending, ErrorType, GateName, Granularity, Reason
from replanctl.run.result import SessionResult


class Decision(msgspec.Struct, frozen=True, gc=False):
    """A routing decision, without what differs between runs that decide alike: versions and radius."""

    step_id: str | None
    error_type: ErrorType | None
    rule: str
    granularity: Granularity


class Figures(msgspec.Struct, frozen=True):
    """How a run ended, by which gate where one stopped it, and what it took: session seconds, counts, tokens."""

    status: Ending
    reason: Reason
    gate: GateName | None
    seconds: float
    versions: int
    replans: int
    executions: int
    calls: int
    tokens: int
    main: int
    remedy: int
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, result: SessionResult) -> Figures:
        """The figures of a result."""
        totals, gate = result.ledger.totals, result.handover.gate if result.handover is not None else None
        return cls(
            result.status,
            result.reason,
            gate.gate if gate is not None else None,
            result.seconds,
            len(result.versions),
            sum(line.kind == "replan" for line in result.ledger.lines),
            sum(row.status != "skipped" for row in result.history),
            sum(len(row.attempts) for row in result.history),
            totals.all,
            totals.main,
            totals.remedy,
            tuple(Decision(r.step_id, r.error_type, r.rule, r.granularity) for r in result.routes),
        )


class Compared(msgspec.Struct, frozen=True, gc=False):
    """A decision, and where it was made: `=` in both runs, `-` only in the old one, `+` only in the new one."""

    mark: str
    decision: Decision


class RunsDiff(msgspec.Struct, frozen=True):
    """Two runs side by side. It is true where they differ in anything."""

    old: Figures
    new: Figures

    def __bool__(self) -> bool:
        return self.old != self.new

    @property
    def decisions(self) -> tuple[Compared, ...]:
        """Every decision of both, in order."""
        return tuple(_aligned(self.old.decisions, self.new.decisions))


# Decisions are compared as lines of a text are: the longest common run of them stays, and what is between stands as
# gone and come. When a failure was routed is no difference; how it was routed is.
def _aligned(old: Sequence[Decision], new: Sequence[Decision]) -> Iterator[Compared]:
    for kind, begin, end, from_, to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (Compared("=", each) for each in old[begin:end])
        else:
            yield from (Compared("-", each) for each in old[begin:end])
            yield from (Compared("+", each) for each in new[from_:to])
