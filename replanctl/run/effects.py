"""What a session did to the world: the calls that took effect, and how often each did."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import msgspec

from replanctl.plan import exact
from replanctl.run import events as e
from replanctl.run.result import EffectView


class Effects:
    """Takes in when calls begin and what they came to. `once_only` are the tools that act on the world."""

    def __init__(self) -> None:
        self.once_only: Set[str] = frozenset()
        self._begun: dict[str, list[tuple[int, str]]] = {}  # by step: where each call of its execution began
        self._acted: list[tuple[int, str, str, str, dict[str, Any]]] = []  # seq, version, step, tool, args

    def began(self, event: e.StepStart | e.StepRetry | e.StepFallback) -> None:
        """A call of a step begins."""
        if type(event) is e.StepStart:
            self._begun[event.step_id] = [(event.seq, event.version)]
        else:
            self._begun[event.step_id].append((event.seq, event.version))

    def ended(self, event: e.StepEnd, args: dict[str, Any]) -> None:
        """An execution ended, with all its calls."""
        begun = self._begun.pop(event.step_id)
        for (seq, version), attempt in zip(begun, event.attempts, strict=False):
            if attempt.acted:
                self._acted.append((seq, version, event.step_id, attempt.tool, args))

    def rows(self) -> tuple[EffectView, ...]:
        """One row for each call of a once-only tool that took effect, and for each other that did more than once; in
        the order in which the first of each began."""
        found: dict[tuple[str, bytes], EffectView] = {}
        for _, version, step_id, tool, args in sorted(self._acted, key=lambda acted: acted[0]):
            key = tool, exact(args)
            row = found.get(key)
            found[key] = (
                msgspec.structs.replace(row, times=row.times + 1)
                if row is not None
                else EffectView(tool, args, step_id, version, 1)
            )
        return tuple(row for row in found.values() if row.times > 1 or row.tool in self.once_only)
