"""Steps that stand for others without doing their work, and work that is not recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from replanctl.live.calls import Finished
from replanctl.live.cells import Cell
from replanctl.plan import Step, references
from replanctl.run import events as e
from replanctl.run.engine import Session
from tests.properties.bend import Bend, edited, engine, told
from tests.properties.laws import standing
from tests.properties.story import DONE, Moment


class _NoLinks(Finished):
    """Finished work is recognised only where nothing is read, so that a chain is not."""

    def same(self, step: Step, holds: Callable[[str], bool]) -> Cell | None:
        """What reads something is never the same."""
        return None if references.mentions(step.args) else super().same(step, holds)


def _no_links(session: Session) -> None:
    session._replanning._committing._finished = _NoLinks(session.state.graph)


def _new(event: e.PlanCommit, moment: Moment) -> list[Any]:
    return [step for step in event.steps if step.id not in moment.before.steps]


def _usurped(event: e.PlanCommit, moment: Moment) -> Iterable[e.Event]:
    """A new step with another tool is put in the place of a required one."""
    required = next(id_ for id_ in event.removed if id_ in moment.before.required)
    old = moment.before.steps[required]
    wrong = next(step for step in _new(event, moment) if step.tool_name != old.tool_name)
    steps = tuple(replace(step, replaces=required) if step is wrong else step for step in event.steps)
    return [replace(event, steps=steps)]


def _can_be_usurped(event: e.PlanCommit, moment: Moment) -> bool:
    plan = moment.before
    gone = [plan.steps[id_] for id_ in event.removed if id_ in plan.required]
    return bool(gone) and any(step.tool_name != gone[0].tool_name for step in _new(event, moment))


def _goes_on(event: e.PlanCommit, moment: Moment) -> bool:
    """Whether a required step that is not done goes, and another stands for it."""
    plan = moment.before
    gone = [id_ for id_ in event.removed if id_ in plan.required and plan.state[id_] is not DONE]
    return bool(gone) and any(step.replaces in gone for step in event.steps)


def _reads_itself(event: e.PlanCommit, moment: Moment) -> Iterable[e.Event]:
    first, *rest = event.steps
    return [replace(event, steps=(replace(first, args={"in": f"#E{first.id}"}), *rest))]


_nobody = edited(steps=lambda steps: tuple(replace(step, replaces=None) for step in steps))


def _is_local(event: e.PlanCommit, moment: Moment) -> bool:
    return event.granularity in ("patch", "tail")


STANDING: dict[Any, tuple[Bend, ...]] = {
    standing.nothing_else_stands_for_a_required_step: (told(e.PlanCommit, _usurped, _can_be_usurped),),
    standing.a_required_step_is_not_dropped: (
        told(e.PlanCommit, _nobody, _goes_on),
        told(e.PlanRejected, edited(reasons=lambda reasons: tuple(r.replace("replaces:", "is") for r in reasons))),
    ),
    standing.the_failed_step_lives_on: (told(e.PlanCommit, _nobody, _is_local),),
    standing.done_work_is_recognised_link_by_link: (engine(_no_links),),
    standing.no_step_is_made_to_read_itself: (told(e.PlanCommit, _reads_itself, lambda event, _: bool(event.steps)),),
    standing.a_steps_lineage_does_not_hang_on_its_id: (told(e.PlanCommit, _nobody, _is_local),),
}
