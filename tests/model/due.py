"""Interruptions, as they come due."""

from __future__ import annotations

from typing import Any

from tests.model.state import State
from tests.model.steps import Step
from tests.model.world import Ambiguous, seconds


class Due:
    """Changes of the goal: by the clock, and after a step."""

    s: State
    due: list[int]
    last_due: tuple[float, bool]
    last_index: int

    def after_end(self, step: Step) -> None:
        """An interruption that waits for this step comes due."""
        for at, interruption in enumerate(self.s.interruptions):
            after = interruption.get("after")
            if after is not None and not interruption.get("fired") and str(after) in self.s.ancestry(step.id):
                interruption["fired"] = True
                self.due.append(at)

    def due_before(self) -> None:
        """Those by the clock that came due since the last instant, in the order of their times."""
        found = []
        for interruption in self.s.interruptions:
            at = interruption.get("at")
            if at is not None and not interruption.get("fired") and seconds(at) < self.s.clock - 1e-9:
                interruption["fired"] = True
                found.append((seconds(at), interruption))
        for _, interruption in sorted(found, key=lambda pair: pair[0]):
            self.come_due(interruption)

    def due_now(self) -> None:
        """All that come due at this instant, in the order of the list."""
        for at, interruption in enumerate(self.s.interruptions):
            clock = interruption.get("at")
            if clock is not None and not interruption.get("fired") and abs(seconds(clock) - self.s.clock) <= 1e-9:
                interruption["fired"] = True
                self.due.append(at)
        for at in sorted(self.due):
            if self.last_due == (self.s.clock, True) and at < self.last_index:
                raise Ambiguous("interruptions at one instant, in turns")
            self.last_due, self.last_index = (self.s.clock, True), at
            self.come_due(self.s.interruptions[at])
        self.due = []

    def come_due(self, interruption: dict[str, Any]) -> None:
        s = self.s
        if s.mode == "rewoo":
            return
        goal = interruption["goal"]
        waiting = s.change["goal"] if s.change else s.goal
        if goal == waiting:
            return
        if goal == s.goal:
            s.change = None
            return
        refutes = list(interruption.get("refutes") or [])
        s.change = {"goal": goal, "refutes": (s.change["refutes"] if s.change else []) + refutes}
