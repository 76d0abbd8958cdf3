"""The live plan: which steps there are, in which state and order, and what rests on what.

A commit costs no more than what it changes, and ending a step no more than its dependents: the graph keeps a ready
heap, links only to dependencies that are still open, and puts new steps before the open ones without renumbering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from replanctl.kinds import StepState
from replanctl.live.cells import (
    BY_PLACE,
    DONE,
    FAILED,
    MOVES,
    PENDING,
    RUNNING,
    SKIPPED,
    Cell,
    OpenSteps,
    Reading,
    first_cells,
    in_list_order,
    line_of,
    no_move,
    resting_on,
)
from replanctl.live.readers import Ids, Readers
from replanctl.plan import Step

if TYPE_CHECKING:
    from replanctl.plan import IdBook, NewIds


class Graph:
    """The steps of the current version by id, their order, and every id ever used."""

    def __init__(self) -> None:
        self.version = 0
        self.cells: dict[str, Cell] = {}
        self.known = Ids()  # every id ever used
        self._book: IdBook | None = None  # the numbers that ids ever had, once somebody asked
        self.required: dict[str, None] = {}  # steps that say so themselves; it holds for their lineages
        self.ever: list[Cell] = []
        self.done = 0
        self.ever_done: list[Cell] = []  # in the order they ended
        self._open = OpenSteps()
        self.moves = 0  # grows whenever a step moves or the plan changes
        self._ready: list[int] = []  # places
        self._at: dict[int, Cell] = {}  # what stands at a place
        self._held: list[int] = []  # ready places that wait for something else
        self._low = 0  # the place of the step that stands first
        self.readers = Readers()

    def listed(self) -> list[Cell]:
        """Every step of the version in list order."""
        return self.in_order(self.cells.values())

    def in_order(self, cells: Iterable[Cell]) -> list[Cell]:
        """These steps in list order: what had ended at the last commit, by when it ended, and then the rest."""
        return in_list_order(cells, self.version)

    def open_cells(self) -> list[Cell]:
        """Every open step in list order."""
        return self._open.listed()

    def direct(self, cell: Cell) -> list[Cell]:
        """The open direct dependents of a step, in list order."""
        return self.in_order({c.step.id: c for c in cell.dependents if not c.gone and c.is_open}.values())

    def resting_on(self, cell: Cell | None, assumptions: Iterable[str] = ()) -> list[Cell]:
        """The radius of a failure: open steps that rest on the step or on the refuted assumptions, in list order.

        The way to an open step may lead through one that has ended: what ran on a gap that is listed again.
        """
        roots = [*(cell.dependents if cell is not None else ())]
        roots += (c for c in self.readers.assuming(assumptions) if c.is_open)
        return [found for found in resting_on(roots, cell) if found.is_open]

    @property
    def open(self) -> int:
        """How many steps are open."""
        return len(self._open)

    def open_key(self) -> int:
        """A key that equal sequences of open (action, tool) share."""
        return self._open.key()

    lineage = staticmethod(line_of)

    def lineage_ids(self, cell: Cell) -> tuple[str, ...]:
        """The ids of a step's lineage up to it."""
        return cell.lineage.ids if cell.lineage is not None else (cell.step.id,)

    def new_ids(self, own: Iterable[str] = ()) -> NewIds:
        """New ids for a draft, whose `own` ids count as used."""
        from replanctl.plan import IdBook, NewIds

        if self._book is None:
            self._book = IdBook(self.known)
        return NewIds(self._book, own)

    # -- moving -------------------------------------------------------------------------------------------------

    def next_ready(self) -> Cell | None:
        """The first step in list order that may start; it stays at the head until it is moved."""
        ready = self._ready
        while ready:
            cell = self._at[ready[0]]
            if cell.state is PENDING and not cell.gone and not cell.unmet:
                return cell
            heappop(ready)
        return None

    def hold(self) -> None:
        """The step at the head has to wait for something else than its dependencies."""
        self._held.append(heappop(self._ready))

    def release(self) -> None:
        """What was held may start."""
        while self._held:
            heappush(self._ready, self._held.pop())

    # The two moves that every step makes are written out: two calls less for each of them.
    def start(self, cell: Cell) -> None:
        """The step begins to run."""
        if RUNNING not in MOVES[cell.state]:
            raise no_move(cell, RUNNING)
        cell.state = RUNNING
        self.moves += 1
        self._open.drop(cell)
        heappop(self._ready)

    def finish(self, cell: Cell) -> None:
        """The step is done; what waited for it may be ready."""
        if DONE not in MOVES[cell.state]:
            raise no_move(cell, DONE)
        cell.state = DONE
        self.moves += 1
        self.done += 1
        self.ever_done.append(cell)
        cell.until = self.version
        if cell.dependents:
            self._release(cell)

    def fail(self, cell: Cell, *, awaits_replan: bool) -> None:
        """The step failed: for good, or waiting for its own replan."""
        self._move(cell, FAILED)
        if awaits_replan:
            cell.awaits_replan = True
            self._open.add(cell)
        else:
            cell.until = self.version

    def fail_for_good(self, cell: Cell) -> None:
        """A step that waited for a replan will not get one: it failed for good."""
        cell.awaits_replan = False
        self.moves += 1
        self._open.drop(cell)
        cell.until = self.version

    def settle(self, cell: Cell) -> None:
        """A step that failed is done after all, by a person's word; what waited for it may be ready."""
        if cell.awaits_replan:
            self.fail_for_good(cell)
        self._move(cell, DONE)
        self.done += 1
        self.ever_done.append(cell)
        if cell.gap:  # what depends on it has gone on without it
            cell.gap = False
            for dependent in cell.dependents:
                if dependent.state is PENDING and not dependent.gone:
                    dependent.gap_deps -= 1
        else:
            self._release(cell)

    def skip(self, cell: Cell) -> None:
        """The step will not run."""
        self._move(cell, SKIPPED)
        self._open.drop(cell)
        cell.until = self.version

    def leave_gap(self, cell: Cell) -> list[Cell]:
        """A step that ended without a result becomes a gap; returns the steps this leaves with nothing but gaps."""
        cell.gap = True
        blocked = []
        for dependent in cell.dependents:
            if not dependent.gone and dependent.state is PENDING:
                dependent.gap_deps += 1
                dependent.unmet -= 1
                if dependent.unmet == 0:
                    if dependent.gap_deps == len(dependent.step.depends_on or ()):
                        blocked.append(dependent)
                    else:
                        heappush(self._ready, dependent.place)
        return self.in_order(blocked)

    def _move(self, cell: Cell, to: StepState) -> None:
        if to not in MOVES[cell.state]:
            raise no_move(cell, to)
        cell.state = to
        self.moves += 1

    def _release(self, cell: Cell) -> None:
        for dependent in cell.dependents:
            dependent.unmet -= 1
            if dependent.unmet == 0 and dependent.state is PENDING and not dependent.gone:
                heappush(self._ready, dependent.place)

    # -- committing ---------------------------------------------------------------------------------------------

    def commit(
        self,
        steps: Sequence[Step],
        amended: Sequence[Step] = (),
        removed: Sequence[str] = (),
        *,
        afresh: bool = False,
        refuted: Iterable[str] = (),
        readings: Mapping[str, Reading] | None = None,
    ) -> list[Cell]:
        """Put the next version in force; returns the cells it made, in list order.

        The new list is: what has ended, `steps`, what else is open. A step in `steps` or `amended` whose id is in the
        plan takes that step's place. `readings` are those of texts that are older than this version, by step id.
        """
        self.version += 1
        self.moves += 1
        if self.version == 1:
            return self._begin(steps)
        from replanctl.live.changing import Change

        return Change(self, afresh=afresh, refuted=refuted).put_in_force(steps, amended, removed, readings or {})

    # Most sessions of a sweep are short, so that v1 is a good part of them, and nothing has to be asked of a step that
    # stands before all others: it is put in as a whole.
    def _begin(self, steps: Sequence[Step]) -> list[Cell]:
        made, self._ready = first_cells(steps, Reading(self.version))
        self.cells.update([(cell.step.id, cell) for cell in made])
        self.known.begin(self.cells, self.version)
        self._at.update(enumerate(made))
        self._open.begin(self._at)
        self.ever += made
        for cell in made:
            if cell.step.required or cell.step.assumes:
                self.note(cell)
        return made

    def note(self, cell: Cell) -> None:
        """What is asked of a step's lineage, or by what it assumes, is kept where it is looked up."""
        if cell.step.required:
            self.required[cell.step.id] = None
            self.lineage(cell).required = True
        if cell.step.assumes:
            self.readers.add_assuming(cell)

    def open_at(self, version: int) -> Iterator[Cell]:
        """The steps that were open when this earlier version was replaced, in its list order: that is by place, as what
        has ended since was open then, and did not stand in front."""
        open_then = (c for c in self.ever if c.born <= version and (not c.until or version < c.until))
        return iter(sorted(open_then, key=BY_PLACE))
