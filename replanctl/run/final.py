"""How a session that ran out of steps is judged: the Solver, and the reason it ends with."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.kinds import Ending, Health, LedgerKind, Mode, Reason
from replanctl.live import DONE, PENDING, Cell
from replanctl.replan import Moment
from replanctl.run.budget import Spending
from replanctl.run.events import Event, Gate, SolverCalled
from replanctl.run.state import GivenUp, SessionState
from replanctl.run.trigger import Stop, refusal


class FinalCheck:
    """The last look at the final version; `verdict` holds how the session ends."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self.verdict = Stop(Reason.GOAL_MET, "")

    def judge(self) -> Iterator[Event]:
        """Hand over, ask the Solver where it has a say, and name the reason."""
        state = self._state
        given_up = next((each for each in state.given_up if not each.failure.cell.gone), None)
        if given_up is not None:
            self.verdict = handed_over(given_up)
            return
        cells = state.graph.listed()
        stuck = [cell.step.id for cell in cells if cell.state is PENDING]
        if stuck:  # only a plan that nobody checked can come to this
            self.verdict = Stop(Reason.NO_PLAN, f"these steps wait for each other: {', '.join(stuck)}")
            return
        done = [cell.step.id for cell in cells if cell.state is DONE]
        gaps = [cell.step.id for cell in cells if cell.gap]
        missing, enough = self._missing(), bool(done)
        if gaps or state.policy.mode is Mode.REWOO:
            enough = enough and len(done) >= state.policy.solver.min_evidence
            tokens = state.cost.solver(evidence=len(done), gaps=len(gaps))
            if (gate := state.budget.refusal(Moment.SOLVER, state, Spending(tokens=tokens))) is not None:
                yield state.emit(Gate, gate.gate, gate.limit, gate.reading, gate.admitted)
                self.verdict = refusal(gate)
                return
            yield state.emit(SolverCalled, tuple(done), tuple(gaps), missing, enough and not missing)
            yield state.book(LedgerKind.SOLVER, tokens)
        self.verdict = self._settled(self._reason(cells, len(done), missing, enough))

    def _settled(self, verdict: Stop) -> Stop:
        """A session that would complete does not while a call may have happened, and nobody has said whether it did."""
        doubts = [f"step {made.caller.step_id}'s call of {made.tool}" for made in self._state.once.unsettled()]
        if not doubts or verdict.reason.ending is not Ending.COMPLETED:
            return verdict
        return Stop(Reason.ESCALATED, f"may have happened, and a person has to say so: {', '.join(doubts)}")

    def _reason(self, cells: list[Cell], done: int, missing: tuple[str, ...], enough: bool) -> Stop:
        if not done:
            return Stop(Reason.INSUFFICIENT_EVIDENCE, "nothing of the final plan was done")
        if missing:
            return Stop(Reason.INSUFFICIENT_EVIDENCE, f"required and not done: {', '.join(missing)}")
        if not enough:
            return Stop(
                Reason.INSUFFICIENT_EVIDENCE,
                f"{done} pieces of evidence, and the Solver needs {self._state.policy.solver.min_evidence}",
            )
        flawed = [cell.step.id for cell in cells if self._flawed(cell)]
        if flawed:
            return Stop(
                Reason.GOAL_MET_WITH_GAPS, f"not everything holds: {', '.join(flawed[:8])}{' …' * (len(flawed) > 8)}"
            )
        return Stop(Reason.GOAL_MET, "")

    def _flawed(self, cell: Cell) -> bool:
        """Not done, run on a gap, or resting on something that no longer holds."""
        return cell.state is not DONE or cell.on_gaps or self._state.variables.health(cell.step.id) is not Health.CLEAN

    def _missing(self) -> tuple[str, ...]:
        """What the policy requires and no done step of the final version delivers, whatever replaced it."""
        require = self._state.policy.solver.require
        if not require:
            return ()
        delivered = {
            id_
            for cell in self._state.graph.cells.values()
            if cell.state is DONE
            for id_ in self._state.graph.lineage_ids(cell)
        }
        return tuple(name for name in require if required_step(name) not in delivered)


def handed_over(given_up: GivenUp) -> Stop:
    """How a session ends in which a person has to take over a step."""
    if given_up.check is not None:
        return refusal(given_up.check)
    failure = given_up.failure
    return Stop(Reason.ESCALATED, f"step {failure.cell.step.id} needs a person: {failure.signal.error_type}")


def required_step(name: str) -> str:
    """The step id that a required variable (`E1`) names."""
    return name[1:] if name[:1] == "E" and len(name) > 1 else name
