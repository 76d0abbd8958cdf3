"""From a replanner's steps to the next version: names, places, what follows, and what it changes.

A draft is laid over what its granularity keeps. Dependencies and references on a step that goes follow to the one that
stands for it: those of kept and listed steps always, those of a new one where that one is listed before it.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from replanctl.kinds import Verdict
from replanctl.live.cells import DONE, Cell, Reading, is_required
from replanctl.live.following import Following
from replanctl.live.graph import Graph
from replanctl.live.naming import Either, Ground, name
from replanctl.live.readers import Known
from replanctl.plan import Step, may_refer, references, references_in, renamed, sequenced


class Draft(msgspec.Struct, frozen=True, gc=False):
    """A replanner's answer: the plan from the cursor on, and verdicts by variable name (`E1`). `cause` is what it says
    of why the step failed, where it was not known before it was asked, `put_in` the ids that the template's mends put
    into the failed step's text.

    No steps mean no plan, or, in answer to a changed goal, that nothing is left to do; with `gives_up` no plan always.
    """

    steps: tuple[Step, ...] = ()
    verdicts: dict[str, Verdict] = {}
    warnings: tuple[str, ...] = ()
    gives_up: bool = False
    cause: str = ""
    put_in: tuple[str, ...] = ()


class Proposal(msgspec.Struct, frozen=True, gc=False):
    """What committing a draft would change.

    `steps` are the new and revised steps in the draft's order, `amended` the kept ones that follow a step that goes,
    `removed` the ids that leave. `mapping` shows which new id a local name was given, `faults` why the draft's own
    names can't be made sense of. `before` holds, by id, the step that each one in `steps` replaces or revises, `adrift`
    why a step reads or depends on nothing, by its id and the id it names. `dropped` are required steps for which
    nothing stands, `readings` how texts that are older than the draft are read, by step id. `closes`: an empty answer
    to a changed goal, which means that what is there will do.
    """

    steps: tuple[Step, ...]
    amended: tuple[Step, ...]
    removed: tuple[str, ...]
    mapping: dict[str, str]
    before: dict[str, Step]
    verdicts: dict[str, Verdict]
    faults: tuple[str, ...] = ()
    adrift: dict[tuple[str, str], str] = {}
    dropped: tuple[str, ...] = ()
    readings: dict[str, Reading] = {}
    warnings: tuple[str, ...] = ()
    closes: bool = False

    def reader(self, graph: Graph) -> Callable[[Step], Container[str]]:
        """What tells, for each of `steps`, the ids that are references in it: those known at its commit, in an older
        text those known before."""
        now = Either(graph.known, {step.id for step in self.steps})

        def known(step: Step) -> Container[str]:
            reading = self.readings.get(step.id)
            return now if reading is None else Known(graph.known, reading)

        return known

    def leaving(self, graph: Graph) -> list[Cell]:
        """The open steps that go or are listed again."""
        listed = (step.id for step in self.steps if step.id in graph.cells)
        return [cell for id_ in (*self.removed, *listed) if (cell := graph.cells[id_]).is_open]

    def staying(self, graph: Graph) -> list[Step]:
        """The open steps that stay, in list order; dependencies aside they are as they were."""
        leaving = {cell.step.id for cell in self.leaving(graph)}
        return [cell.step for cell in graph.open_cells() if cell.step.id not in leaving]


def lay_over(draft: Draft, plan: Ground, refuted: Mapping[str, Any]) -> Proposal:
    """The change that this draft means; of open steps the `refuted` premises are dropped."""
    return _Layer(draft, plan, refuted).proposal()


class _Layer:
    """One draft being laid over one plan."""

    def __init__(self, draft: Draft, plan: Ground, refuted: Mapping[str, Any]) -> None:
        self.draft, self.plan, self.graph, self.refuted = draft, plan, plan.graph, refuted
        self.names = name(sequenced(draft.steps), plan)
        self.ids, self.going = self.names.ids, {cell.step.id: cell for cell in self.names.going}
        self.successors = self._successors()
        self.readable = Either(self.graph.known, self.ids)
        self.given = any(local != id_ and id_ not in self.graph.known for local, id_ in self.ids.items())
        # What a name means to a new step: the draft's own where no other step ever had it, and what is listed before.
        self.meant = {local: id_ for local, id_ in self.ids.items() if local not in self.graph.known}
        self.listed_before: set[str] = set()
        self.adrift: dict[tuple[str, str], str] = {}
        self.following = Following(self.graph, self.successors, refuted)

    def proposal(self) -> Proposal:
        steps = tuple(self._steps())
        listed = {step.id for step in steps}
        return Proposal(
            steps=steps,
            amended=self.following.amended(self.going, listed) if self.plan.keeps_done else (),
            removed=tuple(self.going),
            mapping={local: id_ for local, id_ in self.ids.items() if local != id_},
            before=self._before(steps),
            verdicts=dict(self.draft.verdicts),
            faults=tuple(self.names.faults),
            adrift=self.adrift,
            dropped=tuple(self._dropped()),
            readings=self.following.readings,
            warnings=(*self.draft.warnings, *self._beside(listed)),
        )

    def _successors(self) -> dict[str, str]:
        """Old id -> the id of what stands for it: a new step, or finished work that is listed under the old id."""
        found = {old: self.ids[local] for local, old in self.names.stands.items()}
        return found | {id_: self.ids[id_] for id_ in self.going if id_ not in found and self._is_finished(id_)}

    def _is_finished(self, local: str) -> bool:
        """Whether the draft lists finished work under this id."""
        return self.plan.keeps_done and (alias := self.ids.get(local)) in self.graph.cells and alias != local

    # -- steps: what the draft's own dependencies and references mean -----------------------------------------------

    def _steps(self) -> Iterator[Step]:
        listed = {step.id for step in self.names.listed}
        for local, step in self.names.steps.items():
            if local in listed:
                yield self._step(step, self.ids[local])
            self.meant[local] = self.ids[local]
            self.listed_before.add(local)
            old = self.names.stands.get(local)
            if old is not None and old not in self.listed_before and not self._has_value(old):
                self.meant[old] = self.ids[local]

    def _has_value(self, old: str) -> bool:
        return self.graph.cells[old].state is DONE

    def _step(self, step: Step, id_: str) -> Step:
        old = self.graph.cells.get(id_) if self.plan.keeps_done else None
        meant = self.meant if old is None else ChainMap(self.meant, self.successors)
        new = old is None
        return msgspec.structs.replace(
            self._led(step, id_, meant, new=new),
            id=id_,
            depends_on=tuple(dict.fromkeys(self._dependencies(step, id_, meant, new=new))),
            assumes=tuple(a for a in step.assumes if a not in self.refuted),
            replaces=old.step.replaces if old is not None else self.names.stands.get(step.id),
        )

    def _led(self, step: Step, id_: str, meant: Mapping[str, str], *, new: bool) -> Step:
        """The step with its references led to what they mean; one to nothing is told, unless it stands in an
        alternative, which is not read yet."""
        if not may_refer(step):
            return step
        known = self.readable
        for reference in references.find(step.args, known):
            if self._names_nothing(reference.step_id, meant):
                self._set_adrift(id_, reference.step_id, f"reads {reference.text}", new=new)
        if self.given:
            found = references_in(step, known)
            self.following.readings[id_] = self._reading_now(found, meant)
        return renamed(step, known, meant)

    def _dependencies(self, step: Step, id_: str, meant: Mapping[str, str], *, new: bool) -> Iterator[str]:
        """What dependencies mean: the draft's step listed before, else a kept one, else the draft's own."""
        for other in step.depends_on or ():
            cell = self.graph.cells.get(other)
            if other in meant:
                yield meant[other]
            elif self.plan.keeps_done and cell is not None and other not in self.going:
                yield other
            elif other in self.ids:
                yield self.ids[other]
            elif self._names_nothing(other, meant):
                self._set_adrift(id_, other, f"depends on {other}", new=new)
                yield other
            elif cell is None or not self._has_value(other):  # else it is done: its variable is all that is left of it
                yield other

    def _names_nothing(self, id_: str, meant: Mapping[str, str]) -> bool:
        """Whether this is a step that goes and was not done, with nothing to follow to."""
        return id_ in self.going and id_ not in meant and not self._has_value(id_)

    def _set_adrift(self, id_: str, other: str, says: str, *, new: bool) -> None:
        place = "listed before it " if new else ""
        why = f"step {id_} {says}, which goes, and nothing {place}stands for it"
        self.adrift.setdefault((id_, other), why)

    def _before(self, steps: Iterable[Step]) -> dict[str, Step]:
        """The step that each one revises or replaces."""
        cells = self.graph.cells
        found = {step.id: cells.get(step.id) or cells.get(step.replaces or "") for step in steps}
        return {id_: cell.step for id_, cell in found.items() if cell is not None}

    # -- what the draft leaves out, and what it lists beside a step that stays ----------------------------------------

    def _dropped(self) -> Iterator[str]:
        stood_for = set(self.names.stands.values())
        for id_, cell in self.going.items():
            if is_required(cell) and cell.state is not DONE and id_ not in stood_for:
                yield id_

    def _beside(self, listed: set[str]) -> Iterator[str]:
        if not self.plan.keeps_done:
            return
        for step in self.names.left:
            alike = (cell.step.id for cell in self.plan.open.like(step.action, step.tool_name))
            if kept := next((id_ for id_ in alike if id_ not in self.going and id_ not in listed), None):
                yield f"listed-beside: step {self.ids[step.id]} does what step {kept} does, which stays: both will run"

    # -- what is a reference in the draft's texts, from now on ---------------------------------------------------------

    def _reading_now(self, found: Iterable[references.Reference], meant: Mapping[str, str]) -> Reading:
        """The reading of a text that a planner wrote: it knew every id there was and the draft's own, and none of those
        that the draft's local names are given."""
        upto, known = self.graph.version, self.graph.known
        read = (meant.get(r.step_id, r.step_id) for r in found if r.known)
        return Reading(upto, frozenset(id_ for id_ in read if id_ not in known))
