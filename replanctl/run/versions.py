"""The steps of the version in force as a reader of events knows them: their order and their states."""

from __future__ import annotations

from replanctl.kinds import StepState
from replanctl.live import PENDING
from replanctl.plan import Step
from replanctl.run.events import PlanCommit
from replanctl.run.result import StepView


class PlanVersion:
    """The steps of the version in force, in list order, with their states."""

    def __init__(self) -> None:
        self.steps: dict[str, Step] = {}  # in list order
        self.state: dict[str, StepState] = {}
        self.awaiting_replan: set[str] = set()  # failed, and waiting for their own replan
        self._views: dict[str, tuple[Step, StepView]] = {}

    def commit(self, event: PlanCommit) -> None:
        """What has ended, the new steps, what else is open."""
        gone = {*event.removed, *(step.id for step in event.steps)}
        amended = {step.id: step for step in event.amended}
        kept = {id_: amended.get(id_, step) for id_, step in self.steps.items() if id_ not in gone}
        ended = {id_: step for id_, step in kept.items() if self._has_ended(id_)}
        rest = {id_: step for id_, step in kept.items() if id_ not in ended}
        self.steps = ended | {step.id: step for step in event.steps} | rest
        for id_ in gone:
            self.state.pop(id_, None)
            self.awaiting_replan.discard(id_)

    def _has_ended(self, id_: str) -> bool:
        return self.state.get(id_, PENDING) is not PENDING and id_ not in self.awaiting_replan

    def views(self) -> tuple[StepView, ...]:
        """Every step as it stands now; one that did not change since is the same object as before."""
        return tuple([self._view(id_, step) for id_, step in self.steps.items()])

    def _view(self, id_: str, step: Step) -> StepView:
        state = self.state.get(id_, PENDING)
        known = self._views.get(id_)
        if known is not None and known[0] is step and known[1].state is state:
            return known[1]
        view = StepView(
            id_, step.action, step.tool_name, step.args, step.expected_outcome, step.depends_on or (), step.assumes,
            state, step.replaces,
        )  # fmt: skip
        self._views[id_] = (step, view)
        return view
