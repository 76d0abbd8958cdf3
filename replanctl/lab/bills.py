"""What sessions cost in money: a tally beside a table, kept while its facts pass by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from replanctl.kinds import GateName, LedgerKind
from replanctl.lab.facts import Facts
from replanctl.money import Prices, money_schema

_AMOUNT: dict[str, Any] = {"type": "number", "minimum": 0}
_MORE = {"type": "array", "items": {"type": "number"}}
# The blocks of money in the documents of the lab.
COMPARE_MONEY = money_schema(
    lanes={"type": "object", "description": "What each policy cost, by name.", "additionalProperties": _AMOUNT}
)
TUNE_MONEY = money_schema(
    sessions={**_AMOUNT, "description": "What the corpus costs, run as it is."},
    gates={
        "type": "object",
        "description": "By gate: what the sessions that it frees take more, for each of its levels.",
        "additionalProperties": _MORE,
    },
)


# A table knows tokens as one sum, and prices differ by kind. So the sums by kind are kept here and not in the tables:
# those are the same whether a price is given or not.
class Tally:
    """Adds up what sessions spent by kind: of each lane, and of those that lifting a gate frees."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self._lanes: dict[str, list[int]] = {}
        self._freed: dict[GateName, list[tuple[int | float, tuple[int, ...]]]] = {}

    def watch(self, facts: Iterable[Facts]) -> Iterator[Facts]:
        """The same facts, taken in as they pass."""
        for one in facts:
            lane = self._lanes.setdefault(one.key[-1] if len(one.key) > 1 else "", [0] * len(LedgerKind))
            lane[:] = map(sum, zip(lane, one.spent, strict=True))
            if one.stopped is not None and one.freed is not None:
                self._freed.setdefault(one.stopped.gate, []).append((one.freed.limit, one.freed.spent))
            yield one

    def lanes(self) -> dict[str, Decimal]:
        """What each lane cost."""
        return {name: self._of(spent) for name, spent in self._lanes.items()}

    def paid(self, one: Facts) -> Decimal:
        """What one session cost."""
        return self._of(one.spent)

    def sessions(self) -> Decimal:
        """What all sessions cost together, each run as it is."""
        return self._of([sum(kind) for kind in zip(*self._lanes.values(), strict=True)])

    def more(self, gate: GateName) -> list[Decimal]:
        """For each limit of a gate that frees a session, the lowest first: what all that it frees take more."""
        freed = self._freed.get(gate, [])
        return [self._up_to(limit, freed) for limit in sorted({limit for limit, _ in freed})]

    def _up_to(self, limit: int | float, freed: Sequence[tuple[int | float, tuple[int, ...]]]) -> Decimal:
        rows = [spent for lowest, spent in freed if lowest <= limit]
        return self._of([sum(kind) for kind in zip(*rows, strict=True)])

    def _of(self, spent: Sequence[int]) -> Decimal:
        return self.prices.of(dict(zip(LedgerKind, spent, strict=True)) if spent else {})

    def compared(self) -> dict[str, Any]:
        """The block of a comparison."""
        return self.prices.document(lanes=self.lanes())

    def tuned(self) -> dict[str, Any]:
        """The block of a tuning."""
        gates = {gate: self.more(gate) for gate in GateName if gate in self._freed}
        return self.prices.document(sessions=self.sessions(), gates=gates)
