"""What becomes of the steps that a draft leaves in the plan: those that name a step that goes follow to the one that
stands for it, and those that rest on a premise which has fallen rest on it no longer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from replanctl.live.cells import DONE, Cell, Reading
from replanctl.live.graph import Graph
from replanctl.plan import Step, may_refer, references, references_in, renamed


# What is done names what it was done with, and never follows. What was skipped or failed for good does, although it
# will not run: a later draft may list it again. Only steps that name something that goes are looked at, found by the
# edges they have and by the references they hide, so that the rest of the plan costs nothing.
class Following:
    """Leads the kept steps of one plan after `successors`: the id that stands for each old one. `readings` are those of
    the texts that were led, by step id."""

    def __init__(self, graph: Graph, successors: Mapping[str, str], refuted: Mapping[str, Any]) -> None:
        self._graph, self._successors, self._refuted = graph, successors, refuted
        self.readings: dict[str, Reading] = {}

    def amended(self, going: Mapping[str, Cell], listed: Container[str]) -> tuple[Step, ...]:
        """The steps that neither go nor are `listed` and that change, in list order, as they will be."""
        kept = {
            cell.place: cell
            for cell in self._touched(going)
            if not cell.gone and cell.state is not DONE and cell.step.id not in going and cell.step.id not in listed
        }
        amended = ((kept[place], self._amend(kept[place])) for place in sorted(kept))
        return tuple([new for cell, new in amended if new != cell.step])

    def _touched(self, going: Mapping[str, Cell]) -> Iterator[Cell]:
        graph = self._graph
        for id_, cell in going.items():
            if id_ in self._successors:
                yield from cell.dependents
                yield from graph.readers.hidden(id_, graph.cells)
        if self._refuted:
            yield from graph.readers.assuming(self._refuted)

    def _amend(self, cell: Cell) -> Step:
        step, known = cell.step, self._graph.known.read(cell.reading)
        if may_refer(step):
            self.readings[step.id] = self.reading(cell, references_in(step, known))
        return msgspec.structs.replace(
            renamed(step, known, self._successors),
            depends_on=tuple(dict.fromkeys(self._successors.get(d, d) for d in step.depends_on or ())),
            assumes=tuple(a for a in step.assumes if not cell.is_open or a not in self._refuted),
        )

    def reading(self, cell: Cell, found: Iterable[references.Reference], put_in: Iterable[str] = ()) -> Reading:
        """How a step's text is read once it was led: as before, with the ids in it now that it did not know."""
        upto, known = cell.reading.upto, self._graph.known
        read = [self._successors.get(r.step_id, r.step_id) for r in found if r.known]
        return Reading(upto, frozenset([id_ for id_ in (*read, *put_in) if known.get(id_, upto + 1) > upto]))
