"""A later version put in force: what leaves, what comes, and what stays with other dependencies.

A commit costs no more than what it changes. It is the graph's own business, apart from it because most sessions never
come to it.
"""

# The graph's inner parts are written here as they are in `graph.py`.
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappush

from replanctl.live.cells import DONE, FAILED, PENDING, Cell, Reading, stand_for
from replanctl.live.graph import Graph
from replanctl.plan import Step


class Change:
    """The change of one graph to its version, whose number it has already. Ladders start `afresh` with a new goal, and
    no open step rests on what is `refuted` any more."""

    def __init__(self, graph: Graph, *, afresh: bool, refuted: Iterable[str]) -> None:
        self._graph, self._afresh, self._refuted = graph, afresh, refuted
        self._written = Reading(graph.version)  # how the texts are read that come with it

    def put_in_force(
        self, steps: Sequence[Step], amended: Sequence[Step], removed: Sequence[str], readings: Mapping[str, Reading]
    ) -> list[Cell]:
        """Make the change; returns the cells it made, in list order."""
        graph = self._graph
        leaving = self._take_out(steps, removed)
        graph._low = first = graph._low - len(steps)
        graph.readers.forget(self._refuted)
        made = [self._put(step, place, leaving) for place, step in enumerate(steps, first)]
        if amended:
            made += map(self._amend, amended)
        for id_, reading in readings.items():
            graph.cells[id_].reading = reading
        for cell in made:
            self._link(cell)
        graph.readers.add_hidden(made)
        return made

    def _take_out(self, steps: Sequence[Step], removed: Sequence[str]) -> dict[str, Cell]:
        """The cells that leave or are listed again, by id: what the new ones take over from."""
        cells = self._graph.cells
        leaving: dict[str, Cell] = {}
        for id_ in (*removed, *[step.id for step in steps if step.id in cells]):
            cell = leaving[id_] = cells.pop(id_)
            self._drop(cell)
        return leaving

    def _drop(self, cell: Cell) -> None:
        graph = self._graph
        cell.gone = True
        if cell.is_open:
            graph._open.drop(cell)
        if cell.state is DONE:
            graph.done -= 1
        cell.until = cell.until or graph.version

    def _put(self, step: Step, place: int, leaving: Mapping[str, Cell]) -> Cell:
        graph = self._graph
        cell = Cell(step, place, graph.version, on_gaps=bool(step.gaps), reading=self._written)
        if (old := leaving.get(step.id) or leaving.get(step.replaces or "")) is not None:
            stand_for(old, cell, afresh=self._afresh)
        self._enter(cell)
        if step.id not in graph.known:
            graph.known.add(step.id, graph.version)
            if graph._book is not None:
                graph._book.note(step.id)
        return cell

    def _amend(self, step: Step) -> Cell:
        graph = self._graph
        old = graph.cells[step.id]
        if not old.is_open:  # it has ended, and only follows what it depended on
            old.step = step
            return old
        self._drop(old)
        cell = Cell(step, old.place, graph.version, on_gaps=bool(step.gaps))
        cell.lineage, cell.original, cell.reading = old.lineage, old.original, old.reading
        cell.dependents = [c for c in old.dependents if not c.gone]
        if old.awaits_replan:
            cell.state, cell.awaits_replan = FAILED, True
        self._enter(cell)
        return cell

    def _enter(self, cell: Cell) -> None:
        graph = self._graph
        graph.cells[cell.step.id] = graph._at[cell.place] = cell
        graph.ever.append(cell)
        graph._open.add(cell)
        if cell.step.required or cell.step.assumes:
            graph.note(cell)

    def _link(self, cell: Cell) -> None:
        cells = self._graph.cells
        for id_ in cell.step.depends_on or ():
            if (dependency := cells.get(id_)) is None:
                continue
            if dependency.gap:
                cell.gap_deps += 1
            elif dependency.state is not DONE:
                cell.unmet += 1
            dependency.dependents.append(cell)
        if not cell.unmet and cell.state is PENDING:
            heappush(self._graph._ready, cell.place)
