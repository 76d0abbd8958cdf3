"""One step as it stands in the live plan, and the line of steps it belongs to."""

from __future__ import annotations

import msgspec

from replanctl.kinds import Granularity, StepState
from replanctl.live.reading import Reading
from replanctl.plan import Step, same_args

PENDING, RUNNING, DONE, FAILED, SKIPPED = StepState

# Every move a step may make. A failed step that is replanned is a new cell; it does not move back.
MOVES: dict[StepState, frozenset[StepState]] = {
    PENDING: frozenset({RUNNING, SKIPPED}),
    RUNNING: frozenset({DONE, FAILED}),
    DONE: frozenset(),
    FAILED: frozenset({DONE}),  # a person says that its call did what it was to do
    SKIPPED: frozenset(),
}


class Lineage:
    """A step and the steps that replaced it. Its ladder starts afresh when the goal changes."""

    __slots__ = ("called", "deepest", "ids", "patches", "required", "tools")

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.ids = ids
        self.deepest: Granularity | None = None  # the deepest granularity committed for it
        self.patches = 0
        self.required = False  # whether no draft may drop it
        self.called = False  # whether a tool was ever called for it
        self.tools: set[str] = set()  # every tool called for it

    @property
    def root(self) -> str:
        """The id of its first step: what counters are kept under."""
        return self.ids[0]

    def afresh(self) -> Lineage:
        """The same line of steps with its ladder forgotten, for a new goal."""
        fresh = Lineage(self.ids)
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
    until: int = 0
    state: StepState = PENDING
    unmet: int = 0
    awaits_replan: bool = False
    gone: bool = False
    gap: bool = False
    gap_deps: int = 0
    on_gaps: bool = False
    original: bool = False
    dependents: list[Cell] = []
    lineage: Lineage | None = None
    reading: Reading = Reading()

    @property
    def is_open(self) -> bool:
        """Pending, or failed and waiting for its own replan."""
        return self.state is PENDING or self.awaits_replan

    @property
    def is_lost(self) -> bool:
        """Failed for good or skipped, and no gap: what depends on it will never run."""
        return self.state in (FAILED, SKIPPED) and not self.awaits_replan and not self.gap


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
        line.ids = (*line.ids, new.step.id)
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


def same_work(one: Step, other: Step) -> bool:
    """Whether two steps have the same action, tool and args."""
    return one.action == other.action and one.tool_name == other.tool_name and same_args(one.args, other.args)


def is_required(cell: Cell) -> bool:
    """Whether no draft may drop the step's lineage."""
    return cell.lineage is not None and cell.lineage.required
