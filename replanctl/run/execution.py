"""One execution under way, and the guard's post at its calls: every execution passes it before it calls, and tells it
what came of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from replanctl.live import Cell, call_key
from replanctl.plan import Tool
from replanctl.run.once import MAKE, Came, Made, May, Ruling
from replanctl.run.state import SessionState
from replanctl.run.tools import Attempt, Outcome

if TYPE_CHECKING:
    from replanctl.replan import Missing

_NO_ANSWER = Outcome()


# An execution is on the agenda as long as it is in flight: with a call that ends, with a wait for a retry that ends, or
# with a fallback that is due. It leaves the agenda only by ending. Several things may fall on one instant; what ends is
# handled first, then retries, then fallbacks, each in the order in which they were put there, and only when nothing is
# left at that instant is anything new admitted. Otherwise whether a step may start would depend on which of two answers
# happened to be looked at first.
#
# A call is cut off where the session's time is up: its answer arrives at that instant as a time-out, and what it would
# have been is kept (`unheard`), because a person who raises the limit on resume gives the session the time to hear it.
class Execution(msgspec.Struct, eq=False, gc=False):
    """One execution under way.

    `sources` are the steps whose variables were read, `missing` is the first reference that can't be read, `bulky`
    what the args have too much of: either keeps it from being called. `tries` counts the calls of the current tool,
    `coefficient` is what its call counts for while it is under way; `answer` is what its call comes to once the
    clock is there, `unheard` what it would have come to, had the session's time not been up before. `acted` says
    that its latest call took effect, whether that was heard or not; `made` is that call on record, where it is one
    that is made once; `cut_off`: the session was killed in it.
    """

    cell: Cell
    args: dict[str, Any]
    tool: str
    spec: Tool
    started: float
    sources: tuple[str, ...] = ()
    again: bool = False
    bulky: str = ""
    missing: Missing | None = None
    tries: int = 0
    coefficient: int = 0
    attempts: tuple[Attempt, ...] = ()
    fallbacks: list[str] | None = None
    answer: Outcome = _NO_ANSWER
    unheard: Outcome | None = None
    acted: bool = False
    made: Made | None = None
    cut_off: bool = False


class Guarding:
    """Asks the session's guard for one execution, and keeps it informed."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._once = state.once

    def ruling(self, execution: Execution) -> Ruling:
        """Whether the step's own call may be made. It may where its tool may be called again and again, nothing was
        denied and nothing is in doubt: that need not be asked."""
        state = self._state
        self._once.ran_again(execution.cell.step.id)
        if execution.spec.idempotent and not self._once.denied:
            return MAKE
        caller = state.caller(execution.cell)
        return state.may_call(execution.tool, execution.args, caller, again=caller.step.again)

    def waits(self, cell: Cell) -> bool:
        """Whether a step's own call is in flight already, for another step: it is not made before that has ended. Only
        asked while some call of a tool that acts once is."""
        state, step = self._state, cell.step
        if state.tool(step.tool_name).idempotent:
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
        """The call is made now; not asked of a tool that may be called again and again."""
        if not execution.spec.idempotent and execution.made is None:
            key, caller = call_key(execution.tool, execution.args), self._state.caller(execution.cell)
            execution.made = self._once.begin(key, execution.tool, caller, execution.sources)
        if execution.made is not None:
            execution.made.number = self._state.seq - 1

    def hears(self, execution: Execution) -> None:
        """What came of a call that is made once, or of a step that says `again`: that is good for one answered call of
        the step's own tool, whichever it is, and what is made of the step afterwards does not have it."""
        outcome, cell = execution.answer, execution.cell
        if execution.made is not None:
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
