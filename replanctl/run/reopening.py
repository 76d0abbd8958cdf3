"""What a stop gave up is pending again: how a session that was aborted or handed to a person goes on."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

import msgspec

from replanctl.kinds import Reason
from replanctl.live import FAILED, SKIPPED, Cell
from replanctl.plan import Step
from replanctl.run.committing import skip_unreachable
from replanctl.run.events import Event, PlanCommit, PlanDiffed
from replanctl.run.state import GivenUp, SessionState
from replanctl.run.step_ends import StepEnds

RESUME = "resume"  # the rule and cause of the version in which a resumed session goes on


def reopen(
    state: SessionState, ends: StepEnds, reason: Reason | None = None, also: Iterable[Cell] = ()
) -> Iterator[Event]:
    """Commit a version in which the steps that were given up are pending again; no events where there are none.

    That is what a stop for this reason gave up, and, whatever the reason, what executions a gate ended, the steps whose
    breaker would now admit one more replan, and what a person's word makes pending `also`.
    """
    lost = _lost(state, reason, also)
    if state.spent is None:
        state.abandoned = []
    if not lost:
        return
    state.given_up = [each for each in state.given_up if each.failure.cell not in lost]
    state.aborted = [failure for failure in state.aborted if failure.cell not in lost]
    graph, refuted, parent = state.graph, state.variables.refuted, state.version
    # A premise that was refuted stays so, and what rests on it is born degraded: the steps go on without it.
    steps = tuple(_without(cell.step, refuted) for cell in graph.listed() if cell in lost)
    kept = {cell.place: cell for cell in graph.readers.assuming(refuted) if cell.is_open}
    amended = tuple(_without(cell.step, refuted) for cell in graph.in_order(kept.values()))
    made = graph.commit(steps, amended, refuted=refuted)
    state.version = f"v{graph.version}"
    yield state.emit(
        PlanCommit, parent, None, RESUME, RESUME, state.goal, steps, amended,
        total=len(graph.cells), refuted=tuple(refuted),
    )  # fmt: skip
    yield state.emit(PlanDiffed, parent, state.version, None, RESUME)
    yield from skip_unreachable(made, state, ends)


def _not_done(state: SessionState) -> set[Cell]:
    return {cell for cell in state.graph.cells.values() if cell.state in (FAILED, SKIPPED) and not cell.awaits_replan}


# A person was asked for by these stops: what waits for one is pending again.
_A_PERSON_WAS_ASKED = (Reason.ABORTED, Reason.ESCALATED, Reason.STEP_BREAKER)


def _lost(state: SessionState, reason: Reason | None, also: Iterable[Cell]) -> set[Cell]:
    """What becomes pending again. Every stop that is not named leaves what is open as it is, and so does a person's
    word that a step is let be."""
    let_be = {cell for cell in state.let_be if not cell.gone}
    if reason is Reason.INSUFFICIENT_EVIDENCE:
        return _not_done(state) - let_be
    asked = reason in _A_PERSON_WAS_ASKED
    # One that a draft has listed again since is handed over no more, and what was skipped for it stays so.
    handed = [each for each in state.given_up if not each.failure.cell.gone]
    ways = [cell for each in handed if _taken_up(state, each, asked) for cell in _cells(each)]
    # Where a gate's stop is still to come, it has ended them just now.
    ended = state.abandoned if state.spent is None else ()
    ways += [*(failure.cell for failure in state.aborted if asked), *ended, *also]
    found: set[Cell] = set()
    while ways:
        cell = ways.pop()
        if cell not in found and not cell.gone and cell not in let_be:
            found.add(cell)
            ways += (c for c in cell.dependents if c.state is SKIPPED)
    return found


def _taken_up(state: SessionState, given_up: GivenUp, asked: bool) -> bool:
    """A step that the breaker gave up stays given up until its limit is raised."""
    if (check := given_up.check) is None:
        return asked
    limit = state.limits.per_step
    return limit is None or check.reading < limit


def _cells(given_up: GivenUp) -> tuple[Cell, ...]:
    return (given_up.failure.cell, *given_up.skipped)


def _without(step: Step, refuted: Container[str]) -> Step:
    """The step without the premises that have fallen."""
    return msgspec.structs.replace(step, assumes=tuple(name for name in step.assumes if name not in refuted))
