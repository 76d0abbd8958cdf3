"""What one replan answers: a failure or a changed goal, how deep it cuts, and what it replaces."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from replanctl.kinds import ErrorType, Granularity
from replanctl.live import DONE, Cell
from replanctl.plan import shortened
from replanctl.replan import GOAL_CHANGED, Decision, FailureSignal, RouteFacts, route
from replanctl.run.state import Failure, SessionState


# A replan has two signals. The failure's own decides route, lesson and ladder, and stays what it was however often a
# draft is refused. The one that is shown to the replanner, and counted by the breaker, becomes `invalid_draft` with the
# reasons after a bad draft: so the planner is told what to mend, and can't use up the counts of the failure itself.
class Trigger(msgspec.Struct, eq=False):
    """A failure, or (without one) a changed goal, with the decision how deep to cut.

    `step_id` is that of the failed step, `scope` what the granularity replaces, the failed step first; `lines` are the
    steps that a request names. `shown_signal` is the signal a replanner is given: after a bad draft it is no longer the
    failure's own.
    """

    decision: Decision
    failure: Failure | None = None
    step_id: str | None = None
    shown_signal: FailureSignal | None = None
    scope: tuple[Cell, ...] = ()
    lines: tuple[Cell, ...] = ()

    @property
    def cell(self) -> Cell | None:
        """The failed step, if a failure is what this is about."""
        return self.failure.cell if self.failure is not None else None

    @property
    def signal(self) -> FailureSignal | None:
        """The failure's own signal."""
        if self.failure is None:
            return None
        own = self.failure.signal
        return FailureSignal(own.step_id, own.error_type, own.error_msg, own.attempted, own.evidence)

    @property
    def attempted(self) -> tuple[str, ...]:
        """Every call the failed execution made."""
        return self.failure.signal.attempted if self.failure is not None else ()

    @property
    def cause(self) -> str:
        """The cause a version records."""
        if self.failure is None:
            return ErrorType.GOAL_CHANGED
        return f"{self.failure.signal.error_type}@{self.failure.cell.step.id}"

    def refused(self, reasons: Sequence[str]) -> None:
        """A draft was refused: the replanner is told why when it is asked again."""
        text = shortened("; ".join(reasons), 200)
        step_id = self.step_id or "none"
        evidence = {"reasons": list(reasons)}
        self.shown_signal = FailureSignal(step_id, ErrorType.INVALID_DRAFT, text, self.attempted, evidence)


def failure_trigger(state: SessionState, failure: Failure, *, plain: bool) -> Trigger:
    """Route a failure. In the `plain` loop a draft is the whole rest of the plan."""
    cell, graph = failure.cell, state.graph
    radius = state.radius(failure)
    direct = graph.direct(cell)
    decision = route(_facts(state, failure, len(radius), len(direct)), state.policy.routing)
    trigger = Trigger(decision, failure, cell.step.id)
    trigger.shown_signal = trigger.signal
    if plain:
        trigger.scope = trigger.lines = (cell, *(c for c in graph.open_cells() if c is not cell))
    elif decision.granularity is Granularity.GLOBAL:
        trigger.scope, trigger.lines = _everything(state)
    elif decision.granularity is Granularity.TAIL:
        trigger.scope = trigger.lines = (cell, *radius)
    else:
        trigger.scope, trigger.lines = (cell,), (cell, *direct)
    return trigger


def goal_trigger(state: SessionState) -> Trigger:
    """A changed goal is always a global replan."""
    scope, lines = _everything(state)
    return Trigger(GOAL_CHANGED, scope=scope, lines=lines)


def _everything(state: SessionState) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    cells = tuple(state.graph.listed())
    return cells, tuple(cell for cell in cells if cell.state is not DONE)


def _facts(state: SessionState, failure: Failure, radius: int, direct: int) -> RouteFacts:
    cell, signal, cells = failure.cell, failure.signal, state.graph.cells
    lineage = state.graph.lineage(cell)
    fallen = state.variables.resting_on(signal.refutes) if signal.refutes else ()
    return RouteFacts(
        error_type=signal.error_type,
        lineage=lineage.ids,
        tool=cell.step.tool_name,
        radius=radius,
        direct=direct,
        state=signal.evidence.get("state"),
        # Done work alone: what is open is replanned anyway, and a premise that only it rests on overturns nothing.
        premise_fell=any((c := cells.get(id_)) is not None and c.state is DONE for id_ in fallen),
        forced=cell.step.granularity,
        deepest=lineage.deepest,
        doubtful=failure.doubtful,
    )
