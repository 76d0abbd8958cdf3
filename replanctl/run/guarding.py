"""The guard's post at the call: every execution passes it before it calls, and tells it what came of the call."""

from __future__ import annotations

import msgspec

from replanctl.live import Cell, call_key
from replanctl.run.execution import Execution
from replanctl.run.once import MAKE, Came, May, Ruling
from replanctl.run.state import SessionState


class Guarding:
    """Asks the session's guard for one execution, and keeps it informed."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._once = state.once

    def ruling(self, execution: Execution) -> Ruling:
        """Whether the step's own call may be made."""
        state = self._state
        self._once.ran_again(execution.cell.step.id)
        if execution.spec.idempotent and not self._once.denied:
            return MAKE
        caller = state.caller(execution.cell)
        return state.may_call(execution.tool, execution.args, caller, again=caller.step.again)

    def waits(self, cell: Cell) -> bool:
        """Whether a step's own call is in flight already, for another step: it is not made before that has ended."""
        state, step = self._state, cell.step
        if not self._once.in_flight or state.tool(step.tool_name).idempotent:
            return False
        known = state.graph.known.read(cell.reading)
        if not state.can_read(step, known):
            return False
        return state.may_call(step.tool_name, state.substituted(step, known), state.caller(cell)).may is May.WAIT

    def lets_fall_back(self, execution: Execution, tool: str) -> bool:
        """Whether a fallback's call may be made; one that is in flight elsewhere is passed over as well."""
        return self._state.may_call(tool, execution.args, self._state.caller(execution.cell)).may is May.MAKE

    def is_denied(self, execution: Execution) -> bool:
        """Whether the call was denied to another step meanwhile."""
        return bool(self._once.denied) and call_key(execution.tool, execution.args) in self._once.denied

    def calls(self, execution: Execution) -> None:
        """The call is made now."""
        if not execution.spec.idempotent and execution.made is None:
            key, caller = call_key(execution.tool, execution.args), self._state.caller(execution.cell)
            execution.made = self._once.begin(key, execution.tool, caller, execution.sources)
        if execution.made is not None:
            execution.made.number = self._state.seq - 1

    def hears(self, execution: Execution) -> None:
        """What came of a call that is made once. `again` is good for one that was answered."""
        outcome, cell = execution.answer, execution.cell
        if execution.made is None:
            return
        self._once.hear(execution.made, outcome.status, outcome.value)
        self._state.graph.release()
        if outcome.status.is_answer and cell.step.again and execution.tool == cell.step.tool_name:
            cell.step = msgspec.structs.replace(cell.step, again=False)

    def lets_go(self, execution: Execution) -> None:
        """The call that an execution was making did not act, and it will not try that one again."""
        if execution.made is not None and execution.made.came is Came.NOTHING_YET:
            self._once.drop(execution.made)
            self._state.graph.release()
            execution.made = None

    def denies(self, execution: Execution) -> None:
        """The call was refused for lack of rights."""
        self._once.denied.add(call_key(execution.tool, execution.args))
        self.lets_go(execution)

    def doubts(self, execution: Execution) -> bool:
        """Whether the call that an execution made may have happened, and is not to be made twice."""
        return execution.made is not None and execution.made.came is Came.DOUBT
