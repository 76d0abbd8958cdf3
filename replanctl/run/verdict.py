"""The verdict on a session whose plan has run to its end: a table, first match wins.

What a person has to take over comes first, then whether there is enough to answer with, then whether all of it holds.
A new reason is a member of `Reason` and a row here, at the place where it outranks what comes below it; its function
says why, in words, or None where it does not apply. The Solver is called between the two tables, since it is not asked
about a session that is handed to a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from replanctl.kinds import Health, LedgerKind, Mode, Reason
from replanctl.live import DONE, PENDING
from replanctl.plan import variable_name
from replanctl.replan import Moment
from replanctl.run.budget import Spending, Stop, refusal
from replanctl.run.events import Event, SolverCalled
from replanctl.run.policy import required_step
from replanctl.run.state import GivenUp, SessionState

NAMED = 8  # steps that a verdict names


class FinalVersion:
    """What the final version came to. `done` are the steps that are done, the evidence; `gaps` those that went without
    a result, while the rest went on; `missing` is what the policy or a step itself requires and nothing delivered,
    whatever stands for it."""

    def __init__(self, state: SessionState) -> None:
        self.state = state
        self.cells = state.graph.listed()
        self.done = [cell.step.id for cell in self.cells if cell.state is DONE]
        self.gaps = [cell.step.id for cell in self.cells if cell.gap]
        self.missing = missing(state)

    @property
    def solver_has_a_say(self) -> bool:
        """Whether somebody has to put together what there is."""
        return bool(self.gaps) or self.state.policy.mode is Mode.REWOO

    @property
    def is_enough(self) -> bool:
        """Whether the evidence suffices; the Solver may ask for more than one piece."""
        least = self.state.policy.solver.min_evidence if self.solver_has_a_say else 1
        return bool(self.done) and len(self.done) >= least

    def flawed(self) -> list[str]:
        """The steps that are not done, ran on a gap, or rest on something that no longer holds."""
        clean, done = Health.CLEAN, DONE
        degraded = {variable.step_id for variable in self.state.variables if variable.health is not clean}
        return [
            cell.step.id for cell in self.cells if cell.state is not done or cell.on_gaps or cell.step.id in degraded
        ]


def judged(state: SessionState) -> Iterator[Event]:
    """Look at the final version, call the Solver where it has a say, and set how the session ends."""
    # Before the Solver is asked: a session that needs a person is not over, and the Solver's tokens would be spent for
    # nothing.
    if (given_up := state.waits_for_a_person) is not None:
        state.stop = _handed_over(given_up)
        return
    final = FinalVersion(state)
    if waiting := [cell.step.id for cell in final.cells if cell.state is PENDING]:
        # only a plan that nobody checked can come to this
        state.stop = Stop(Reason.NO_PLAN, f"these steps wait for each other: {', '.join(waiting)}")
        return
    if final.solver_has_a_say:
        yield from _solved(final)
    if state.stop is None:
        state.stop = next(Stop(reason, why) for reason, rule in VERDICTS if (why := rule(final)) is not None)


def _handed_over(given_up: GivenUp) -> Stop:
    if given_up.check is not None:
        return refusal(given_up.check)
    step_id = given_up.failure.cell.step.id
    return Stop(Reason.ESCALATED, f"step {step_id} needs a person: {given_up.failure.signal.error_type}")


def _solved(final: FinalVersion) -> Iterator[Event]:
    """Call the Solver, where there are tokens for it."""
    state, done, gaps = final.state, final.done, final.gaps
    tokens = state.cost.solver(evidence=len(done), gaps=len(gaps))
    if (check := state.budget.refusal(Moment.SOLVER, state, Spending(tokens=tokens))) is not None:
        yield state.refused(check, None)
        return
    answered = final.is_enough and not final.missing
    yield state.emit(SolverCalled, tuple(done), tuple(gaps), final.missing, answered)
    yield state.book(LedgerKind.SOLVER, tokens)


def _nothing_done(final: FinalVersion) -> str | None:
    return None if final.done else "nothing of the final plan was done"


def _required(final: FinalVersion) -> str | None:
    return f"required and not done: {', '.join(final.missing)}" if final.missing else None


def _too_little(final: FinalVersion) -> str | None:
    needed = final.state.policy.solver.min_evidence
    return None if final.is_enough else f"{len(final.done)} pieces of evidence, and the Solver needs {needed}"


def _unsettled(final: FinalVersion) -> str | None:
    """A call may have happened, and nobody has said whether it did: such a session never completes."""
    doubts = [f"step {made.caller.step_id}'s call of {made.tool}" for made in final.state.once.unsettled()]
    return f"may have happened, and a person has to say so: {', '.join(doubts)}" if doubts else None


def _flawed(final: FinalVersion) -> str | None:
    flawed = final.flawed()
    more = " …" if len(flawed) > NAMED else ""
    return f"not everything holds: {', '.join(flawed[:NAMED])}{more}" if flawed else None


# Failures before successes: what can't be answered, then what a person has to settle first, then what does not hold.
VERDICTS: tuple[tuple[Reason, Callable[[FinalVersion], str | None]], ...] = (
    (Reason.INSUFFICIENT_EVIDENCE, _nothing_done),
    (Reason.INSUFFICIENT_EVIDENCE, _required),
    (Reason.INSUFFICIENT_EVIDENCE, _too_little),
    (Reason.ESCALATED, _unsettled),
    (Reason.GOAL_MET_WITH_GAPS, _flawed),
    (Reason.GOAL_MET, lambda final: ""),
)


def missing(state: SessionState) -> tuple[str, ...]:
    """The variables of required lineages that were not done, the policy's first. The plain loop requires no steps."""
    names = list(state.policy.solver.require)
    if not state.plain:
        names += map(variable_name, state.graph.required)
    if not names:
        return ()
    steps = (cell.step for cell in state.graph.ever)
    # By lineage, since a planner may give required work another id as often as it likes.
    after = {step.replaces: step.id for step in steps if step.replaces is not None}
    found: dict[str, str] = {}  # by the step that the lineage ends with
    for name in names:
        line = _line(required_step(name), after)
        if not _was_done(line, state):
            found.setdefault(line[-1], name)
    return tuple(found.values())


def _line(id_: str, after: Mapping[str, str]) -> list[str]:
    """A step and those that stood for it, one after the other."""
    line = [id_]
    while (next_ := after.get(line[-1])) is not None:
        line.append(next_)
    return line


def _was_done(line: Sequence[str], state: SessionState) -> bool:
    """Whether its step is done, or what it last delivered still holds and nothing stands for it now."""
    cell = state.graph.cells.get(line[-1])
    if cell is not None:
        return cell.state is DONE
    delivered = [health for id_ in line if (health := state.variables.health(id_)) is not None]
    return bool(delivered) and delivered[-1] is not Health.VOID
