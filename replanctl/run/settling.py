"""Calls that may have happened: which ones a session leaves in doubt, and what becomes of them by a person's word.

What is in doubt is read from a session's events alone; the word is taken into the session between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, assert_never

import msgspec

from replanctl.kinds import Health, Settle
from replanctl.live import FAILED, SKIPPED, Cell
from replanctl.plan import Step
from replanctl.run import events as e
from replanctl.run.once import Made
from replanctl.run.state import SessionState
from replanctl.run.step_ends import StepEnds


class Settlement(msgspec.Struct, frozen=True):
    """A person's word on the `call`-th (from 1) of the calls that a step left in doubt; `value` is its answer, if it is
    done."""

    step_id: str
    how: Settle
    value: Any = None
    call: int = 1


class Doubt(msgspec.Struct, frozen=True):
    """A call that may have happened, and that nobody has settled: the `call`-th of its step, which stood as `step`, by
    the `seq` of the event with which it began."""

    step: Step
    tool: str
    began: int
    call: int = 1


class Doubts:
    """Takes a session's events in, and says which calls they leave in doubt."""

    def __init__(self) -> None:
        self._once_only: frozenset[str] = frozenset()
        self._steps: dict[str, Step] = {}
        self._began: dict[str, Doubt] = {}  # by step, the last call of an execution under way
        self._open: dict[int, Doubt] = {}
        self._last: Doubt | None = None  # a call that nothing has come after

    def apply(self, event: e.Event) -> None:
        """Take one event in."""
        if type(event) is e.SessionStart:
            self._once_only = frozenset(event.once_only)
        elif self._once_only:
            self._last = None
            if (handler := _HANDLERS.get(type(event))) is not None:
                handler(self, event)

    def _commit(self, event: e.PlanCommit) -> None:
        self._steps.update((step.id, step) for step in (*event.steps, *event.amended))

    def _begin(self, event: e.StepStart | e.StepRetry | e.StepFallback) -> None:
        self._began.pop(event.step_id, None)
        if event.tool in self._once_only:
            self._last = self._began[event.step_id] = Doubt(self._steps[event.step_id], event.tool, event.seq)

    def _end(self, event: e.StepEnd) -> None:
        doubt = self._began.pop(event.step_id, None)
        if doubt is not None and event.attempts and event.attempts[-1].status.may_have_acted:
            self._open[doubt.began] = doubt

    def _settle(self, event: e.StepSettled) -> None:
        del self._open[event.began]

    def open(self, *, broken_off: bool = False) -> tuple[Doubt, ...]:
        """The calls in doubt, in the order they began. `broken_off`: also the one that was cut off with the session."""
        found = dict(self._open)
        if broken_off and self._last is not None:
            found[self._last.began] = self._last
        counts: dict[str, int] = {}
        numbered = []
        for _, doubt in sorted(found.items()):
            counts[doubt.step.id] = counts.get(doubt.step.id, 0) + 1
            numbered.append(msgspec.structs.replace(doubt, call=counts[doubt.step.id]))
        return tuple(numbered)


_HANDLERS: dict[type[e.Event], Callable[[Doubts, Any], None]] = {
    e.PlanCommit: Doubts._commit,
    e.StepStart: Doubts._begin,
    e.StepRetry: Doubts._begin,
    e.StepFallback: Doubts._begin,
    e.StepEnd: Doubts._end,
    e.StepSettled: Doubts._settle,
}


def doubts(events: Iterable[e.Event], *, broken_off: bool = False) -> tuple[Doubt, ...]:
    """The calls that a session's events leave in doubt."""
    folding = Doubts()
    for event in events:
        folding.apply(event)
    return folding.open(broken_off=broken_off)


class Settling:
    """Takes a person's word into a session. `pending` are the steps that it makes pending again, once it is told."""

    def __init__(self, state: SessionState, ends: StepEnds) -> None:
        self._state = state
        self._ends = ends
        self.words: tuple[Settlement, ...] = ()
        self.pending: list[Cell] = []

    def settle(self) -> Iterator[e.Event]:
        """Settle every call that there is a word on, in the order they began."""
        words, self.words = {(word.step_id, word.call): word for word in self.words}, ()
        counts: dict[str, int] = {}
        for made in list(self._state.once.unsettled()):
            step_id = made.caller.step_id
            counts[step_id] = counts.get(step_id, 0) + 1
            if (word := words.get((step_id, counts[step_id]))) is not None:
                yield from self._one(made, word)

    def _one(self, made: Made, word: Settlement) -> Iterator[e.Event]:
        cell = self._failed_by(made)
        match word.how:
            case Settle.DONE:
                yield from self._done(made, word, cell)
            case Settle.AGAIN:
                self._state.once.forget(made)
                yield self._told(made, word, cell)
                if cell is not None:
                    self.pending += (cell, *self._left_with(cell))
            case Settle.SKIP:
                made.settled = True
                yield self._told(made, word, cell)
                if cell is not None:
                    yield from self._let_be(cell)
            case _:
                assert_never(word.how)

    def _failed_by(self, made: Made) -> Cell | None:
        """The step that this call left failed; None where it has left the plan, was revised or has run again since."""
        cell = self._state.graph.cells.get(made.caller.step_id)
        return cell if cell is not None and cell.state is FAILED and made.stands else None

    def _told(
        self, made: Made, word: Settlement, cell: Cell | None, value: Any = None, assumptions: tuple[str, ...] = ()
    ) -> e.StepSettled:
        return self._state.emit(
            e.StepSettled, word.step_id, word.call, made.number, word.how, made.tool, cell is not None, value,
            assumptions,
        )  # fmt: skip

    def _done(self, made: Made, word: Settlement, cell: Cell | None) -> Iterator[e.Event]:
        """It happened, and this is the answer: the step is done with it, and what was skipped for it is pending."""
        state = self._state
        state.once.answer(made, word.value)
        if cell is None:
            yield self._told(made, word, cell, word.value)
            return
        variable = made.variable = state.variables.add(
            cell.step.id, word.value, version=state.version, assumes=cell.step.assumes, sources=made.sources,
            outdated=made.goals != state.once.goals,
        )  # fmt: skip
        self.pending += self._left_with(cell)
        state.graph.settle(cell)
        yield self._told(made, word, cell, word.value, variable.assumptions)
        if variable.health is not Health.CLEAN:
            yield state.emit(e.VariableHealth, f"E{cell.step.id}", variable.health, variable.because)

    def _left_with(self, cell: Cell) -> list[Cell]:
        """What was skipped because this step had failed; it is given up no more."""
        state = self._state
        skipped = [each for given_up in state.given_up if given_up.failure.cell is cell for each in given_up.skipped]
        self._take_back(cell)
        return [*skipped, *(dependent for dependent in cell.dependents if dependent.state is SKIPPED)]

    def _take_back(self, cell: Cell) -> None:
        """Nobody has to take this step over any more."""
        state = self._state
        state.given_up = [each for each in state.given_up if each.failure.cell is not cell]
        state.aborted = [failure for failure in state.aborted if failure.cell is not cell]
        state.abandoned = [each for each in state.abandoned if each is not cell]

    def _let_be(self, cell: Cell) -> Iterator[e.Event]:
        """As `on_failure: skip`: what rests on the step is skipped, the rest goes on."""
        self._take_back(cell)
        self._state.let_be.append(cell)
        if cell.awaits_replan:
            self._state.graph.fail_for_good(cell)
        yield from self._ends.skip_dependents(cell)
