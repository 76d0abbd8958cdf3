"""One step as it stands in the live plan, and the line of steps it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

import msgspec

from replanctl.kinds import Granularity, StepState
from replanctl.plan import Step, exact, same_args

CallKey = tuple[str, bytes]
PENDING, RUNNING, DONE, FAILED, SKIPPED = StepState

# The states of a step, and every move it may make.
#
# A step of the plan is a *cell*: what is to be done (`step`, frozen) and how it stands (`state`, and the few counters
# that make it ready). It begins as `pending`. When all it depends on has ended well, or has become a gap, it is ready;
# a ready step is admitted in list order and is `running` while its execution, with all attempts, is under way. An
# execution ends in one of two ways: `done`, and its variable exists, or `failed`. A step that will never run, because
# something it depends on will never be there, is `skipped` without an execution.
#
# The table says what is missing from it as much as what is in it:
#
# * Nothing leads back to `pending`. A step that is replanned, listed again, or taken up on resume is a new cell with
#   the same id and the same lineage; the old cell is `gone`. So whoever holds a cell can tell whether it is still the
#   plan's, and nothing that was decided about the old one can leak into the new one.
# * `pending` never becomes `failed`. What can't be read or may not be called still costs an execution: it fails where
#   it starts, and has a signal like any other failure.
# * `done` leads nowhere. Finished work is never taken back; what may become of it is its variable's health.
# * `failed` becomes `done` by a person's word alone: a call that may have happened is settled as having happened.
#
# `failed` is two things. A step whose failure is to be replanned *waits* (`awaits_replan`): it is still open, counts
# for radius and budget, and what depends on it stays pending. When the replan is refused, or no replan helps, it has
# failed for good (`is_lost`), and what depends on it is skipped. A step that failed or was skipped as a *gap* is not
# lost: what depends on it goes on without it, unless it has nothing but gaps to go on with.
#
# *Open* means pending or waiting for a replan: what a draft may still change, and what a radius counts. *Ended* is
# everything else but running; what has ended comes first in the list from the next commit on.
MOVES: dict[StepState, frozenset[StepState]] = {
    PENDING: frozenset({RUNNING, SKIPPED}),
    RUNNING: frozenset({DONE, FAILED}),
    DONE: frozenset(),
    FAILED: frozenset({DONE}),  # a person says that its call did what it was to do
    SKIPPED: frozenset(),
}


class Reading(msgspec.Struct, frozen=True, gc=False):
    """With which ids a step's text is read: those known up to the version it was written in, and those that were put
    into it since, when references followed a step that went. An id born later changes no older text."""

    upto: int = 1
    also: frozenset[str] = frozenset()


# A lineage is a step and whatever replaced it, through all versions. What a person or a rule says of "step 3" means the
# lineage; breaker, ladder, `require` and the scripted outcomes all count by it, so that a planner does not escape a
# limit by giving the same work another id.
class Lineage:
    """A step and the steps that replaced it. Its ladder starts afresh when the goal changes."""

    __slots__ = ("_all", "_count", "_ids", "called", "deepest", "patches", "required", "tools")

    # A session that changes its goal hundreds of times has lines of hundreds of steps, each one step longer than the
    # one before: they share one list, of which each knows how much is its own.
    def __init__(self, ids: tuple[str, ...]) -> None:
        self._all, self._count = list(ids), len(ids)
        self._ids: tuple[str, ...] | None = ids
        self.deepest: Granularity | None = None  # the deepest granularity committed for it
        self.patches = 0
        self.required = False  # whether no draft may drop it
        self.called = False  # whether a tool was ever called for it
        self.tools: set[str] = set()  # every tool called for it

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its steps, the oldest first."""
        if self._ids is None:
            self._ids = tuple(self._all[: self._count])
        return self._ids

    @property
    def root(self) -> str:
        """The id of its first step: what counters are kept under."""
        return self._all[0]

    def go_on(self, id_: str) -> None:
        """One more step stands for the last."""
        if len(self._all) > self._count:  # another line has gone on from here
            self._all = self._all[: self._count]
        self._all.append(id_)
        self._count += 1
        self._ids = None

    def afresh(self) -> Lineage:
        """The same line of steps with its ladder forgotten, for a new goal."""
        fresh = Lineage(())
        fresh._all, fresh._count, fresh._ids = self._all, self._count, self._ids
        fresh.called, fresh.tools, fresh.patches = self.called, self.tools, self.patches
        fresh.required = self.required
        return fresh


class Cell(msgspec.Struct, eq=False, gc=False):
    """One step as it stands in the live plan. Only the graph changes it.

    `place` is its list order among what has not ended at the last commit, `born` the version that made it, `until` the
    first version at whose replacement it is not open (0 while it is). `unmet` counts the dependencies that have not
    ended, `gap_deps` those that are gaps; `awaits_replan` says that it failed and waits for its own replan;
    `original`, that it stands as v1 lists it, but for what follows steps that went.
    """

    step: Step
    place: int
    born: int
    original: bool = False
    reading: Reading = Reading()
    until: int = 0
    state: StepState = PENDING
    unmet: int = 0
    awaits_replan: bool = False
    gone: bool = False
    gap: bool = False
    gap_deps: int = 0
    on_gaps: bool = False
    dependents: list[Cell] = []
    lineage: Lineage | None = None

    @property
    def is_open(self) -> bool:
        """Pending, or failed and waiting for its own replan."""
        return self.state is PENDING or self.awaits_replan

    @property
    def is_lost(self) -> bool:
        """Failed for good or skipped, and no gap: what depends on it will never run."""
        return self.state in (FAILED, SKIPPED) and not self.awaits_replan and not self.gap


def close_gap(cell: Cell) -> None:
    """A gap is let be: its step failed for good, and what it had blocked was skipped for it, and is no gap either."""
    ways = [cell]
    while ways:
        closed = ways.pop()
        closed.gap = False
        for dependent in closed.dependents:
            if dependent.gap and not dependent.gone:
                ways.append(dependent)
            elif dependent.state is PENDING and not dependent.gone:
                dependent.gap_deps -= 1


def first_cells(steps: Iterable[Step], reading: Reading) -> tuple[list[Cell], list[int]]:
    """The steps of a first version as they stand before anything ran, and the places of those that may start."""
    made = [Cell(step, place, 1, True, reading) for place, step in enumerate(steps)]
    by_id, ready = {cell.step.id: cell for cell in made}, []
    for cell in made:
        if cell.step.gaps:
            cell.on_gaps = True
        for id_ in cell.step.depends_on or ():
            if (dependency := by_id.get(id_)) is not None:
                cell.unmet += 1
                dependency.dependents.append(cell)
        if not cell.unmet:
            ready.append(cell.place)
    return made, ready


def line_of(cell: Cell) -> Lineage:
    """The line of steps a step belongs to, made when it is first asked for."""
    if cell.lineage is None:
        cell.lineage = Lineage((cell.step.id,))
    return cell.lineage


def stand_for(old: Cell, new: Cell, *, afresh: bool) -> None:
    """A step of a new version takes the old one's place: under its id as a revision, else as the next of its line."""
    line = line_of(old)
    if old.state is DONE:
        line.called = True
        line.tools.add(old.step.tool_name)
    if old.step.id == new.step.id:
        _revise(old, new)
    else:
        line.go_on(new.step.id)
    new.lineage = line.afresh() if afresh else line


def _revise(old: Cell, new: Cell) -> None:
    new.original = old.original and same_work(old.step, new.step)
    if old.step.args is new.step.args:  # the text is the old one
        new.reading = old.reading
    new.dependents = [cell for cell in old.dependents if not cell.gone]
    if old.gap:  # what they had gone on without is listed again
        for dependent in new.dependents:
            if dependent.state is PENDING:
                dependent.gap_deps -= 1
                dependent.unmet += 1


def no_move(cell: Cell, to: StepState) -> AssertionError:
    """What is raised of a move that the table does not have."""
    return AssertionError(f"step {cell.step.id} can't go from {cell.state} to {to}")


BY_PLACE = attrgetter("place")


def in_list_order(cells: Iterable[Cell], version: int) -> list[Cell]:
    """Steps as the list of this version has them: what had ended at its commit, by when that was, and then the rest."""
    chosen = sorted(cells, key=BY_PLACE)
    if not chosen or version == 1:  # nothing ended before there was a plan
        return chosen
    ended = [cell for cell in chosen if 0 < cell.until < version]
    if not ended:
        return chosen
    ended.sort(key=lambda cell: cell.until)
    return [*ended, *(cell for cell in chosen if not 0 < cell.until < version)]


def resting_on(roots: list[Cell], but: Cell | None) -> list[Cell]:
    """The roots and all that depends on them, directly or not, by place; `but` and what only rests on it left out."""
    found: dict[int, Cell] = {}
    while roots:
        here = roots.pop()
        if here is but or here.gone or here.place in found:
            continue
        found[here.place] = here
        roots.extend(here.dependents)
    return [found[place] for place in sorted(found)]


class OpenSteps:
    """The open steps by place, with a key of their sequence that is counted once somebody asks, and then kept up."""

    def __init__(self) -> None:
        self._at: dict[int, Cell] = {}
        self._key: int | None = None

    def __len__(self) -> int:
        return len(self._at)

    def begin(self, cells: Mapping[int, Cell]) -> None:
        """All steps of a first version, by place, are open."""
        self._at.update(cells)

    def add(self, cell: Cell) -> None:
        """A step is open now."""
        self._at[cell.place] = cell
        if self._key is not None:
            self._key += _work_key(cell.step)

    def drop(self, cell: Cell) -> None:
        """A step is not open any more."""
        del self._at[cell.place]
        if self._key is not None:
            self._key -= _work_key(cell.step)

    def listed(self) -> list[Cell]:
        """The open steps in list order."""
        return [self._at[place] for place in sorted(self._at)]

    def key(self) -> int:
        """A key that equal sequences of (action, tool) share."""
        if self._key is None:
            self._key = sequence_key([cell.step for cell in self._at.values()])
        return self._key


def sequence_key(steps: Iterable[Step]) -> int:
    """A key that equal sequences of (action, tool) share: it can be kept up step by step with + and -."""
    return sum([hash((step.action, step.tool_name)) for step in steps])


def _work_key(step: Step) -> int:
    return hash((step.action, step.tool_name))


def same_work(one: Step, other: Step) -> bool:
    """Whether two steps have the same action, tool and args."""
    return one.action == other.action and one.tool_name == other.tool_name and same_args(one.args, other.args)


def is_required(cell: Cell) -> bool:
    """Whether no draft may drop the step's lineage."""
    return cell.lineage is not None and cell.lineage.required


def call_key(tool: str, args: dict[str, Any]) -> CallKey:
    """What equal calls share: the tool, and the args as JSON, whatever the order of their keys."""
    return tool, exact(args)
