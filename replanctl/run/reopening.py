"""What a stop gave up is pending again: how a session that was aborted or handed to a person goes on."""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from replanctl.kinds import Reason
from replanctl.live import FAILED, SKIPPED, Cell
from replanctl.plan import Step
from replanctl.run.committing import skip_unreachable
from replanctl.run.events import Event, PlanCommit, PlanDiffed
from replanctl.run.state import SessionState
from replanctl.run.step_ends import StepEnds

RESUME = "resume"  # the rule and cause of the version in which a resumed session goes on


def reopen(state: SessionState, ends: StepEnds, reason: Reason) -> Iterator[Event]:
    """A version in which what a stop for this reason gave up is pending again; none where it gave nothing up."""
    find = _GIVEN_UP_BY.get(reason)
    lost = find(state) if find is not None else ()
    if not lost:
        return
    state.aborted, state.escalated, state.handed_over = None, [], []
    graph, refuted, parent = state.graph, state.variables.refuted, state.version
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


def _given_up(state: SessionState) -> set[Cell]:
    """What was aborted or handed over, and every step that was skipped because it rests on such a one."""
    found: set[Cell] = set()
    ways = [cell for cell in state.handed_over if not cell.gone]
    while ways:
        cell = ways.pop()
        if cell not in found:
            found.add(cell)
            ways += (c for c in cell.dependents if c.state is SKIPPED and not c.gone)
    return found


# Every other stop leaves what is open as it is.
_GIVEN_UP_BY = {
    Reason.ABORTED: _given_up,
    Reason.ESCALATED: _given_up,
    Reason.INSUFFICIENT_EVIDENCE: _not_done,
}


def _without(step: Step, refuted: Container[str]) -> Step:
    """The step without the premises that have fallen."""
    return msgspec.structs.replace(step, assumes=tuple(name for name in step.assumes if name not in refuted))
