"""The template's draft laid over the plan: a copy of what stands, under the names that the template has given itself.

A planner's draft is read (`naming.py`), led to what its words mean (`draft.py`) and checked in every point
(`draft_check.py`), for nobody knows what it lists. Of a copy all that is known: each step says which one it stands for,
its references and dependencies follow the same names, and what it lists is what the granularity replaces. So it is
taken as it stands, which comes to the same version, and to the same bytes, at a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from replanctl.kinds import Granularity
from replanctl.live.cells import Cell, Reading
from replanctl.live.draft import Draft, Proposal
from replanctl.live.following import Following
from replanctl.live.graph import Graph
from replanctl.live.naming import Ground
from replanctl.plan import Step, may_refer, references_in


def lay_copy(draft: Draft, plan: Ground, refuted: Mapping[str, Any]) -> Proposal:
    """The change that a draft of the template means; of open steps the `refuted` premises are dropped."""
    cells, keeps_done = plan.graph.cells, plan.keeps_done
    revised = plan.failed if keeps_done else None  # under its own id; everything else is new
    going = {cell.step.id: cell for cell in plan.scope if cell is not revised}
    successors = {step.replaces: step.id for step in draft.steps if step.replaces is not None}
    following = Following(plan.graph, successors, refuted)
    steps: list[Step] = []
    before: dict[str, Step] = {}
    for step in draft.steps:
        old = cells[step.replaces or step.id]
        before[step.id] = old.step
        if may_refer(step):
            following.readings[step.id] = _reading(old, plan, following, draft.put_in if old is plan.failed else ())
        steps.append(_laid(step, old.step.replaces if old is revised else step.replaces, refuted))
    return Proposal(
        steps=tuple(steps),
        amended=following.amended(going, before) if keeps_done else (),
        removed=tuple(going),
        mapping={},
        before=before,
        verdicts=dict(draft.verdicts),
        readings=following.readings,
        warnings=draft.warnings,
    )


def _laid(step: Step, replaces: str | None, refuted: Mapping[str, Any]) -> Step:
    """The step as the new version has it; most are what was drafted."""
    depends_on, assumes = tuple(dict.fromkeys(step.depends_on or ())), step.assumes
    if refuted:
        assumes = tuple([a for a in assumes if a not in refuted])
    if depends_on == step.depends_on and assumes == step.assumes and replaces == step.replaces:
        return step
    return msgspec.structs.replace(step, depends_on=depends_on, assumes=assumes, replaces=replaces)


def _reading(old: Cell, plan: Ground, following: Following, put_in: tuple[str, ...]) -> Reading:
    """A copied text means what it meant: what is a reference in it stays what it was, but for what was mended."""
    found = references_in(old.step, plan.graph.known.read(old.reading))
    return following.reading(old, found, put_in)


# What a stranger's draft is checked for can't be wrong with a copy: it lists all that goes, names what the old steps
# named, and waits as they waited, so that it has no faults but theirs, which are excused. That holds while the failed
# step keeps its text (an alternative and a mend bring another), no premise may be unknown to the plan, and each step
# waits for steps listed before it or for what stays and will not be lost.
def is_sound(
    proposal: Proposal, graph: Graph, granularity: Granularity, failed: Cell | None, assumptions: Collection[str] | None
) -> bool:
    """Whether a copy needs no check but of the call that the failed step makes again; else all of it is checked."""
    if proposal.warnings:  # every mend is one
        return False
    kept = {} if granularity is Granularity.GLOBAL else graph.cells
    own, going, listed = failed.step if failed is not None else None, set(proposal.removed), set()
    for step in proposal.steps:
        if step.assumes and assumptions is not None:
            return False
        if proposal.before[step.id] is own and (step.tool_name != own.tool_name or step.args != own.args):
            return False
        for id_ in step.depends_on or ():
            if id_ not in listed and (id_ in going or (cell := kept.get(id_)) is None or cell.is_lost):
                return False
        listed.add(step.id)
    return True
