"""The versions of a plan as a reader of events knows them.

A version holds the whole plan, and a session may have a thousand versions of ten thousand steps. So while events come
in only what a version changes is kept; whole plans are put together once, when somebody asks for the result, from
views that versions share. The order of a list is the one that `plan.commit` states: what has ended, the new steps,
what else is open.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from replanctl.kinds import StepState
from replanctl.live import PENDING
from replanctl.plan import Step
from replanctl.run.events import PlanCommit
from replanctl.run.result import StepView, VersionView


class _Chapter(NamedTuple):
    """One version: what it changed, the views of the steps that it made or moved, and which of those have ended."""

    commit: PlanCommit
    views: Mapping[str, StepView]
    ended: tuple[str, ...]


class PlanVersions:
    """The steps in force with their states, and what every version made of them."""

    def __init__(self) -> None:
        self.steps: dict[str, Step] = {}
        self._state: dict[str, StepState] = {}
        self._awaiting_replan: set[str] = set()  # failed, and waiting for their own replan
        self._moved: dict[str, None] = {}  # what this version made or moved
        self._commit: PlanCommit | None = None
        self._chapters: list[_Chapter] = []

    def commit(self, event: PlanCommit) -> None:
        """A version is in force; the one before is closed."""
        if self._commit is not None:
            self._chapters.append(self._chapter(self._commit))
        self._commit, self._moved = event, {}
        if self.steps:
            for id_ in (*event.removed, *(step.id for step in event.steps)):
                self.steps.pop(id_, None)
                self._state.pop(id_, None)
                self._awaiting_replan.discard(id_)
        now = {step.id: step for step in (*event.steps, *event.amended)}
        self.steps.update(now)
        self._moved.update(dict.fromkeys(now))

    def move(self, id_: str, state: StepState) -> None:
        """A step is in another state."""
        self._state[id_] = state
        self._moved[id_] = None

    def await_replan(self, id_: str, waits: bool) -> None:
        """A failed step waits for its own replan, or does not any more."""
        (self._awaiting_replan.add if waits else self._awaiting_replan.discard)(id_)
        self._moved[id_] = None

    def views(self) -> tuple[VersionView, ...]:
        """Every version so far with its whole plan; steps that did not change are the same objects in all of them."""
        if self._commit is None:
            return ()
        chapters = [*self._chapters, self._chapter(self._commit)]
        return tuple(
            VersionView(c.commit.version, c.commit.parent, c.commit.granularity, c.commit.rule, c.commit.cause, steps)
            for c, steps in zip(chapters, _plans(chapters), strict=True)
        )

    def _chapter(self, commit: PlanCommit) -> _Chapter:
        moved = [id_ for id_ in self._moved if id_ in self.steps]
        state, waiting = self._state, self._awaiting_replan
        ended = [id_ for id_ in moved if state.get(id_, PENDING) is not PENDING and id_ not in waiting]
        return _Chapter(commit, {id_: self._view(id_) for id_ in moved}, tuple(ended))

    def _view(self, id_: str) -> StepView:
        step = self.steps[id_]
        return StepView(
            id_, step.action, step.tool_name, step.args, step.expected_outcome, step.depends_on or (), step.assumes,
            self._state.get(id_, PENDING), step.replaces,
        )  # fmt: skip


def _plans(chapters: Iterable[_Chapter]) -> Iterator[tuple[StepView, ...]]:
    """The whole plan of each version, in list order: a copy of pointers, and beyond that no more than what changed."""
    ended, rest = _Section(), _Section()  # the open steps stand back to front: new ones come at their end
    low = count = 0  # the place of the first open step; how many have ended
    before: _Chapter | None = None
    for chapter in chapters:
        commit = chapter.commit
        if before is not None:
            for place in sorted(rest.places[id_] for id_ in before.ended if id_ in rest.places)[::-1]:
                view = rest.take(place)
                ended.put(view.id, count := count + 1, view)
            for id_ in (*commit.removed, *(step.id for step in commit.steps)):
                for section in (ended, rest):
                    if (at := section.places.get(id_)) is not None:
                        section.take(at)
        for step in reversed(commit.steps):
            rest.put(step.id, low := low + 1, chapter.views[step.id])
        for id_ in chapter.views.keys() - {step.id for step in commit.steps}:
            (rest if id_ in rest.places else ended).replace(id_, chapter.views[id_])
        yield (*ended.views, *reversed(rest.views))
        before = chapter


# Places are numbers that are given out and never moved, so that what leaves makes no other step look for its place
# again.
class _Section:
    """Steps by ascending place; one that is put in has the highest so far."""

    def __init__(self) -> None:
        self.views: list[StepView] = []
        self.places: dict[str, int] = {}
        self._order: list[int] = []

    def put(self, id_: str, place: int, view: StepView) -> None:
        """One more, behind all others."""
        self.places[id_] = place
        self._order.append(place)
        self.views.append(view)

    def replace(self, id_: str, view: StepView) -> None:
        """The same step, seen anew."""
        self.views[bisect_left(self._order, self.places[id_])] = view

    def take(self, place: int) -> StepView:
        """The step at this place, which leaves."""
        index = bisect_left(self._order, place)
        del self._order[index]
        view = self.views.pop(index)
        del self.places[view.id]
        return view
