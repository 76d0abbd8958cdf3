"""Calls that act on the world are made once."""

from __future__ import annotations

from typing import Any

from tests.model.run import Run
from tests.model.state import State, canonical
from tests.model.steps import Call, Step, Variable
from tests.model.world import Ambiguous, breach


class Once:
    """What was called before, and what that means for a call now."""

    s: State
    running: list[Run]

    def earlier_call(self, step: Step, tool: str, args: Any) -> Call | None:
        """The call that decides whether this one may be made; None where nothing stands against it."""
        s = self.s
        if not s.acts_once(tool):
            return None
        key = canonical(args)
        lineage = s.ancestry(step.id)
        counting = []
        for call in s.calls:
            if (call.tool, call.args) != (tool, key) or call.kind not in ("took", "may"):
                continue
            own = call.step in lineage
            if not own and (step.unclear or call.unclear):
                raise Ambiguous("a call of a step listed again as v1 has it, which follows one that went")
            if not own and not step.changed and call.as_v1:
                continue
            counting.append((own, call))
        if not counting:
            return None
        mine = [c for own, c in counting if own]
        if mine:
            return mine[-1]
        fits = [c for _, c in counting if c.status == "ok" and breach(c.value, step.produces) is None]
        if fits and max(fits, key=lambda call: call.order) is not fits[-1]:
            raise Ambiguous("of two answers one was asked for last, and one came last")
        may = [c for _, c in counting if c.kind == "may"]
        return fits[-1] if fits else may[-1] if may else counting[-1][1]

    def in_flight(self, step: Step, tool: str, args: Any) -> bool:
        """Is the same call being made just now, by a step whose call would count?"""
        if not self.s.acts_once(tool):
            return False
        key = canonical(args)
        for run in self.running:
            if run.tool != tool or canonical(run.args) != key:
                continue
            if step.unclear or run.step.unclear:
                raise Ambiguous("a call in flight of a step listed again as v1 has it, which follows one that went")
            if not step.changed and not run.step.changed:
                continue
            if run.phase == "wait":
                raise Ambiguous("the same call waits for its retry")
            return True
        return False

    def take(self, step: Step, args: Any, earlier: Call) -> None:
        """A step that comes to a call that is not made again."""
        s = self.s
        fits = earlier.status == "ok" and breach(earlier.value, step.produces) is None
        if fits and (had := s.answer_of(earlier)).health != "void":
            s.variables[step.id] = Variable(
                earlier.value, step.id, s.version, set(had.rests), set(had.hot), set(had.sources), had.health, None,
                had.goal_stale, set(had.absolved),
            )  # fmt: skip
            self.record(step, step.tool, args, "done", None, None, [], s.clock, earlier.value)
            self.finish_done(step)
            return
        words = "may have" if earlier.kind == "may" else "took effect"
        message = f"not made again: {step.tool} acts only once, and step {earlier.step}'s call {words}"
        failure = self.failure(step, "permission", message, [])
        self.record(step, step.tool, args, "failed", failure.type, failure.message, [], s.clock)
        self.fail(step, failure)
