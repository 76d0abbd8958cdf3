"""Executions on the virtual clock: attempts, retries with backoff, fallbacks, time-outs.

Retries belong to the execution layer, and only environmental failures retry. What is in flight waits on an agenda
for the instant at which its call or its wait ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from operator import itemgetter

from replanctl.kinds import ErrorType, GateName, Status
from replanctl.live import Cell
from replanctl.plan import are_plain
from replanctl.replan import Check, Moment
from replanctl.run.budget import MICROSECONDS, Spending, microseconds
from replanctl.run.events import Event, StepFallback, StepRetry, StepStart
from replanctl.run.execution import Execution, Guarding
from replanctl.run.once import DENIED, May
from replanctl.run.state import SessionState
from replanctl.run.step_ends import StepEnds
from replanctl.run.tools import CUT_OFF, Attempt, Call, Outcome, Started, Tools, answer_fault, args_fault, unheard

# Time is virtual. A tool is asked at the instant of its call and answers at once; what it answered is heard when the
# clock has come to the instant at which it says it would have. So the order of everything that follows from an answer
# is the order of the clock, not of the calls, and a session of ten minutes takes no time. The clock counts whole
# microseconds: sums of seconds would not be the same on every way to them.
_NONE: tuple[str, ...] = ()
# What happens at an instant, in this order: what ends is handled before anything starts.
_CALL_ENDS, _RETRY, _FALL_BACK = range(3)
_OK, _LOST = Status.OK, Status.LOST


class Dispatcher:
    """Starts executions and carries them to their end."""

    def __init__(self, state: SessionState, tools: Tools, ends: StepEnds) -> None:
        self._state = state
        self.tools = tools
        self._ends = ends
        # what is in flight: when its call or wait ends, what happens then, and in which order it was put here
        self.agenda: list[tuple[int, int, int, Execution]] = []
        self._order = 0
        self.guard = Guarding(state)
        self.cut_off: Started | None = None  # a call that was made before the session was killed

    def refusal(self) -> Check | None:
        """The gate that keeps the next step from starting, if one does."""
        return self._state.budget.refusal(Moment.STEP, self._state, self._state.next_step)

    # -- starting -------------------------------------------------------------------------------------------------

    def begin(self, cell: Cell) -> tuple[StepStart, Execution]:
        """Start an execution: read its references and make its event. `call` makes the call once that was yielded."""
        state, step = self._state, cell.step
        tool, lineage = step.tool_name, cell.lineage
        again = lineage is not None and lineage.called
        spec, warnings = state.tools.get(tool, state.default_tool), _NONE
        if are_plain(step.args):
            execution = Execution(cell, step.args, tool, spec, state.at, _NONE, again)
        else:
            from replanctl.run.args import call_args

            found = call_args(state, cell)
            warnings = found.warnings
            execution = Execution(
                cell, found.args, tool, spec, state.at, found.sources, again, found.bulky, found.missing
            )
        state.executions += 1
        state.graph.start(cell)
        seq = state.seq
        state.seq = seq + 1
        return StepStart(seq, state.at, state.version, step.id, tool, execution.args, warnings), execution

    def call(self, execution: Execution) -> Iterable[Event]:
        """Check and make the first call. An execution that can't be called ends where it starts."""
        if execution.bulky:
            return self._ends.fail(execution, Status.SHAPE, execution.bulky)
        if execution.missing is not None:
            return self._ends.fail(execution, Status.ERROR, "", missing=execution.missing)
        once = self._state.once
        if not execution.spec.idempotent or once.denied or once.doubts:
            ruling = self.guard.ruling(execution)
            if ruling.may is May.TAKE:
                return self._ends.take(execution, ruling)
            if ruling.may is not May.MAKE:
                return self._ends.fail(execution, Status.DENIED, ruling.why)
        schema = execution.spec.args
        if schema is not None and (mismatch := args_fault(schema, execution.args)):
            return self._ends.fail(execution, Status.SHAPE, mismatch)
        self._call(execution)
        return ()

    # -- calling --------------------------------------------------------------------------------------------------

    def _call(self, execution: Execution) -> None:
        """Make the call now; its answer arrives when the clock has reached it."""
        state, cell, spec = self._state, execution.cell, execution.spec
        step, lineage, attempts = cell.step, cell.lineage, len(execution.attempts)
        execution.tries += 1
        state.calls += 1
        coefficients = state.policy.coefficients
        execution.coefficient = coefficients.retry if attempts else coefficients.execution
        state.in_flight += execution.coefficient
        ids, idempotent = (step.id,) if lineage is None else lineage.ids, spec.idempotent
        call = Call(
            step.id, execution.tool, execution.args, state.graph.version, attempts + 1, spec.timeout, ids,
            step.produces, idempotent,
        )  # fmt: skip
        if not idempotent or execution.made is not None:
            self.guard.calls(execution)
        outcome = self.tools.call(call) if self.cut_off is None else self._answer(call, execution)
        status, latency = outcome.status, outcome.latency
        execution.acted = status is _OK or status.took_effect
        if status is _LOST or latency > spec.timeout:
            outcome = unheard(outcome, latency := min(latency, spec.timeout))
        if state.deadline is not None:
            self._listen(execution, outcome, state.clock)
        else:
            execution.answer = outcome
            self._order += 1  # as `_schedule` does, and a call less for each step
            heappush(self.agenda, (state.clock + round(latency * MICROSECONDS), _CALL_ENDS, self._order, execution))

    def _answer(self, call: Call, execution: Execution) -> Outcome:
        """What the tool says; nothing, where the call was made already and the session was killed in it."""
        if execution.made is not None and self.cut_off == (call.step_id, call.version, call.attempt):
            execution.cut_off = True
            return Outcome(Status.TIMEOUT, latency=0.0)
        return self.tools.call(call)

    def _listen(self, execution: Execution, outcome: Outcome, called: int) -> None:
        """The answer to a call made at this instant arrives in time, or is cut off when the session's time is up."""
        ends, deadline = called + microseconds(outcome.latency), self._state.deadline
        if deadline is not None and ends > deadline:
            execution.unheard = outcome
            ends = max(deadline, self._state.clock)
            outcome = unheard(outcome, (ends - called) / MICROSECONDS)
        execution.answer = outcome
        self._schedule(ends, _CALL_ENDS, execution)

    def keep_time(self) -> None:
        """Apply a new `max_seconds` to the calls under way: what it cuts off, and what it no longer does."""
        under_way = sorted(self.agenda, key=itemgetter(2))
        self.agenda.clear()
        for clock, what, _, execution in under_way:
            if what == _CALL_ENDS:
                outcome, execution.unheard = execution.unheard or execution.answer, None
                self._listen(execution, outcome, clock - microseconds(execution.answer.latency))
            else:
                self._schedule(clock, what, execution)

    def _schedule(self, clock: int, what: int, execution: Execution) -> None:
        self._order += 1
        heappush(self.agenda, (clock, what, self._order, execution))

    def advance(self) -> Iterable[Event]:
        """Move the clock to the next instant at which something ends, and handle everything that does."""
        agenda, state = self.agenda, self._state
        first = heappop(agenda)
        state.clock = now = first[0]  # as `state.advance` does, and a call less for each step
        state.at = now / MICROSECONDS
        if first[1] == _CALL_ENDS and not (agenda and agenda[0][0] == now) and first[3].answer.status is _OK:
            return self._answered(first[3])  # alone at this instant, and nothing else may come to fall on it
        heappush(agenda, first)
        return self._all_of(now)

    def _all_of(self, now: int) -> Iterator[Event]:
        """Everything that ends at this instant, also what comes to do so meanwhile."""
        agenda = self.agenda
        while agenda and agenda[0][0] == now:
            _, what, _, execution = heappop(agenda)
            if what == _CALL_ENDS:
                yield from self._answered(execution)
            elif what == _RETRY:
                yield from self._retry(execution)
            else:
                yield from self._fall_back(execution)

    def _answered(self, execution: Execution) -> Iterable[Event]:
        state, outcome, coefficient = self._state, execution.answer, execution.coefficient
        status, message = outcome.status, outcome.message
        step = execution.cell.step
        if execution.made is not None or step.again:
            self.guard.hears(execution)
        produces = step.produces
        if status is _OK and produces is not None and (fault := answer_fault(produces, outcome.value)):
            status, message = Status.SHAPE, fault
        tokens = coefficient if outcome.tokens is None else outcome.tokens
        state.in_flight -= coefficient
        state.booked += tokens
        attempt = Attempt(execution.tool, status, outcome.latency, tokens, execution.acted)
        execution.attempts = (*execution.attempts, attempt)
        if status is _OK:
            return self._ends.succeed(execution, outcome.value)
        return self._unsuccessful(execution, status, message)

    def _unsuccessful(self, execution: Execution, status: Status, message: str) -> Iterator[Event]:
        from replanctl.replan import ERROR_TYPES

        if status is Status.DENIED:
            self.guard.denies(execution)
        if execution.cut_off:
            yield self._ends.abandon(execution, CUT_OFF)
        elif execution.unheard is not None:
            yield from self._abandon(execution, self._state.budget.cut_off(self._state))
        elif ERROR_TYPES[status] is ErrorType.ENVIRONMENTAL and not self.guard.doubts(execution):
            yield from self._try_again(execution)
        else:
            yield from self._ends.fail(execution, status, message, outcome=execution.answer)

    # -- trying again -----------------------------------------------------------------------------------------------

    def _try_again(self, execution: Execution) -> Iterator[Event]:
        """The same tool after a wait, else the next fallback, else the failure."""
        state = self._state
        if execution.tries < state.policy.retry.max_attempts:
            ends = state.clock + microseconds(self._wait(execution))
            gate = self._refused(Moment.WAIT, ends)
            if gate is None:
                self._schedule(ends, _RETRY, execution)
                return
            if gate.gate is not GateName.MAX_SECONDS or not self._has_fallback(execution):
                yield from self._abandon(execution, gate)
                return
        self.guard.lets_go(execution)
        if self._has_fallback(execution):
            self._schedule(state.clock, _FALL_BACK, execution)
        else:
            outcome = execution.answer
            yield from self._ends.fail(execution, outcome.status, outcome.message, outcome=outcome)

    def _wait(self, execution: Execution) -> float:
        """The seconds before the next try: what the tool asked for, else the backoff."""
        retry, asked = self._state.policy.retry, execution.answer.retry_after
        return retry.wait(execution.tries) if asked is None else asked

    def _retry(self, execution: Execution) -> Iterator[Event]:
        state, last = self._state, execution.answer
        if self.guard.is_denied(execution):  # meanwhile, to another step
            self.guard.lets_go(execution)
            yield from self._ends.fail(execution, Status.DENIED, DENIED.why)
        elif (gate := self._refused(Moment.CALL)) is not None:
            yield from self._abandon(execution, gate)
        else:
            number, wait = len(execution.attempts) + 1, self._wait(execution)
            yield state.emit(StepRetry, execution.cell.step.id, execution.tool, number, wait, last.status, last.message)
            self._call(execution)

    def _has_fallback(self, execution: Execution) -> bool:
        """Whether a fallback is left whose schema takes the args and whose call may be made."""
        if execution.fallbacks is None:  # the first tool's; a fallback's own fallbacks are not followed
            execution.fallbacks = list(
                dict.fromkeys(name for name in execution.spec.fallback if name != execution.tool)
            )
        while execution.fallbacks:
            name = execution.fallbacks[0]
            schema = self._state.tool(name).args
            refused = schema is not None and args_fault(schema, execution.args)
            if not refused and self.guard.lets_fall_back(execution, name):
                return True
            execution.fallbacks.pop(0)
        return False

    def _fall_back(self, execution: Execution) -> Iterator[Event]:
        if not self._has_fallback(execution):  # its call was made or denied meanwhile
            yield from self._try_again(execution)
            return
        if (gate := self._refused(Moment.CALL)) is not None:
            yield from self._abandon(execution, gate)
            return
        assert execution.fallbacks
        before, execution.tool = execution.tool, execution.fallbacks.pop(0)
        execution.spec = self._state.tool(execution.tool)
        execution.tries = 0
        number = len(execution.attempts) + 1
        step_id, last = execution.cell.step.id, execution.answer
        yield self._state.emit(StepFallback, step_id, execution.tool, before, number, last.status, last.message)
        self._call(execution)

    # -- gates inside an execution ---------------------------------------------------------------------------------

    def _refused(self, moment: Moment, clock: int | None = None) -> Check | None:
        """The gate that refuses a retry or a fallback: now, or at an instant of the clock."""
        state = self._state
        spending = Spending(tokens=state.policy.coefficients.retry, clock=clock)
        return state.budget.refusal(moment, state, spending)

    def _abandon(self, execution: Execution, gate: Check) -> Iterator[Event]:
        self.guard.lets_go(execution)
        self._state.spent = self._state.spent or (gate, execution.cell.step.id)
        yield self._ends.abandon(execution)
