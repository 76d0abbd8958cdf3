"""The order of business: what is taken up when nothing runs any more, and how a session comes to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from replanctl.kinds import Reason
from replanctl.live import Cell
from replanctl.run.budget import Stop
from replanctl.run.dispatch import Dispatcher
from replanctl.run.events import Event
from replanctl.run.interruptions import Interruptions
from replanctl.run.state import Failure, SessionState
from replanctl.run.step_ends import StepEnds
from replanctl.run.verdict import judged

if TYPE_CHECKING:
    from replanctl.replan import Replanner
    from replanctl.run.replanning import Replanning
    from replanctl.run.requests import RequestListener


class Turns:
    """Takes the turns of one session."""

    def __init__(
        self,
        state: SessionState,
        dispatch: Dispatcher,
        ends: StepEnds,
        interruptions: Interruptions,
        replanner: Replanner | None,
        listener: RequestListener | None,
    ) -> None:
        self.state = state
        self.dispatch = dispatch
        self._ends = ends
        self._replanner, self._listener = replanner, listener
        self._replanning: Replanning | None = None
        self.interruptions = interruptions

    def replanning(self) -> Replanning:
        """What answers failures and changed goals, made with the first of them."""
        if self._replanning is None:
            # A session in which nothing fails does not need what it is made of.
            from replanctl.run.replanning import Replanning

            self._replanning = Replanning(
                self.state, self._replanner, self._ends, plain=self.state.plain, listener=self._listener
            )
        return self._replanning

    def next(self) -> Iterator[Event]:
        """Take the first turn of the table that has something to do."""
        turn = next(turn for turn in TURNS if turn.waits(self))
        return turn.take(self)

    def something_waits(self) -> bool:
        """Whether one of the first four rows waits for its turn, so that nothing new starts."""
        state = self.state
        return bool(state.failures or state.spent or state.aborted or self.interruptions.waiting)

    def first_failure(self) -> Failure | None:
        """The earliest failure that still waits for its replan; those that an earlier one answered are forgotten."""
        failures, cells = self.state.failures, self.state.graph.cells
        while failures:
            failure = failures[0]
            if (cell := cells.get(failure.cell.step.id)) is not None and cell.awaits_replan:
                failure.cell = cell  # another one where an earlier replan amended the step
                return failure
            del failures[0]
        return None

    def next_ready(self) -> Cell | None:
        """The step that would start next."""
        return self.state.graph.next_ready()


class Turn(NamedTuple):
    """One row: whether it has something to do, and what it does."""

    waits: Callable[[Turns], object]
    take: Callable[[Turns], Iterator[Event]]


def _end_at_the_gate(turns: Turns) -> Iterator[Event]:
    assert turns.state.spent is not None
    yield turns.state.refused(*turns.state.spent)


def _abort(turns: Turns) -> Iterator[Event]:
    step = turns.state.aborted[0].cell.step
    turns.state.stop = Stop(Reason.ABORTED, f"step {step.id} failed, and its on_failure is abort")
    return iter(())


def _change_goal(turns: Turns) -> Iterator[Event]:
    yield from turns.replanning().goal_change(turns.interruptions.take())
    turns.state.failures.clear()


def _answer_failure(turns: Turns) -> Iterator[Event]:
    state = turns.state
    yield from turns.replanning().failure(state.failures[0])
    if state.stop is None:  # else it waits on: a person may raise the limit, and it is still unanswered
        del state.failures[0]


def _ask_the_gates(turns: Turns) -> Iterator[Event]:
    ready, check = turns.next_ready(), turns.dispatch.refusal()
    if check is not None and ready is not None:
        yield turns.state.refused(check, ready.step.id)


def _judge(turns: Turns) -> Iterator[Event]:
    return judged(turns.state)


# A session alternates between two things. It *runs*: ready steps are admitted, the clock moves to the next instant at
# which a call or a wait ends, and what ends is written down, until nothing is in flight and nothing more may start.
# Then it takes one *turn*: the first row of `TURNS` that has something to do does it. After a turn the session runs
# again, unless the turn has set `state.stop`.
#
# Everything that could end or turn a session waits in the state until its turn comes: a step that fails, a goal that
# changes and a gate that cuts an execution short only stop the admission of new steps (`Turns.something_waits`); what
# is in flight finishes first and is recorded. So two things that come up together are always taken in the order of the
# table, never in the order in which they happened to be noticed:
#
# 1. a gate stopped an execution: it has already refused to spend more, and nothing may be spent on anything else;
# 2. a step failed whose `on_failure` is `abort`: the author of the plan said that nothing may go on without it;
# 3. the goal changed: what failed under the old goal needs no answer any more, the new plan replaces all of it;
# 4. a step failed: one replan at a time, the earliest failure first, and a later one of the same wave only if its step
#    is still in the plan, failed, and waiting; an earlier replan may have revised or dropped it;
# 5. a step is ready: the gates before a step are asked, and the first that refuses ends the session; otherwise it runs;
# 6. the plan has run to its end: the verdict (`verdict.py`), which is also where a step that was handed to a person,
#    by a rule or by its breaker, comes to be the reason.
#
# `state.stop` is the one value that says why a session ends. Only a turn sets it, and only once: with the reason, the
# words, and the gate if one refused. **A new reason** is a member of `Reason`, words for it in `show/words.py`, what a
# person could do next in `handover.py`, and a row: here, if something else than a step's failure or the end of the plan
# brings it about (with its place in the order), or in `verdict.py`, if it is about what the final version came to. A
# gate brings its reason with its row.
TURNS: tuple[Turn, ...] = (
    Turn(lambda turns: turns.state.spent, _end_at_the_gate),
    Turn(lambda turns: turns.state.aborted, _abort),
    Turn(lambda turns: turns.interruptions.waits, _change_goal),
    Turn(Turns.first_failure, _answer_failure),
    Turn(Turns.next_ready, _ask_the_gates),
    Turn(lambda turns: True, _judge),
)
