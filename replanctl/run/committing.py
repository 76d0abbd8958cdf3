"""From a draft to the next version: the draft check, the gates behind it, the commit and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from replanctl.kinds import ChangeKind, Granularity, Verdict
from replanctl.live import (
    DONE,
    PENDING,
    Cell,
    Draft,
    Finished,
    Graph,
    Ground,
    OpenSteps,
    Proposal,
    Surroundings,
    check,
    is_required,
    is_sound,
    lay_copy,
    lay_over,
    required,
    same_work,
    sequence_key,
    unmakeable,
)
from replanctl.plan import Step, kind_of_change, variable_name
from replanctl.replan import Check, Moment, OscillationGuard, ReplanBreaker, deeper
from replanctl.run.budget import Spending
from replanctl.run.events import Event, PlanCommit, PlanDiffed
from replanctl.run.once import May
from replanctl.run.requests import Answer
from replanctl.run.state import SessionState
from replanctl.run.step_ends import StepEnds
from replanctl.run.trigger import Trigger


class Faults(NamedTuple):
    """Why a draft is refused. `only_calls`: for nothing but calls that may not be made (again)."""

    reasons: tuple[str, ...]
    only_calls: bool = False


_NO_FAULTS = Faults(())


# Everything that judges a draft looks at what it would change, never at the whole plan: the check walks from the
# changed steps, the guard compares keys that are kept up step by step, the step budget counts with what leaves and what
# comes, and the diff compares only what was touched. A plan of ten thousand steps is replanned at the price of the
# replan.
class Committing:
    """Judges drafts and puts them in force. In the `plain` loop nothing but the draft's own names is judged."""

    def __init__(self, state: SessionState, ends: StepEnds, breaker: ReplanBreaker, *, plain: bool) -> None:
        self._state = state
        self._breaker = breaker
        self._guard = OscillationGuard()
        self._finished = Finished(state.graph)
        self._open_steps = OpenSteps(state.graph)
        self._ends = ends
        self._plain = plain

    def proposal(self, trigger: Trigger, answer: Answer) -> Proposal:
        """What this draft would change. An empty answer to a changed goal drops what is open and keeps what is done."""
        state, draft = self._state, answer.draft
        assert draft is not None
        if not draft.steps:
            return self._no_more(draft)
        # A planner outside lists work by what it does, and has to be told what of it is done already; the template says
        # itself which step each of its own stands for.
        judged = state.variables.after(draft.verdicts)
        ground = Ground(
            state.graph, trigger.decision.granularity, trigger.cell, trigger.scope, self._finished, self._open_steps,
            judged.is_clean,
        )  # fmt: skip
        return (lay_copy if answer.by_template else lay_over)(draft, ground, state.variables.refuted)

    def _no_more(self, draft: Draft) -> Proposal:
        """What is open goes; results that are stale by the change alone are kept, unless the draft judges them."""
        graph = self._state.graph
        kept = {variable_name(id_): Verdict.KEEP for id_ in self._state.variables.only_outdated()}
        dropped = (c for c in graph.cells.values() if is_required(c) and c.state is not DONE) if graph.required else ()
        return Proposal(
            steps=(),
            amended=(),
            removed=tuple(cell.step.id for cell in graph.open_cells()),
            mapping={},
            before={},
            verdicts={**kept, **draft.verdicts},
            dropped=tuple(cell.step.id for cell in dropped),
            warnings=draft.warnings,
            closes=True,
        )

    def faults(self, trigger: Trigger, proposal: Proposal, *, by_template: bool) -> Faults:
        """Every reason to refuse the draft; none where it may be committed."""
        if self._plain:
            return Faults(proposal.faults)
        if proposal.closes:
            return Faults(tuple(required(proposal.dropped)))
        state, plan, granularity = self._state, self._state.plan, trigger.decision.granularity
        sound = by_template and is_sound(proposal, state.graph, granularity, trigger.cell, plan.assumptions)
        if sound and state.may_call_all:
            return _NO_FAULTS
        around = Surroundings(
            state.graph, state.variables, plan.tools, plan.assumptions,
            partial(state.unmakeable, judged=state.variables.after(proposal.verdicts)), trigger.cell,
            by_template=by_template,
        )  # fmt: skip
        barred = unmakeable(proposal, around, granularity)
        reasons = tuple(dict.fromkeys(barred)) if sound else check(proposal, around, granularity)
        return Faults(reasons, bool(reasons) and set(reasons) <= set(barred))

    def acting_again(self, proposal: Proposal) -> Iterator[str]:
        """A warning for each step whose call was made before and is not made again, and for each that does once more,
        with other args, what an action says that is done."""
        state = self._state
        if not state.acts_once:
            return
        known, judged = proposal.reader(state.graph), state.variables.after(proposal.verdicts)
        for step in proposal.steps:
            if state.tool(step.tool_name).idempotent:
                continue
            ruling = state.drafted_call(step, known(step), judged)
            if ruling.may is May.TAKE:
                yield ruling.why
            elif ruling.may is May.MAKE and (done := self._done_already(step, proposal.before.get(step.id))):
                args = "other args" if state.can_read(step, known(step)) else "args that can't be read yet"
                yield (
                    f"step {step.id} does again what step {done.step.id} did ({step.action}), with {args}:"
                    f" {step.tool_name} acts on the world"
                )

    def _done_already(self, step: Step, before: Step | None) -> Cell | None:
        """A step that was done with the same written action and tool; none where the draft only lists an open step."""
        if step.again or step.action == step.tool_name:
            return None
        cell = self._state.graph.cells.get(before.id) if before is not None else None
        if cell is not None and cell.state is not DONE and same_work(cell.step, step):
            return None
        return self._finished.same_action(step)

    # -- gates --------------------------------------------------------------------------------------------------------

    def checks(self, trigger: Trigger, proposal: Proposal) -> Iterator[Check]:
        """The two gates behind the draft check, in order; each is read when it is its turn."""
        state, graph = self._state, self._state.graph
        leaving = proposal.leaving(graph)
        key = graph.open_key() - sequence_key([cell.step for cell in leaving]) + sequence_key(proposal.steps)
        version = graph.version
        if trigger.failure is None:  # versions made for an earlier goal do not count
            self._guard.forget()
        # The sequences are lambdas: they are walked only where two keys meet, which is when the plan may really be an
        # old one.
        self._guard.replace(graph.open_key(), lambda: _calls(cell.step for cell in graph.open_at(version)))
        left = graph.open - len(leaving) + len(proposal.steps)
        seen = partial(self._guard.seen, key, lambda: _calls([*proposal.steps, *proposal.staying(graph)]))
        return state.budget.checks(Moment.COMMIT, state, Spending(steps=left, seen=seen))

    # -- the commit ---------------------------------------------------------------------------------------------------

    def commit(self, trigger: Trigger, proposal: Proposal) -> Iterator[Event]:
        """Put the next version in force."""
        state, graph = self._state, self._state.graph
        parent, (rule, granularity) = state.version, (trigger.decision.rule, trigger.decision.granularity)
        diff = _changes(proposal, graph)
        self._climb(trigger)
        if proposal.closes:  # what is there will do, whatever was to be handed over
            state.given_up = []
        refuted = tuple(state.variables.refuted)
        afresh = trigger.failure is None
        made = graph.commit(
            proposal.steps,
            proposal.amended,
            proposal.removed,
            afresh=afresh,
            refuted=refuted,
            readings=proposal.readings,
        )
        state.version = f"v{graph.version}"
        yield state.emit(
            PlanCommit, parent, granularity, rule, trigger.cause, state.goal, proposal.steps, proposal.amended,
            proposal.removed, proposal.verdicts, len(graph.cells), refuted,
        )  # fmt: skip
        yield state.emit(
            PlanDiffed, parent, state.version, granularity, trigger.cause, diff.removed, diff.added, diff.revised,
            diff.rewired,
        )  # fmt: skip
        if proposal.verdicts:
            verdicts = {name[1:]: Verdict(verdict) for name, verdict in proposal.verdicts.items()}
            yield from state.health_events(state.variables.judge(verdicts))
        yield from skip_unreachable(made, state, self._ends)

    def _climb(self, trigger: Trigger) -> None:
        """The ladder goes one way; a changed goal lets everything start afresh."""
        state = self._state
        if trigger.failure is None:
            self._breaker.forget()
            self._guard.forget()
            return
        self._guard.commit()
        lineage = state.graph.lineage(trigger.failure.cell)
        lineage.deepest = deeper(lineage.deepest, trigger.decision.granularity)
        lineage.patches += trigger.decision.granularity is Granularity.PATCH


def skip_unreachable(made: Sequence[Cell], state: SessionState, ends: StepEnds) -> Iterator[Event]:
    """A pending step whose dependency is lost is skipped; one with nothing but gaps to run on is a gap."""
    cells = state.graph.cells
    for cell in made:
        depends_on = cell.step.depends_on
        if not (cell.unmet or cell.gap_deps) or not depends_on or cell.state is not PENDING or cell.gone:
            continue
        dependencies = [cells[d] for d in depends_on if d in cells]
        lost = [d for d in dependencies if d.state is not PENDING and d.is_lost]
        if lost:
            yield ends.skip(cell, blocked_by=(lost[0].step.id,))
            yield from ends.skip_dependents(cell)
        elif dependencies and cell.gap_deps == len(dependencies):
            queue: list[Cell] = [cell]
            while queue:
                yield from ends.block(queue.pop(0), queue)


class _Diff(NamedTuple):
    removed: tuple[str, ...]
    added: tuple[str, ...]
    revised: tuple[str, ...]
    rewired: tuple[str, ...]


def _changes(proposal: Proposal, graph: Graph) -> _Diff:
    """What a commit changes: the same that comparing the two versions whole would find, at no more than its size."""
    cells = graph.cells
    added: list[str] = []
    altered: dict[ChangeKind | None, list[str]] = {ChangeKind.REVISED: [], ChangeKind.REWIRED: [], None: []}
    for step in _touched(proposal, graph):
        old = cells.get(step.id)
        (added if old is None else altered[kind_of_change(old.step, step)]).append(step.id)
    removed = _in_list_order(proposal.removed, graph)
    return _Diff(tuple(removed), tuple(added), tuple(altered[ChangeKind.REVISED]), tuple(altered[ChangeKind.REWIRED]))


def _touched(proposal: Proposal, graph: Graph) -> Iterator[Step]:
    """The steps that a commit brings or changes, as the new list has them: what has ended, the draft's, the rest."""
    if not proposal.amended:
        yield from proposal.steps
        return
    amended = {step.id: step for step in proposal.amended}
    for id_ in _in_list_order([id_ for id_ in amended if not graph.cells[id_].is_open], graph):
        yield amended.pop(id_)
    yield from (*proposal.steps, *amended.values())


def _in_list_order(ids: Iterable[str], graph: Graph) -> list[str]:
    return [cell.step.id for cell in graph.in_order([graph.cells[id_] for id_ in ids])]


def _calls(steps: Iterable[Step]) -> list[tuple[str, str]]:
    return [(step.action, step.tool_name) for step in steps]
