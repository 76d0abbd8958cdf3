"""What a draft must pass before it is committed: every reason against it, in words a planner can act on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator

import msgspec

from replanctl.kinds import Granularity, Health
from replanctl.live.calls import same_call
from replanctl.live.cells import DONE, Cell
from replanctl.live.draft import Proposal
from replanctl.live.graph import Graph
from replanctl.live.variables import Judged, VariableTable
from replanctl.plan import Step, references


class Surroundings(msgspec.Struct, frozen=True):
    """What a draft is checked against. `tools` and `assumptions` are None when the plan does not restrict them;
    `unmakeable` says why a step's call may not be made (again), or nothing, by the ids that are references in it;
    `by_template`: it is the template's draft.
    """

    graph: Graph
    variables: VariableTable
    tools: Collection[str] | None
    assumptions: Collection[str] | None
    unmakeable: Callable[[Step, Container[str]], str]
    failed: Cell | None
    by_template: bool = False


def check(proposal: Proposal, around: Surroundings, granularity: Granularity) -> tuple[str, ...]:
    """Every reason why this draft can't be committed; none when it can.

    Structure is asked of all steps of the new version that are not done, the rest only of what the draft lists: what is
    carried along fails, or is read, when its turn comes. A step is excused where the one it stands for had the same
    fault, but not in a plan that a planner writes anew.
    """
    version = _Version(proposal, around.graph, granularity)
    reasons = [*proposal.faults, *required(proposal.dropped), *proposal.adrift.values()]
    reasons += [*_dependencies(version, proposal), *_cycle(version)]
    judged, known = around.variables.after(proposal.verdicts), proposal.reader(around.graph)
    for step in proposal.steps:
        before = _excuse(step, proposal, around, granularity)
        reasons += _names(step, before, around)
        reasons += _reads(step, before, known(step), proposal, around, version, judged)
    reasons += unmakeable(proposal, around, granularity)
    if not reasons and not version.something_left():
        reasons.append("nothing is left to run that does not rest on a step that failed for good or was skipped")
    return tuple(dict.fromkeys(reasons))


class _Version:
    """The open steps of the new version, looked up without building it."""

    def __init__(self, proposal: Proposal, graph: Graph, granularity: Granularity) -> None:
        self.graph = graph
        amended = (step for step in proposal.amended if graph.cells[step.id].is_open)
        self.changed = {step.id: step for step in (*proposal.steps, *amended)}
        self.amended = {step.id: step for step in proposal.amended}
        self.steps = proposal.steps
        self.gone = frozenset(proposal.removed)
        self.empty_before = granularity is Granularity.GLOBAL

    def kept(self, id_: str) -> Cell | None:
        """A step that stays as it is."""
        return None if id_ in self.gone or id_ in self.changed or self.empty_before else self.graph.cells.get(id_)

    def __contains__(self, id_: object) -> bool:
        return id_ in self.changed or (isinstance(id_, str) and self.kept(id_) is not None)

    def waits_for(self, id_: str) -> tuple[str, ...]:
        """The dependencies of a step that is not done; what is done waits for nothing."""
        if (step := self.changed.get(id_) or self.amended.get(id_)) is not None:
            return step.depends_on or ()
        cell = self.kept(id_)
        return (cell.step.depends_on or ()) if cell is not None and cell.state is not DONE else ()

    def follows_its_order(self) -> bool:
        """Whether each changed step waits only for what is done and for changed steps before it: so do most, and then
        there is no cycle to look for."""
        before: set[str] = set()
        for id_, step in self.changed.items():
            for need in step.depends_on or ():
                if need not in before and (need in self.changed or self.waits_for(need)):
                    return False
            before.add(id_)
        return True

    def orphans(self) -> Iterator[tuple[str, str]]:
        """Steps that stay and are not done, and the step without a successor that they wait for."""
        for id_ in self.gone:
            for dependent in self.graph.cells[id_].dependents:
                if self.kept(dependent.step.id) is dependent and id_ in self.waits_for(dependent.step.id):
                    yield dependent.step.id, id_

    def something_left(self) -> bool:
        """Whether a step is open that does not rest on one that failed for good or was skipped."""
        leaving = [self.graph.cells[id_] for id_ in self.gone]
        leaving += [self.graph.cells[step.id] for step in self.steps if step.id in self.graph.cells]
        kept = 0 if self.empty_before else self.graph.open - sum(cell.is_open for cell in leaving)
        return len(self.steps) + kept > len(self._doomed())

    def _doomed(self) -> set[str]:
        readers: dict[str, list[str]] = {}
        for step in self.changed.values():
            for id_ in step.depends_on or ():
                readers.setdefault(id_, []).append(step.id)
        stack = [id_ for id_ in readers if (cell := self.kept(id_)) is not None and cell.is_lost]
        doomed: set[str] = set()
        while stack:
            id_ = stack.pop()
            found = {*readers.get(id_, ()), *self._kept_readers(id_)} - doomed
            doomed |= found
            stack.extend(found)
        return doomed

    def _kept_readers(self, id_: str) -> Iterator[str]:
        """The open steps that stay as they are and wait for this one."""
        if id_ not in self.gone and (cell := self.graph.cells.get(id_)) is not None:
            yield from (c.step.id for c in cell.dependents if c.is_open and self.kept(c.step.id) is c)


def required(dropped: Iterable[str]) -> Iterator[str]:
    """Why a draft that leaves out required steps is refused, and the way out."""
    for id_ in dropped:
        yield f"step {id_} is required and nothing stands for it: the step that takes its place says replaces: {id_}"


def _dependencies(version: _Version, proposal: Proposal) -> Iterator[str]:
    for step in version.changed.values():
        for id_ in step.depends_on or ():
            if id_ not in version and (step.id, id_) not in proposal.adrift:
                yield f"step {step.id} depends on {id_}, which is not in the plan"
    for id_, missing in sorted(version.orphans()):
        yield f"step {id_} depends on {missing}, which goes and is replaced by nothing"


def _cycle(version: _Version) -> Iterator[str]:
    """The first cycle, as a path; one that the old plan did not have leads through a changed step."""
    if version.follows_its_order():
        return
    closed: set[str] = set()
    for start in version.changed:
        path: dict[str, Iterator[str]] = {}
        here: str | None = start if start not in closed else None
        while here is not None:
            path[here] = iter(version.waits_for(here))
            while path:
                here = next(path[next(reversed(path))], None)
                if here in path:
                    loop = list(path)[list(path).index(here) :]
                    yield "the steps wait for each other: " + " → ".join([*loop, here])
                    return
                if here is not None and here not in closed:
                    break
                if here is None:
                    closed.add(path.popitem()[0])
            else:
                here = None


def _names(step: Step, before: Step | None, around: Surroundings) -> Iterator[str]:
    had = set(_tools(before)) if before is not None else set()
    if around.tools is not None:
        for tool in dict.fromkeys(_tools(step)):
            if tool not in around.tools and tool not in had:
                yield f"step {step.id} uses the tool {tool}, which the plan does not have"
    if around.assumptions is not None:
        for name in step.assumes:
            if name not in around.assumptions:
                yield f"step {step.id} assumes {name}, which the plan does not name"


def _tools(step: Step) -> Iterator[str]:
    yield step.tool_name
    yield from (way.tool for way in step.alternatives if way.tool)


def _reads(
    step: Step,
    before: Step | None,
    known: Container[str],
    proposal: Proposal,
    around: Surroundings,
    version: _Version,
    judged: Judged,
) -> Iterator[str]:
    if not references.mentions(step.args):
        return
    had = _had(before, around.graph) if before is not None else set()
    for reference in references.find(step.args, known):
        if reference.step_id in had or (step.id, reference.step_id) in proposal.adrift:
            continue
        if fault := _fault(reference, version, judged):
            yield f"step {step.id} reads {reference.text}, {fault}"


def _had(before: Step, graph: Graph) -> set[str]:
    """What the step it stands for reads."""
    known = graph.known.read(graph.cells[before.id].reading)
    return {reference.step_id for reference in references.find(before.args, known)}


def _fault(reference: references.Reference, version: _Version, judged: Judged) -> str:
    id_ = reference.step_id
    if not reference.known:
        return "which no step produces"
    if id_ in version.changed:
        return ""
    match judged.health(id_):
        case None:
            return "" if id_ in version else "which no step produces"
        case Health.VOID:
            return "which is void"
        case Health.STALE:
            return "which is stale and has no verdict"
        case Health.CLEAN:
            return ""


def _excuse(step: Step, proposal: Proposal, around: Surroundings, granularity: Granularity) -> Step | None:
    """The step it stands for, whose faults are not its own; none in a plan that a planner writes anew."""
    anew = granularity is Granularity.GLOBAL and not around.by_template
    return None if anew else proposal.before.get(step.id)


def unmakeable(proposal: Proposal, around: Surroundings, granularity: Granularity) -> list[str]:
    """A reason for each step whose call may not be made.

    One that the step it stands for had is left to fail when its turn comes, but for the failed step's own, and but for
    a plan that a planner writes anew.
    """
    reasons = []
    known, to_run = proposal.reader(around.graph), {step.id for step in proposal.steps}
    for step in proposal.steps:
        before = _excuse(step, proposal, around, granularity)
        own = around.failed is not None and before is around.failed.step
        excused = before is not None and not own and same_call(step, before)
        if excused or _reads_any(step, to_run, known(step)):
            continue
        if why := around.unmakeable(step, known(step)):
            reasons.append(f"step {step.id} makes a call of {step.tool_name} that {why}")
    return reasons


def _reads_any(step: Step, to_run: Container[str], known: Container[str]) -> bool:
    """Whether it reads a step that the draft lists: its args can't be read yet, also where that one was a gap."""
    return references.mentions(step.args) and any(r.step_id in to_run for r in references.find(step.args, known))
