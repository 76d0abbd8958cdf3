"""How executions end, and what follows from it at once: variables, signals, skipped steps, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from replanctl.kinds import ErrorType, Health, OnFailure, Status, Unreadable
from replanctl.live import DONE, FAILED, PENDING, SKIPPED, Cell, Variable
from replanctl.plan import Step, references
from replanctl.run.events import Event, Signal, StepEnd, VariableHealth
from replanctl.run.execution import Execution
from replanctl.run.interruptions import Interruptions
from replanctl.run.once import Came, Made, Ruling
from replanctl.run.state import Failure, SessionState
from replanctl.run.tools import Attempt, Outcome, StepError

if TYPE_CHECKING:
    from replanctl.replan import Missing


# What follows from an end follows at once and in this order, so that no reader ever sees a plan that contradicts
# itself: the step's own event, then its signal, then what its outcome refutes, then what waits for its end
# (interruptions), and last what its `on_failure` does. A refuted premise counts from here on whatever is done about the
# failure: it is a fact about the world, and not a part of the remedy.
class StepEnds:
    """Ends executions in the live plan and says what followed."""

    def __init__(self, state: SessionState, interruptions: Interruptions) -> None:
        self._state = state
        self._interruptions = interruptions

    def succeed(self, execution: Execution, value: Any) -> Sequence[Event]:
        """The step is done and its variable exists."""
        state, step = self._state, execution.cell.step
        variable = state.variables.add(step.id, value, state.version, step.assumes, execution.sources)
        if execution.made is not None:
            execution.made.variable = variable
        return self._done(execution, variable)

    def take(self, execution: Execution, ruling: Ruling) -> Sequence[Event]:
        """The step is done with the answer that its call had before, and says so."""
        made = ruling.made
        assert made is not None
        return self._done(execution, self._taken(execution.cell.step, made), (ruling.why,))

    def _taken(self, step: Step, made: Made) -> Variable:
        """A variable that rests on what the answer rested on, with its health."""
        state = self._state
        if made.variable is not None:
            return state.variables.take(step.id, made.variable, state.version)
        outdated = made.goals != state.once.goals
        return state.variables.add(
            step.id, made.value, version=state.version, assumes=made.caller.step.assumes, sources=made.sources,
            outdated=outdated,
        )  # fmt: skip

    def _done(self, execution: Execution, variable: Variable, warnings: tuple[str, ...] = ()) -> Sequence[Event]:
        state, cell, attempts = self._state, execution.cell, execution.attempts
        step = cell.step
        state.graph.finish(cell)
        if len(attempts) > 1:
            self._remember_calls(execution)
        ended = StepEnd(
            state.seq, state.at, state.version, step.id, DONE, "ok", execution.tool, execution.started, variable.value,
            None, attempts, execution.again, variable.assumptions, warnings=warnings,
        )  # fmt: skip
        state.seq += 1
        if self._interruptions.after:
            self._interruptions.step_ended(state.graph.lineage_ids(cell), state.at)
        if variable.health is Health.CLEAN:
            return (ended,)
        return ended, state.emit(VariableHealth, f"E{step.id}", variable.health, variable.because)

    def _remember_calls(self, execution: Execution) -> None:
        """The lineage knows every tool that was called for it."""
        lineage = self._state.graph.lineage(execution.cell)
        lineage.called = True
        lineage.tools.update(attempt.tool for attempt in execution.attempts)

    def fail(
        self,
        execution: Execution,
        status: Status,
        message: str,
        *,
        outcome: Outcome | None = None,
        missing: Missing | None = None,
    ) -> Iterator[Event]:
        """The execution failed: its signal, what it refutes, and what the step's `on_failure` does about it."""
        from replanctl.replan import classify

        state, cell = self._state, execution.cell
        step = cell.step
        refutes = outcome.refutes if outcome is not None else ()
        resting = state.graph.resting_on(cell, refutes)
        signal = classify(
            step.id,
            status,
            message,
            attempted=[f"{a.tool}: {a.status.as_heard}" for a in execution.attempts],
            missing=missing,
            refuted=refutes,
            radius=len(resting),
        )
        on_failure = state.on_failure(step)
        changes = state.variables.refute(refutes)
        state.graph.fail(cell, awaits_replan=on_failure is OnFailure.REPLAN)
        moves = state.graph.moves
        # Before it is told: an interruption that a person gives behind the ending comes too late for it.
        self._interruptions.step_ended(state.graph.lineage_ids(cell), state.at)
        yield self._failed(execution, StepError(signal.error_type, signal.error_msg), on_failure is OnFailure.DEFER)
        cause = outcome.cause if outcome is not None else ""
        event = state.emit(
            Signal, step.id, signal.error_type, signal.error_msg, signal.attempted, signal.evidence, on_failure, cause,
            refutes,
        )  # fmt: skip
        yield event
        yield from state.health_events(changes)
        unmade = frozenset(self._unmade(cell)) if missing is not None else frozenset()
        doubtful = execution.made is not None and execution.made.came is Came.DOUBT
        yield from self._answer(Failure(cell, event, unmade, doubtful=doubtful, resting=(moves, resting)))

    def _unmade(self, cell: Cell) -> Iterator[str]:
        """The steps it reads that have not run yet."""
        state = self._state
        for reference in references.find(cell.step.args, state.graph.known.read(cell.reading)):
            if state.state(reference) is Unreadable.PENDING:
                yield reference.step_id

    def _answer(self, failure: Failure) -> Iterator[Event]:
        """What the step's `on_failure` does, once retries and fallbacks are spent."""
        state, cell = self._state, failure.cell
        match failure.signal.on_failure:
            case OnFailure.REPLAN:
                state.failures.append(failure)
            case OnFailure.ABORT:
                state.aborted.append(failure)
            case OnFailure.SKIP:
                yield from self.skip_dependents(cell)
            case OnFailure.DEFER:
                yield from self.spread_gap(cell)

    def _failed(self, execution: Execution, error: StepError, gap: bool = False) -> StepEnd:
        step, attempts = execution.cell.step, execution.attempts
        if attempts:
            self._remember_calls(execution)
        made = execution.made
        doubtful = made is not None and made.came is Came.DOUBT
        warnings = (_may_have_happened(step.id, attempts[-1]),) if doubtful else ()
        return self._state.emit(
            StepEnd,
            step.id,
            FAILED,
            attempts[-1].status.value if attempts else error.error_type,
            execution.tool,
            execution.started,
            error=error,
            attempts=attempts,
            again=execution.again,
            gap=gap,
            warnings=warnings,
        )

    def abandon(self, execution: Execution, why: str = "") -> StepEnd:
        """A gate ends the execution, or something else (`why`): no signal, no route, no lesson."""
        self._state.graph.fail(execution.cell, awaits_replan=False)
        self._state.abandoned.append(execution.cell)
        last = execution.attempts[-1].status.as_heard
        return self._failed(execution, StepError(ErrorType.ABANDONED, why or f"abandoned, last: {last}"))

    # -- what does not run ------------------------------------------------------------------------------------------

    def skip_dependents(self, cell: Cell, refuted: Iterable[str] = ()) -> Iterator[Event]:
        """Everything pending that rests on a step that failed for good or was skipped is skipped."""
        for dependent in self._state.graph.resting_on(cell, refuted):
            if dependent.state is PENDING:
                yield self.skip(dependent, blocked_by=(cell.step.id,))

    def skip(self, cell: Cell, *, blocked_by: tuple[str, ...], gap: bool = False) -> StepEnd:
        """A step will not run; as a `gap`, because nothing is left of what it depends on."""
        self._state.graph.skip(cell)
        step, at = cell.step, self._state.at
        names = ", ".join(f"E{id_}" for id_ in blocked_by)
        error = StepError(ErrorType.MISSING_VAR, f"blocked by {names}") if gap else None
        return self._state.emit(
            StepEnd, step.id, SKIPPED, "skipped", step.tool_name, at, error=error, gap=gap, blocked_by=blocked_by
        )

    def spread_gap(self, cell: Cell) -> Iterator[Event]:
        """A step became a gap; those left with nothing but gaps are gaps themselves."""
        queue = self._state.graph.leave_gap(cell)
        while queue:
            blocked = queue.pop(0)
            yield from self.block(blocked, queue)

    def block(self, cell: Cell, queue: list[Cell]) -> Iterator[Event]:
        """A step with nothing but gaps to run on is one itself; what this blocks in turn joins the queue."""
        yield self.skip(cell, blocked_by=tuple(cell.step.depends_on or ()), gap=True)
        queue.extend(self._state.graph.leave_gap(cell))


def _may_have_happened(step_id: str, attempt: Attempt) -> str:
    """What is said of a call that is made once, and that nobody can tell of."""
    how = "timed out" if attempt.status.as_heard is Status.TIMEOUT else f"came to {attempt.status}"
    return f"step {step_id}: {attempt.tool} {how} and is not idempotent: the call may have happened"
