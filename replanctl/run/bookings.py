"""The ledger as events tell it: a line for each call where it began, and for each booking outside of executions."""

from __future__ import annotations

from collections.abc import Iterable

from replanctl.kinds import LedgerKind
from replanctl.run import events as e
from replanctl.run.result import LedgerLine, LedgerTotals, LedgerView


class Bookings:
    """Takes in what calls and replans booked. `coefficients` are what a call is estimated at."""

    def __init__(self) -> None:
        self.coefficients: dict[str, int] = {}
        self._lines: list[LedgerLine | None] = []  # None where a call began that has not ended
        self._begun: dict[str, list[int]] = {}  # by step, the lines of the calls of its execution

    def began(self, step_id: str, *, first: bool) -> None:
        """A call begins: its line stands here, since what began meanwhile may end before it."""
        places = self._begun.setdefault(step_id, [])
        if first:
            places.clear()
        places.append(len(self._lines))
        self._lines.append(None)

    def ended(self, event: e.StepEnd) -> None:
        """An execution ended: now the tokens of its calls are known."""
        kind = LedgerKind.RE_EXECUTION if event.again else LedgerKind.EXECUTION
        estimated = self.coefficients.get("execution", 0)
        for place, attempt in zip(self._begun.pop(event.step_id), event.attempts, strict=True):
            self._lines[place] = LedgerLine(kind, event.version, event.step_id, None, estimated, attempt.tokens)
            kind, estimated = LedgerKind.RETRY, self.coefficients.get("retry", 0)

    def booked(self, event: e.Ledger) -> None:
        """Planning, a replan, or the Solver."""
        self._lines.append(
            LedgerLine(event.kind, event.version, event.step_id, event.granularity, event.estimated, event.booked)
        )

    def view(self) -> LedgerView:
        """Every booking so far, and the sums."""
        lines = tuple([line for line in self._lines if line is not None])
        return LedgerView(lines, totals(lines))


def totals(lines: Iterable[LedgerLine]) -> LedgerTotals:
    """Main is planning and first executions; remedy is everything else."""
    main = remedy = 0
    for line in lines:
        if line.kind.is_main:
            main += line.booked
        else:
            remedy += line.booked
    return LedgerTotals(main, remedy, main + remedy, round(remedy / main, 4) if main else 0.0)
