"""Curing what a draft misspells: a missing variable, and args under names that a tool does not know.

A missing variable gets its edge added, the nearest name taken, or the gap written down. Every mend is a warning that
shows both texts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

import msgspec

from replanctl.kinds import Unreadable
from replanctl.live import DONE, FAILED, SKIPPED, Cell, Graph
from replanctl.nearest import closest
from replanctl.plan import Reference, Step, references


class Standing(Protocol):
    """What a reference meets right now."""

    def state(self, reference: Reference) -> Unreadable | None:
        """Empty when it can be read, else what stands in the way (`pending`, `failed`, `no such field`, …)."""
        ...

    def value(self, step_id: str) -> Any:
        """The value of a variable that can be read."""
        ...

    def is_clean(self, step_id: str) -> bool:
        """Whether a new plan may read a step's variable without a verdict."""
        ...


class Mended(msgspec.Struct, frozen=True, gc=False):
    """A step that can be read again, and what was done to it; `put_in` are the ids that it reads instead of others."""

    step: Step
    warnings: tuple[str, ...]
    put_in: tuple[str, ...] = ()


def mend(step: Step, graph: Graph, standing: Standing, unmade: Collection[str] = ()) -> Mended:
    """The step with all its bad references cured at once.

    `unmade` are the steps that had not run when it failed: what counts for them is how things stood then.
    """
    return _Mender(step, graph, standing, unmade).mended()


class _Mender:
    def __init__(self, step: Step, graph: Graph, standing: Standing, unmade: Collection[str]) -> None:
        self.step, self.graph, self.standing, self.unmade = step, graph, standing, unmade
        self.edges: dict[str, None] = {}
        self.gaps: dict[str, None] = {}
        self.put_in: dict[str, None] = {}
        self.warnings: list[str] = []
        cell = graph.cells.get(step.id)
        self.known = graph.known.read(cell.reading) if cell is not None else graph.known
        self.resting = {c.step.id for c in graph.resting_on(cell)} if cell is not None else set()
        # Nor can a step wait for itself.
        self.resting.add(step.id)

    def mended(self) -> Mended:
        step = self.step
        args = references.transform(step.args, self.known, self._whole, self._inside, undo=False)
        depends_on = tuple(dict.fromkeys([*(step.depends_on or ()), *self.edges]))
        gaps = tuple(dict.fromkeys([*step.gaps, *self.gaps]))
        step = msgspec.structs.replace(step, args=args, depends_on=depends_on, gaps=gaps)
        return Mended(step, tuple(dict.fromkeys(self.warnings)), tuple(self.put_in))

    def _whole(self, reference: Reference) -> Any:
        cured = self._cure(reference)
        if cured is None:
            self._warn(reference, "null")
        return cured

    def _inside(self, reference: Reference) -> str:
        cured = self._cure(reference)
        if cured is None:
            cured = f"[gap: E{reference.step_id}]"
            self._warn(reference, cured)
        return cured

    def _cure(self, reference: Reference) -> str | None:
        """The text that can be read, or None where nothing will ever come of it."""
        state = self._state(reference)
        if not state:
            return reference.text
        # An edge to a step that rests on this one would close a cycle.
        if state == Unreadable.PENDING and reference.step_id not in self.resting:
            self.edges[reference.step_id] = None
            self.warnings.append(
                f"step {self.step.id}: {reference.text} → {reference.text} after step {reference.step_id}"
            )
            return reference.text
        # A step that will never run can't be waited for; only a name that nobody has, of a step or of a field, may have
        # been meant otherwise.
        nearest = self._nearest(reference, state)
        if nearest is None:
            self.gaps[reference.step_id] = None
            return None
        if nearest.step_id != reference.step_id or not reference.known:  # an id born later may be the nearest
            self.edges[nearest.step_id] = self.put_in[nearest.step_id] = None
        self._warn(reference, nearest.text)
        return nearest.text

    def _state(self, reference: Reference) -> Unreadable | None:
        """What stands in the way. A step that had not run is still to be waited for, unless it failed for good."""
        cell = self.graph.cells.get(reference.step_id) if reference.known else None
        if cell is None or not self._was_unmade(cell):
            return self.standing.state(reference)
        lost = cell.state in (FAILED, SKIPPED) and not cell.awaits_replan
        return Unreadable.FAILED if lost else Unreadable.PENDING

    def _was_unmade(self, cell: Cell) -> bool:
        return bool(self.unmade) and any(id_ in self.unmade for id_ in self.graph.lineage_ids(cell))

    def _nearest(self, reference: Reference, state: Unreadable) -> Reference | None:
        """The reference that was probably meant."""
        if state == Unreadable.NO_STEP:
            id_ = closest(reference.step_id, self._candidates())
            if id_ is None:
                return None
            meant = _reference(id_, reference.path)
            return self._nearest(meant, s) if (s := self.standing.state(meant)) == Unreadable.NO_FIELD else meant
        return self._nearest_field(reference) if state == Unreadable.NO_FIELD else None

    def _candidates(self) -> list[str]:
        """Ids that may have been meant: of done steps that may be read, or, where there are none, of open ones that do
        not wait for this one."""
        cells = self.graph.listed()
        done = [cell.step.id for cell in cells if cell.state is DONE and self.standing.is_clean(cell.step.id)]
        if done:
            return done
        return [cell.step.id for cell in cells if cell.is_open and cell.step.id not in self.resting]

    def _nearest_field(self, reference: Reference) -> Reference | None:
        """The path with each key that is not there replaced by the closest one that is."""
        value = self.standing.value(reference.step_id)
        path: list[str | int] = []
        for part in reference.path:
            key = closest(part, map(str, value)) if isinstance(value, dict) and isinstance(part, str) else part
            try:
                value = references.follow(value, (part if key is None else key,))
            except LookupError:
                return None
            path.append(part if key is None else key)
        return _reference(reference.step_id, tuple(path))

    def _warn(self, reference: Reference, instead: str) -> None:
        self.warnings.append(f"step {self.step.id}: {reference.text} → {instead}")


def _reference(id_: str, path: tuple[str | int, ...]) -> Reference:
    return Reference(id_, path, references.render(id_, path))


def misspelt_args(args: dict[str, Any], schema: dict[str, Any]) -> dict[str, str]:
    """The args that a tool's schema does not know, each with the missing required one that was probably meant."""
    known, required = schema.get("properties"), schema.get("required")
    known, required = known if isinstance(known, dict) else {}, required if isinstance(required, list) else []
    missing = [name for name in required if name not in args]
    meant: dict[str, str] = {}
    for name in args:
        if name not in known and name not in required and (near := closest(name, missing)) is not None:
            meant[name] = near
            # One slip each: two unknown args can't both be the one that is missing.
            missing.remove(near)
    return meant


def respelt(step: Step, meant: dict[str, str]) -> tuple[Step, tuple[str, ...]]:
    """The step with these args under the names that were meant, and a warning for each that shows both."""
    args = {meant.get(name, name): value for name, value in step.args.items()}
    warnings = tuple(f"step {step.id}: arg {name} → {near}" for name, near in meant.items())
    return msgspec.structs.replace(step, args=args), warnings
