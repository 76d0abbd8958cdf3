"""What becomes of calls that may have happened, by a person's word: it is taken in between two events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, assert_never

from replanctl.kinds import Health, Settle
from replanctl.live import FAILED, SKIPPED, Cell, close_gap
from replanctl.run import events as e
from replanctl.run.amendments import Settlement
from replanctl.run.once import Made
from replanctl.run.state import SessionState
from replanctl.run.step_ends import StepEnds


# Three words, for the three things a person can know. *Done*: it happened, and this is what it came to; the step is
# done as if the answer had been heard. *Again*: it did not happen, and may be made once more; the call leaves the
# record. *Skip*: nobody knows or cares; the call stays on record, so that no other step makes it, and what rests on the
# step is skipped. A word on a step that has left the plan, or was revised, or has run again since, is kept on record
# and changes no step.
class Settling:
    """Takes a person's word into a session. `pending` are the steps that it makes pending again, once it is told."""

    def __init__(self, state: SessionState, ends: StepEnds) -> None:
        self._state = state
        self._ends = ends
        self.pending: list[Cell] = []

    def settle(self, told: Iterable[Settlement]) -> Iterator[e.Event]:
        """Settle every call that there is a word on, in the order they began."""
        words = {(word.step_id, word.call): word for word in told}
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
        # The answer came of the call as it was made: a later version may have dropped premises that fell since.
        variable = made.variable = state.variables.add(
            cell.step.id, word.value, version=state.version, assumes=made.caller.step.assumes, sources=made.sources,
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
        elif cell.gap:
            close_gap(cell)
        yield from self._ends.skip_dependents(cell)
