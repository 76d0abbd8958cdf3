"""Which calls act once and were made, worked out from calls and commits by the plainest means."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.plan.data import exact
from replanctl.plan.model import Step, Tool
from replanctl.run.events import PlanCommit, StepEnd
from replanctl.run.tools import Call, Outcome
from replanctl.schema import contract
from tests.properties.run import Run
from tests.properties.story import Moment

ANSWERS = ("ok", "shape", "empty", "semantic")
DID_NOT_ACT = ("rate_limited", "unavailable", "denied")


class Acted(msgspec.Struct, frozen=True):
    """A call that acted or may have: by which step of which lineage, and what came of it."""

    step_id: str
    root: str
    original: bool
    answered: bool
    ok: bool
    value: Any = None

    def will_do(self, step: Step) -> bool:
        """Whether its answer keeps a step's contract."""
        return self.ok and (step.produces is None or not contract.check(step.produces, self.value))


class OnceOnly:
    """What was called up to some event and is not to be called again."""

    def __init__(self, run: Run) -> None:
        self._tools = run.rehearsal.plan.tools or {}
        self._calls = {at: (call, outcome) for at, call, outcome in run.calls}
        self._last: dict[str, tuple[Call, Outcome]] = {}
        self._running: set[str] = set()
        self._denied: set[tuple[str, bytes]] = set()
        self._acted: dict[tuple[str, bytes], list[Acted]] = {}
        self.original: dict[str, Step] = {}  # the steps that stand as v1 lists them

    def see(self, place: int, moment: Moment) -> None:
        """Take in an event, the `place`-th, and the call that was made right behind it."""
        event = moment.event
        if type(event) is PlanCommit:
            self._commit(event)
        elif type(event) is StepEnd and event.attempts:
            self._end(*self._last[event.step_id], event)
        if type(event) is StepEnd:
            self._running.discard(event.step_id)
        if (made := self._calls.get(place + 1)) is not None:
            self._last[made[0].step_id] = made
            self._running.add(made[0].step_id)

    def _commit(self, event: PlanCommit) -> None:
        if event.version == "v1":
            self.original = {step.id: step for step in event.steps}
        for step in event.steps:
            if step.id in self.original and not _same_work(step, self.original[step.id]):
                del self.original[step.id]
        self.original |= {step.id: step for step in event.amended if step.id in self.original}
        for id_ in event.removed:
            self.original.pop(id_, None)

    def _end(self, call: Call, outcome: Outcome, event: StepEnd) -> None:
        key, heard = (call.tool, exact(call.args)), event.attempts[-1].status
        if heard == "denied":
            self._denied.add(key)
        elif self.acts_once(call.tool) and heard not in DID_NOT_ACT:
            answered = heard in ANSWERS
            ok = answered and outcome.status == "ok"
            acted = Acted(call.step_id, call.lineage[0], call.step_id in self.original, answered, ok, outcome.value)
            self._acted.setdefault(key, []).append(acted)

    def acts_once(self, tool: str) -> bool:
        """Whether a call of this tool is made once."""
        return not self._tools.get(tool, Tool()).idempotent

    def denies(self, tool: str, args: Any) -> bool:
        """Whether this call was denied."""
        return (tool, exact(args)) in self._denied

    def flies(self, tool: str, args: Any) -> bool:
        """Whether this call is in flight, and is made once."""
        calls = [self._last[id_][0] for id_ in self._running]
        return self.acts_once(tool) and any((c.tool, exact(c.args)) == (tool, exact(args)) for c in calls)

    def waits(self, step: Step, args: Any) -> bool:
        """Whether the call that a step comes to is in flight, made by another whose call counts for it."""
        original = self._is_original(step)
        counting = [id_ for id_ in self._running if not original or id_ not in self.original]
        calls = [self._last[id_][0] for id_ in counting]
        key = step.tool_name, exact(args)
        return self.acts_once(step.tool_name) and any((call.tool, exact(call.args)) == key for call in calls)

    def _is_original(self, step: Step) -> bool:
        known = self.original.get(step.id)
        return known is not None and _same_work(step, known)

    def stands(self, tool: str, args: Any, step: Step, root: str) -> Acted | None:
        """What stands for this call of a step, so that it is not made; None where it may be made."""
        original = self._is_original(step)
        counting = [
            acted
            for acted in self._acted.get((tool, exact(args)), ())
            if not (acted.original and original) or acted.root == root
        ]
        ranks = (
            [acted for acted in counting if acted.root == root],
            [acted for acted in counting if acted.will_do(step)],
            [acted for acted in counting if not acted.answered],
            counting,
        )
        return next((rank[-1] for rank in ranks if rank), None)


def _same_work(one: Step, other: Step) -> bool:
    return (one.action, one.tool_name, exact(one.args)) == (other.action, other.tool_name, exact(other.args))
