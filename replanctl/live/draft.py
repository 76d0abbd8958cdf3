"""From a replanner's steps to the next version: names, places, what follows, and what it changes.

A draft is laid over what its granularity keeps. An id that may not be used for a step is taken as a local name: the
step gets a new id, and the draft's own dependencies and references are renamed alike.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from replanctl.kinds import Granularity, Verdict
from replanctl.live.calls import CallKey, Finished, call_of, same_call
from replanctl.live.cells import DONE, Cell
from replanctl.live.graph import Graph
from replanctl.plan import Step, fresh_ids, references, sequenced


class Draft(msgspec.Struct, frozen=True, gc=False):
    """A replanner's answer: the plan from the cursor on, and verdicts by variable name (`E1`).

    No steps mean no plan, or, in answer to a changed goal, that nothing is left to do; with `gives_up` no plan always.
    """

    steps: tuple[Step, ...] = ()
    verdicts: dict[str, Verdict] = {}
    warnings: tuple[str, ...] = ()
    gives_up: bool = False


class Proposal(msgspec.Struct, frozen=True, gc=False):
    """What committing a draft would change.

    `steps` are the new and revised steps in the draft's order, `amended` the kept ones that follow a step that goes,
    `removed` the ids that leave. `mapping` shows which new id a local name was given, `faults` why the draft's own
    names can't be made sense of. `before` holds, by id, the step that each one in `steps` replaces or revises.
    """

    steps: tuple[Step, ...]
    amended: tuple[Step, ...]
    removed: tuple[str, ...]
    mapping: dict[str, str]
    before: dict[str, Step]
    verdicts: dict[str, Verdict]
    faults: tuple[str, ...] = ()

    def leaving(self, graph: Graph) -> list[Cell]:
        """The open steps that go or are listed again."""
        listed = (step.id for step in self.steps if step.id in graph.cells)
        return [cell for id_ in (*self.removed, *listed) if (cell := graph.cells[id_]).is_open]

    def staying(self, graph: Graph) -> list[Step]:
        """The open steps that stay, in list order; dependencies aside they are as they were."""
        leaving = {cell.step.id for cell in self.leaving(graph)}
        return [cell.step for cell in graph.open_cells() if cell.step.id not in leaving]


def lay_over(
    draft: Draft,
    graph: Graph,
    granularity: Granularity,
    *,
    failed: Cell | None,
    scope: Sequence[Cell],
    refuted: Mapping[str, Any],
    finished: Finished | None,
) -> Proposal:
    """The change that this draft means.

    `scope` is what the granularity replaces. With `finished`, work that is done and listed again under another id is
    recognised (the template never lists any).
    """
    return _Layer(draft, graph, granularity, failed, scope, refuted, finished).proposal()


class _Layer:
    """One draft being laid over one plan. Each method settles one question, in the order of `proposal`."""

    def __init__(
        self,
        draft: Draft,
        graph: Graph,
        granularity: Granularity,
        failed: Cell | None,
        scope: Sequence[Cell],
        refuted: Mapping[str, Any],
        finished: Finished | None,
    ) -> None:
        self.draft, self.graph, self.granularity = draft, graph, granularity
        self.failed, self.scope, self.refuted, self.finished = failed, scope, refuted, finished
        self.drafted = sequenced(draft.steps)
        self.keeps_done = granularity is not Granularity.GLOBAL
        self.faults: list[str] = []
        self.names: dict[str, str] = {}  # local name -> id in the new version
        self.listed: list[tuple[Step, str]] = []  # drafted steps that are not finished work, with their new ids

    def proposal(self) -> Proposal:
        self._name()
        kept_ids = {id_ for _, id_ in self.listed if id_ in self.graph.cells}
        going = [cell for cell in self.scope if cell.step.id not in kept_ids]
        places = self._places(going)
        successors = {old: new for new, old in places.items()}
        for cell in going:  # finished work that the draft lists under the id of a step that goes
            if cell.step.id not in successors and (alias := self.names.get(cell.step.id)) in self.graph.cells:
                successors[cell.step.id] = alias
        steps = self._steps(places, successors)
        return Proposal(
            steps=steps,
            amended=self._amended(going, successors, {step.id for step in steps}),
            removed=tuple(cell.step.id for cell in going),
            mapping={local: id_ for local, id_ in self.names.items() if local != id_},
            before=self._before(steps),
            verdicts=dict(self.draft.verdicts),
            faults=tuple(self.faults),
        )

    # -- names: which id each drafted step has in the new version ---------------------------------------------------

    def _name(self) -> None:
        waiting: list[str] = []
        for step in self.drafted:
            if step.id in self.names:
                self.faults.append(f"step {step.id} is listed twice")
            elif (id_ := self._usable(step)) is not None:
                self.names[step.id] = id_
            else:
                self.names[step.id] = ""
                waiting.append(step.id)
        ids = fresh_ids(self.graph.highest(), self.failed.step.id if self.failed else "", self.names.values())
        self.names.update(zip(waiting, ids, strict=False))
        first = {step.id: step for step in reversed(self.drafted)}
        self.listed = [(first[local], id_) for local, id_ in self.names.items() if not self._is_done(id_)]

    def _usable(self, step: Step) -> str | None:
        """The id this step has in the new version, or None where it needs a new one."""
        cell = self.graph.cells.get(step.id) if self.keeps_done else None
        if (
            cell is not None
            and same_call(cell.step, step)
            and (not step.again if cell.state is DONE else cell.step.action == step.action)
        ):
            return step.id
        finished = None if step.again else self.finished  # what says `again` is meant to run once more
        if self.keeps_done and finished is not None and (done := finished.same(step)) is not None:
            return done.step.id
        if cell is not None:
            return step.id if cell.state is not DONE else None
        return None if step.id in self.graph.known else step.id

    def _is_done(self, id_: str) -> bool:
        cell = self.graph.cells.get(id_)
        return self.keeps_done and cell is not None and cell.state is DONE

    # -- places: which step that goes each new step stands for --------------------------------------------------------

    def _places(self, going: Sequence[Cell]) -> dict[str, str]:
        """New id -> the id of the step it replaces; one to one."""
        new = [(step, id_) for step, id_ in self.listed if id_ not in self.graph.cells]
        failed_first = sorted(going, key=lambda cell: cell is not self.failed)
        free = {cell.step.id: cell.step for cell in failed_first}
        taken: dict[str, str] = {}
        self._explicit(new, free, taken)
        for step, id_ in new:
            if id_ not in taken and step.id != id_ and step.id in free:
                taken[id_] = step.id
                del free[step.id]
        self._by_call([pair for pair in new if pair[1] not in taken], free, taken)
        self._in_order([id_ for _, id_ in new if id_ not in taken], list(free), taken)
        return taken

    def _explicit(self, new: Iterable[tuple[Step, str]], free: dict[str, Step], taken: dict[str, str]) -> None:
        fresh = {step.id: id_ for step, id_ in new}
        for step in self.drafted:
            if step.replaces is None:
                continue
            if (id_ := fresh.pop(step.id, None)) is None:
                self.faults.append(f"step {step.id} says it replaces {step.replaces}, but it is no new step")
            elif step.replaces not in free:
                self.faults.append(
                    f"step {step.id} replaces {step.replaces}, which does not go, or is replaced already"
                )
            else:
                taken[id_] = step.replaces
                del free[step.replaces]

    def _by_call(self, new: Sequence[tuple[Step, str]], free: dict[str, Step], taken: dict[str, str]) -> None:
        """A new step with the tool and args of one that goes takes that one's place."""
        going: dict[CallKey, list[str]] = {}
        for old, gone in reversed(free.items()) if new else ():
            going.setdefault(call_of(gone), []).append(old)
        for step, id_ in new:
            if same := going.get(call_of(step)):
                taken[id_] = same.pop()
                del free[taken[id_]]

    def _in_order(self, new: list[str], free: list[str], taken: dict[str, str]) -> None:
        """The others take the remaining places in order; of too many, the last takes the last, since it delivers."""
        if len(new) > len(free) > 0:
            new = [*new[: len(free) - 1], new[-1]]
        taken.update(zip(new, free, strict=False))

    # -- steps: what the draft's own dependencies and references mean -----------------------------------------------

    def _steps(self, places: dict[str, str], successors: dict[str, str]) -> tuple[Step, ...]:
        meant = {local: id_ for local, id_ in self.names.items() if local not in self.graph.known}
        meant |= {old: new for old, new in successors.items() if self._has_no_value(old)}
        new_ids = {step.id: id_ for step, id_ in self.listed}
        steps = []
        for step in self.drafted:  # a reference means the draft's step only where that one is listed before it
            id_ = new_ids.pop(step.id, None)
            if id_ is not None:
                steps.append(self._step(step, id_, places.get(id_), meant))
            meant[step.id] = self.names[step.id]
        return tuple(steps)

    def _has_no_value(self, id_: str) -> bool:
        return self.graph.cells[id_].state is not DONE

    def _step(self, step: Step, id_: str, replaces: str | None, names: dict[str, str]) -> Step:
        old = self.graph.cells.get(id_) if self.keeps_done else None
        return msgspec.structs.replace(
            step,
            id=id_,
            depends_on=tuple(dict.fromkeys(self._dependency(d, names) for d in step.depends_on or ())),
            args=references.rename(step.args, _Either(self.graph.known, self.names), names)
            if references.mentions(step.args)
            else step.args,
            assumes=tuple(a for a in step.assumes if a not in self.refuted),
            replaces=old.step.replaces if old is not None else replaces,
        )

    def _dependency(self, id_: str, names: dict[str, str]) -> str:
        """What a dependency means: the draft's step listed before it, else a kept step, else the draft's own."""
        if id_ in names:
            return names[id_]
        if self.keeps_done and id_ in self.graph.cells:
            return id_
        return self.names.get(id_, id_)

    def _before(self, steps: Iterable[Step]) -> dict[str, Step]:
        """The step that each one revises or replaces."""
        cells = self.graph.cells
        found = {step.id: cells.get(step.id) or cells.get(step.replaces or "") for step in steps}
        return {id_: cell.step for id_, cell in found.items() if cell is not None}

    # -- kept steps: what follows a step that goes, and what loses a refuted premise ---------------------------------

    def _amended(self, going: Sequence[Cell], successors: dict[str, str], listed: set[str]) -> tuple[Step, ...]:
        if not self.keeps_done:
            return ()
        gone = {cell.step.id for cell in going} | listed
        touched: dict[int, Cell] = {}
        for cell in going:
            if cell.step.id in successors:
                for reader in (*cell.dependents, *self.graph.readers.hidden(cell.step.id, self.graph.cells)):
                    touched[reader.place] = reader
        for cell in self.graph.readers.assuming(self.refuted):
            touched[cell.place] = cell
        kept = [c for _, c in sorted(touched.items()) if not c.gone and c.state is not DONE and c.step.id not in gone]
        amended = ((cell.step, self._amend(cell, successors)) for cell in kept)
        return tuple(new for old, new in amended if new != old)

    def _amend(self, cell: Cell, successors: dict[str, str]) -> Step:
        """A kept step; one that was skipped or failed for good follows too, since it may be listed again."""
        step = cell.step
        return msgspec.structs.replace(
            step,
            depends_on=tuple(dict.fromkeys(successors.get(d, d) for d in step.depends_on or ())),
            args=references.rename(step.args, self.graph.known, successors),
            assumes=tuple(a for a in step.assumes if not cell.is_open or a not in self.refuted),
        )


class _Either:
    """Membership in either of two collections, without copying them."""

    def __init__(self, one: Container[str], other: Container[str]) -> None:
        self._one, self._other = one, other

    def __contains__(self, item: object) -> bool:
        return item in self._one or item in self._other
