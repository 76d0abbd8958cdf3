"""What the steps of a draft are: finished work, steps of the plan listed again, or new ones, and under which ids.

An id that may not be used for a step is a local name: the step gets a new id, from that of the step it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

import msgspec

from replanctl.kinds import Granularity
from replanctl.live.calls import Finished, OpenSteps, same_call
from replanctl.live.cells import DONE, Cell
from replanctl.live.graph import Graph
from replanctl.live.standing import Call, New, Standing, stand
from replanctl.plan import Step, references


class Ground(msgspec.Struct):
    """The plan a draft is laid over: its graph, what the granularity replaces, and how its `finished` and `open` steps
    are found by what they do. `holds` says whether a done step's result may be taken as it is."""

    graph: Graph
    granularity: Granularity
    failed: Cell | None
    scope: Sequence[Cell]
    finished: Finished
    open: OpenSteps
    holds: Callable[[str], bool]

    @property
    def keeps_done(self) -> bool:
        """Whether what is done stays done."""
        return self.granularity is not Granularity.GLOBAL


class Names(msgspec.Struct):
    """The steps of a draft by the ids they have in it.

    `ids` are their ids in the new version, `listed` those that will be open in it, `going` the cells that leave.
    `stands` holds the old step that each new one stands for, by its id in the draft; `left` are the new ones that
    stand for nothing. `faults` say why the draft's own names can't be made sense of.
    """

    steps: dict[str, Step]
    ids: dict[str, str]
    listed: list[Step]
    going: list[Cell]
    stands: dict[str, str]
    left: tuple[Step, ...]
    faults: list[str]


def name(drafted: Sequence[Step], plan: Ground) -> Names:
    """Settle what each step of a draft is."""
    return _Naming(drafted, plan).names()


class _Naming:
    def __init__(self, drafted: Sequence[Step], plan: Ground) -> None:
        self.drafted, self.plan, self.graph, self.keeps_done = drafted, plan, plan.graph, plan.keeps_done
        self.faults: list[str] = []
        self.steps: dict[str, Step] = {}
        self.ids: dict[str, str] = {}  # of those that are in the plan already
        self.read: dict[str, New] = {}
        self.waiting: dict[str, list[str]] = {}  # by a step listed later: those that read it
        self.locals = {step.id for step in drafted}
        self.readable: Container[str] = Either(self.graph.known, self.locals)

    def names(self) -> Names:
        for step in self.drafted:
            if step.id in self.steps:
                self.faults.append(f"step {step.id} is listed twice")
                continue
            new = self.read[step.id] = self._read(step)
            for other in dict.fromkeys(new.reads_new.values()):
                self.waiting.setdefault(other, []).append(step.id)
            self._sort(step.id)
            self.steps[step.id] = step
        going = self._going()
        found = self._stand(going)
        self.faults += found.faults
        ids = self._ids(found)
        kept = {cell.step.id for cell in found.kept.values()}
        return Names(
            self.steps,
            ids,
            [step for local, step in self.steps.items() if local in found.kept or not self._is_done(ids[local])],
            [cell for cell in going if cell.step.id not in kept],
            found.stands,
            found.left,
            self.faults,
        )

    def _is_done(self, id_: str) -> bool:
        cell = self.graph.cells.get(id_) if self.keeps_done else None
        return cell is not None and cell.state is DONE

    # -- steps of the plan ------------------------------------------------------------------------------------------

    def _sort(self, local: str) -> None:
        """A step of the plan, done or listed again, or a new one. What a step reads may settle later what it is."""
        stack = [local]
        while stack:
            local = stack.pop()
            new = self.read[local] = self._settled(self.read[local])
            if local in self.ids or (id_ := self._in_plan(new)) is None:
                continue
            self.ids[local] = id_
            if (replaces := new.step.replaces) is not None:
                self.faults.append(f"step {local} says it replaces {replaces}, but it is no new step")
            stack += reversed(self.waiting.pop(local, []))

    def _in_plan(self, new: New) -> str | None:
        """The id of the step of the plan that this one is; None for a new one."""
        step = new.step
        cell = self.graph.cells.get(step.id) if self.keeps_done else None
        listed_again = cell is not None and cell.state is not DONE
        if cell is not None and listed_again and cell.step.action == step.action and same_call(cell.step, step):
            return step.id
        if self.keeps_done and (done := self._finished(new, cell)) is not None:
            return done
        return step.id if listed_again else None

    def _finished(self, new: New, cell: Cell | None) -> str | None:
        """The done step that this one lists again: under its own id whatever the action, or under another."""
        step = new.step
        if step.again or new.reads_new:
            return None
        args = references.rename(step.args, self.readable, new.reads_old) if new.reads_old else step.args
        if args is not step.args:
            step = msgspec.structs.replace(step, args=args)
        if cell is not None and cell.state is DONE and self.plan.holds(step.id) and same_call(cell.step, step):
            return step.id
        done = self.plan.finished.same(step, self.plan.holds)
        return done.step.id if done is not None else None

    def _read(self, step: Step) -> New:
        """What its references name: the draft's step listed before it, else an old one, else the draft's own."""
        if not references.mentions(step.args):
            return New(step)
        old: dict[str, str] = {}
        new: dict[str, str] = {}
        for reference in references.find(step.args, self.readable):
            id_ = reference.step_id
            if id_ in self.ids:
                old[id_] = self.ids[id_]
            elif id_ in self.steps or (id_ in self.locals and id_ not in self.graph.known):
                new[id_] = id_
            elif id_ in self.graph.known:
                old[id_] = id_
        return New(step, old, new)

    def _going(self) -> list[Cell]:
        """What the granularity replaces and the draft does not list."""
        listed = set(self.ids.values())
        return [cell for cell in self.plan.scope if cell.step.id not in listed]

    # -- new steps --------------------------------------------------------------------------------------------------

    def _stand(self, going: list[Cell]) -> Standing:
        plan = self.plan
        new = [self.read[local] for local in self.steps if local not in self.ids]
        order = going if plan.granularity is Granularity.GLOBAL else self.graph.in_order(going)
        kept = self._kept({cell.step.id for cell in going}) if plan.keeps_done else None
        failed = plan.failed if plan.failed in going else None
        patch = plan.granularity is Granularity.PATCH
        return stand(new, order, failed=failed, known=self.readable, kept=kept, patch=patch)

    def _settled(self, new: New) -> New:
        """A reference to a step of the draft that is listed later may name one of the plan."""
        if not new.reads_new or not any(id_ in self.ids for id_ in new.reads_new.values()):
            return new
        old = {id_: self.ids[local] for id_, local in new.reads_new.items() if local in self.ids}
        rest = {id_: local for id_, local in new.reads_new.items() if local not in self.ids}
        return New(new.step, {**new.reads_old, **old}, rest)

    def _kept(self, going: Container[str]) -> Callable[[Call], Iterator[Cell]]:
        listed = set(self.ids.values())

        def kept(call: Call) -> Iterator[Cell]:
            alike = self.plan.open.calling(*call)
            return (cell for cell in alike if cell.step.id not in going and cell.step.id not in listed)

        return kept

    def _ids(self, found: Standing) -> dict[str, str]:
        """Every step's id in the new version: its own where it was never used, else a new one."""
        ids: dict[str, str] = {}
        fresh = None
        for local in self.steps:
            if local in self.ids:
                ids[local] = self.ids[local]
            elif local in found.kept:
                ids[local] = found.kept[local].step.id
            elif local not in self.graph.known:
                ids[local] = local
            else:
                fresh = fresh or self.graph.new_ids(self.locals)
                ids[local] = fresh.after(found.stands.get(local, local))
        return ids


class Either:
    """Membership in either of two collections, without copying them."""

    def __init__(self, one: Container[str], other: Container[str]) -> None:
        self._one, self._other = one, other

    def __contains__(self, item: object) -> bool:
        return item in self._one or item in self._other
