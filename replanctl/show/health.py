"""Variables whose health changed, gathered: one premise that falls takes all that rest on it at once."""

from __future__ import annotations

from replanctl.run import VariableHealth
from replanctl.show.columns import Columns
from replanctl.show.words import some


class HealthLines:
    """Holds changes of health until something else is said; equal ones share a line."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._groups: dict[tuple[str, str], list[str]] = {}

    def __bool__(self) -> bool:
        """Whether something was gathered."""
        return bool(self._groups)

    def add(self, event: VariableHealth) -> None:
        """One variable's health changed, or it was born degraded. Verdicts are told with the version that gave them."""
        if event.verdict is None:
            self._groups.setdefault((event.health, event.because), []).append(event.name)

    def flush(self) -> None:
        """Write what was gathered."""
        glyphs = self._columns.paper.glyphs
        for (health, why), names in self._groups.items():
            self._columns.detail("health", f"{some(names, glyphs.ellipsis)} {glyphs.arrow} {health}: {because(why)}")
        self._groups.clear()


def because(why: str) -> str:
    """What a change of health is owed to: a premise is named, and it fell."""
    return why if " " in why or why == "verdict" else f"{why} does not hold"
