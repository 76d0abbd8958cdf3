"""One replan, from the route to the commit.

The order is fixed: route, lesson, step breaker, replan count, token gate, replanner, draft check, oscillation guard,
step budget, commit. A replan refused before the replanner is asked costs nothing; one that was asked counts and is
booked, whatever came back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from replanctl.cost.model import padded
from replanctl.plan.cells import DONE, FAILED, PENDING, SKIPPED, Cell
from replanctl.plan.draft import Draft, Proposal, lay_over
from replanctl.plan.draft_check import Surroundings, check
from replanctl.plan.model import Granularity, Step
from replanctl.plan.variables import Verdict
from replanctl.replan.gates import REASONS, BudgetGate, Check, Sequenced
from replanctl.replan.prompt import LESSON_LINES, DoneStep, Lazy, ReplanRequest, done_lines, step_lines, summary
from replanctl.replan.replanner import Replanner
from replanctl.replan.routing import GOAL_CHANGED, Decision, RouteFacts, deeper, route
from replanctl.replan.signal import ErrorType, FailureSignal
from replanctl.replan.template import template
from replanctl.run.ending import Ender
from replanctl.run.events import (
    Event,
    Gate,
    GoalChanged,
    Ledger,
    LessonLearned,
    PlanCommit,
    PlanDiffed,
    PlanDraft,
    PlanRejected,
    Route,
)
from replanctl.run.interruptions import GoalChange
from replanctl.run.state import Failure, SessionState


class Stop(msgspec.Struct, frozen=True):
    """The session ends here: why, in words, and by which gate."""

    reason: str
    detail: str
    gate: Check | None = None


class Case(msgspec.Struct):
    """What a replan answers: a failure, or a changed goal. `signal` is what the replanner is told; after a bad draft it
    is no longer the failure's own."""

    decision: Decision
    failure: Failure | None = None
    signal: FailureSignal | None = None
    scope: tuple[Cell, ...] = ()
    lines: tuple[Cell, ...] = ()

    @property
    def cell(self) -> Cell | None:
        """The failed step, if a failure is what this is about."""
        return self.failure.cell if self.failure is not None else None

    @property
    def step_id(self) -> str | None:
        """Its id."""
        return self.failure.cell.step.id if self.failure is not None else None

    @property
    def cause(self) -> str:
        """The cause a version records."""
        if self.failure is None:
            return ErrorType.GOAL_CHANGED
        return f"{self.failure.signal.error_type}@{self.failure.cell.step.id}"


class Replanning:
    """Answers failures and changed goals with new versions. After each answer `stop` says whether the session ends."""

    def __init__(
        self,
        state: SessionState,
        replanner: Replanner | None,
        ender: Ender,
        *,
        plain: bool = False,
        asked: Callable[[ReplanRequest], None] | None = None,
    ) -> None:
        self._state = state
        self._plain = plain
        self._asked = asked
        self._replanner = replanner
        self._ender = ender
        self.stop: Stop | None = None
        self.nothing_left = False  # a planner answered a changed goal with an empty plan

    # -- what is asked for --------------------------------------------------------------------------------------------

    def failure(self, failure: Failure) -> Iterator[Event]:
        """Route one failure and replan it, hand it over, or stop the session."""
        state, cell, signal = self._state, failure.cell, failure.signal
        radius = state.graph.resting_on(cell, signal.refutes)
        decision = route(self._facts(failure, len(radius)), state.policy.routing)
        yield state.emit(
            Route,
            cell.step.id,
            signal.error_type,
            decision.rule,
            decision.radius,
            decision.granularity,
            decision.escalated_from,
        )
        told = FailureSignal(cell.step.id, signal.error_type, signal.error_msg, signal.attempted, signal.evidence)
        case = Case(decision, failure, told, *self._reach(decision.granularity, cell, radius))
        yield self._lesson(case, signal.error_type, self._cause(case), ", ".join(signal.attempted))
        if decision.granularity is Granularity.NONE:
            yield from self._hand_over(failure)
        else:
            yield from self._replan(case)

    def goal_change(self, change: GoalChange) -> Iterator[Event]:
        """Answer a changed goal with a global replan; ladder, breaker and oscillation start afresh."""
        state = self._state
        previous, state.goal = state.goal, change.goal
        yield state.emit(GoalChanged, change.goal, previous, True, change.refutes)
        yield from state.health_events([*state.variables.refute(change.refutes), *state.variables.goal_changed()])
        yield state.emit(Route, None, None, GOAL_CHANGED.rule, None, GOAL_CHANGED.granularity)
        case = Case(GOAL_CHANGED, None, None, *self._reach(Granularity.GLOBAL, None, ()))
        yield self._lesson(case, ErrorType.GOAL_CHANGED, f"the goal is now {change.goal}", "")
        yield from self._replan(case)

    def _facts(self, failure: Failure, radius: int) -> RouteFacts:
        state, cell, signal = self._state, failure.cell, failure.signal
        lineage = state.graph.lineage(cell)
        fallen = state.variables.resting_on(signal.refutes)
        return RouteFacts(
            error_type=signal.error_type,
            line=lineage.ids,
            tool=cell.step.tool_name,
            radius=radius,
            direct=len(state.graph.direct(cell)),
            state=signal.evidence.get("state", ""),
            premise_fell=any((c := state.graph.cells.get(i)) is not None and c.state is DONE for i in fallen),
            forced=cell.step.granularity,
            deepest=lineage.deepest,
        )

    def _reach(
        self, granularity: Granularity, cell: Cell | None, radius: Sequence[Cell]
    ) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
        """What the granularity replaces (the failed step first), and the steps whose lines a request carries."""
        graph = self._state.graph
        if self._plain and cell is not None:
            rest = (cell, *(c for c in graph.open_cells() if c is not cell))
            return rest, rest
        if granularity is Granularity.GLOBAL or cell is None:
            everything = tuple(graph.listed())
            return everything, tuple(c for c in everything if c.state is not DONE)
        if granularity is Granularity.TAIL:
            return (cell, *radius), (cell, *radius)
        return (cell,), (cell, *graph.direct(cell))

    # -- lessons ------------------------------------------------------------------------------------------------------

    def _cause(self, case: Case) -> str:
        """What the planner rule that will match says, else the outcome, else what was expected and what came."""
        assert case.failure is not None
        signal = case.failure.signal
        if self._replanner is not None and case.decision.granularity is not Granularity.NONE:
            said = self._replanner.cause(self._request(case))
            if said:
                return said
        expected = case.failure.cell.step.expected_outcome or "none"
        return signal.cause or f"expected {expected}, got {signal.error_msg}"

    def _lesson(self, case: Case, error_type: str, cause: str, avoid: str) -> LessonLearned:
        state = self._state
        lesson, evicted = state.lessons.write(state.version, case.step_id, error_type, cause, avoid)
        return state.emit(
            LessonLearned, lesson.text, lesson.count, case.step_id, error_type, evicted.text if evicted else None
        )

    # -- handing over -------------------------------------------------------------------------------------------------

    def _hand_over(self, failure: Failure) -> Iterator[Event]:
        """No replan helps: what rests on the step is skipped, the rest goes on, and then a person takes over."""
        state = self._state
        resting = [c for c in state.graph.resting_on(failure.cell, failure.signal.refutes) if c.state is PENDING]
        state.graph.give_up(failure.cell)
        state.escalated.append(failure)
        state.handed_over += resting
        for cell in resting:
            yield self._ender.skip(cell, blocked_by=(failure.cell.step.id,))

    # -- asking -------------------------------------------------------------------------------------------------------

    def _replan(self, case: Case) -> Iterator[Event]:
        """Ask until a draft is good, a gate refuses, or the replanner gives up."""
        state = self._state
        while True:
            estimate = self._estimate(case)
            for checked in self._before_asking(case, estimate):
                yield self._gate(checked, case)
                if not checked.admitted:
                    self._refuse(checked)
                    return
            draft, who, error = self._ask(case)
            self._count(case, estimate)
            proposal = self._lay_over(case, draft, who) if draft is not None and draft.steps else None
            yield self._drafted(case, draft, who, error, proposal)
            yield state.emit(Ledger, "replan", case.step_id, case.decision.granularity, estimate, estimate)
            if draft is not None and not draft.steps:
                yield from self._empty(case, draft)
                return
            reasons = (error,) if proposal is None else self._check(case, proposal)
            if not reasons:
                assert proposal is not None
                yield from self._admit(case, proposal)
                return
            yield state.emit(PlanRejected, case.step_id, reasons)
            yield from self._rejected(case, reasons, who)
            if self.stop is not None:
                return

    def _estimate(self, case: Case) -> int:
        state = self._state
        return state.cost.replan(
            done=done_lines(state.graph.done),
            lines=step_lines(len(case.lines)),
            lessons=min(len(state.lessons), LESSON_LINES),
        )

    def _before_asking(self, case: Case, estimate: int) -> Iterator[Check]:
        state = self._state
        if case.failure is not None and case.signal is not None:
            lineage = state.graph.lineage(case.failure.cell).root
            yield state.breaker.check(lineage, case.signal.error_type)
        yield BudgetGate("max_replans", state.limits.max_replans, reached=False).check(state.replans)
        reading = state.replan_tokens + padded(estimate)
        yield BudgetGate("max_replan_tokens", state.limits.max_replan_tokens).check(reading)

    def _gate(self, checked: Check, case: Case) -> Gate:
        return self._state.emit(Gate, checked.gate, checked.limit, checked.reading, checked.admitted, case.step_id)

    def _refuse(self, checked: Check) -> None:
        detail = f"{checked.gate} admits {checked.limit}, and the reading is {checked.reading}"
        self.stop = Stop(REASONS[checked.gate], detail, checked)

    def _ask(self, case: Case) -> tuple[Draft | None, str, str]:
        """The draft (None for a bad answer), who wrote it, and what went wrong asking."""
        if self._asked is not None:
            self._asked(self._request(case))
        if self._replanner is not None:
            try:
                draft = self._replanner.replan(self._request(case))
            except Exception as error:  # whatever a replanner raises makes a bad draft
                return None, self._replanner.name, f"the replanner failed: {type(error).__name__}: {error}"[:400]
            if draft is not None:
                return draft, self._replanner.name, ""
        return self._template(case), "template", ""

    def _template(self, case: Case) -> Draft:
        """The template works from the failure itself, also when it is asked after a bad draft."""
        signal = None
        if case.failure is not None:
            s = case.failure.signal
            signal = FailureSignal(s.step_id, s.error_type, s.error_msg, s.attempted, s.evidence)
        return template(
            self._state.graph,
            case.decision.granularity,
            failed=case.cell,
            signal=signal,
            scope=case.scope,
            tools=self._state.tools,
            standing=self._state,
        )

    def _request(self, case: Case) -> ReplanRequest:
        state = self._state
        return ReplanRequest(
            goal=state.goal,
            granularity=case.decision.granularity,
            version=state.version,
            done=Lazy(self._done_steps),
            signal=case.signal,
            remaining=Lazy(lambda: [cell.step for cell in case.lines]),
            lessons=tuple(lesson.text for lesson in state.lessons.newest(LESSON_LINES)),
            line=state.graph.line(case.failure.cell) if case.failure is not None else (),
        )

    def _done_steps(self) -> list[DoneStep]:
        state = self._state
        done = [cell.step for cell in state.graph.listed() if cell.state is DONE]
        return [DoneStep(step.id, step.action, summary(state.value(step.id))) for step in done]

    def _count(self, case: Case, estimate: int) -> None:
        state = self._state
        if case.failure is not None and case.signal is not None:
            state.breaker.record(state.graph.lineage(case.failure.cell).root, case.signal.error_type)
        state.replans += 1
        state.replan_tokens += estimate

    # -- judging ------------------------------------------------------------------------------------------------------

    def _lay_over(self, case: Case, draft: Draft, who: str) -> Proposal:
        state = self._state
        return lay_over(
            draft,
            state.graph,
            case.decision.granularity,
            failed=case.cell,
            scope=case.scope,
            refuted=state.variables.refuted,
            finished=None if who == "template" else state.finished,
        )

    def _drafted(self, case: Case, draft: Draft | None, who: str, error: str, proposal: Proposal | None) -> PlanDraft:
        return self._state.emit(
            PlanDraft,
            case.step_id,
            case.decision.granularity,
            who,
            draft.steps if draft is not None else (),
            proposal.mapping if proposal is not None else {},
            draft.verdicts if draft is not None else {},
            error or None,
            (*draft.warnings, *self._called_again(proposal)) if draft is not None else (),
        )

    def _called_again(self, proposal: Proposal | None) -> Iterator[str]:
        """A draft that makes a call again which is done, and which is not safe to make twice, is a warning."""
        for step in proposal.steps if proposal is not None else ():
            if not self._state.tool(step.tool_name).idempotent and self._was_called(step):
                yield f"step {step.id} calls {step.tool_name} again, which is not idempotent and may act twice"

    def _was_called(self, step: Step) -> bool:
        return any(
            cell.state is DONE and cell.step.tool_name == step.tool_name and cell.step.args == step.args
            for cell in self._state.graph.ever_done
        )

    def _check(self, case: Case, proposal: Proposal) -> tuple[str, ...]:
        state, plan = self._state, self._state.plan
        if self._plain:
            return proposal.faults
        around = Surroundings(state.graph, state.variables, plan.tools, plan.assumptions, state.denies, case.cell)
        return check(proposal, around, case.decision.granularity)

    def _rejected(self, case: Case, reasons: tuple[str, ...], who: str) -> Iterator[Event]:
        """A refused draft becomes a lesson, and the next request tells why; the template is not asked again."""
        text = "; ".join(reasons)
        attempted = case.failure.signal.attempted if case.failure is not None else ()
        yield self._lesson(case, ErrorType.INVALID_DRAFT, text, ", ".join(attempted))
        if who == "template":
            self.stop = Stop("no_plan", f"the template's draft was refused: {text}")
        if case.failure is not None:
            evidence: dict[str, Any] = {"reasons": list(reasons)}
            case.signal = FailureSignal(
                case.failure.cell.step.id, ErrorType.INVALID_DRAFT, text[:200], attempted, evidence
            )

    def _empty(self, case: Case, draft: Draft) -> Iterator[Event]:
        """An empty plan: no plan after a failure; after a changed goal it means that nothing is left to do."""
        if case.failure is not None:
            self.stop = Stop("no_plan", f"the replanner gave up on step {case.step_id}")
            return
        self.nothing_left = True
        open_ids = tuple(cell.step.id for cell in self._state.graph.open_cells())
        yield from self._commit(case, Proposal((), (), open_ids, {}, {}, dict(draft.verdicts)))

    def _admit(self, case: Case, proposal: Proposal) -> Iterator[Event]:
        """The two gates behind the draft check, then the commit."""
        state, graph = self._state, self._state.graph
        leaving = [graph.cells[i] for i in (*proposal.removed, *(s.id for s in proposal.steps if s.id in graph.cells))]
        gone = {id(cell) for cell in leaving}
        open_leaving = [cell for cell in leaving if cell.is_open]
        key = graph.open_key() - sum(hash((c.step.action, c.step.tool_name)) for c in open_leaving)
        key += sum(hash((step.action, step.tool_name)) for step in proposal.steps)

        def sequence() -> list[tuple[str, str]]:
            kept = [c.step for c in graph.open_cells() if id(c) not in gone]
            return [(step.action, step.tool_name) for step in (*proposal.steps, *kept)]

        if case.failure is None:
            state.guard.forget()
        version = graph.version
        state.guard.replace(
            graph.open_key(), lambda: [(c.step.action, c.step.tool_name) for c in graph.open_at(version)]
        )
        left = graph.open - len(open_leaving) + len(proposal.steps)
        for checked in self._before_committing(key, sequence, left):
            yield self._gate(checked, case)
            if not checked.admitted:
                self._refuse(checked)
                return
        yield from self._commit(case, proposal)

    def _before_committing(self, key: int, sequence: Sequenced, left: int) -> Iterator[Check]:
        state = self._state
        yield state.guard.check(key, sequence)
        max_steps = None if self._plain else state.limits.max_steps
        yield BudgetGate("max_steps", max_steps).check(state.executions + left)

    # -- committing ---------------------------------------------------------------------------------------------------

    def _commit(self, case: Case, proposal: Proposal) -> Iterator[Event]:
        state, graph = self._state, self._state.graph
        diff = _changes(proposal, graph.cells, self._listed_ids(case, proposal))
        parent, afresh = state.version, case.failure is None
        if case.failure is not None:
            lineage = graph.lineage(case.failure.cell)
            lineage.deepest = deeper(lineage.deepest, case.decision.granularity)
            lineage.patches += case.decision.granularity is Granularity.PATCH
        made = graph.commit(
            proposal.steps, proposal.amended, proposal.removed, afresh=afresh, refuted=state.variables.refuted
        )
        state.version = f"v{graph.version}"
        if afresh:
            state.breaker.forget()
            state.guard.forget()
        else:
            state.guard.commit()
        rule, granularity = case.decision.rule, case.decision.granularity
        yield state.emit(
            PlanCommit, parent, granularity, rule, case.cause, state.goal, proposal.steps, proposal.amended,
            proposal.removed, proposal.verdicts, len(graph.cells), tuple(state.variables.refuted),
        )  # fmt: skip
        yield state.emit(PlanDiffed, parent, state.version, granularity, case.cause, **diff)
        verdicts = {name[1:]: Verdict(verdict) for name, verdict in proposal.verdicts.items()}
        yield from state.health_events(state.variables.judge(verdicts))
        yield from self._after_commit(made)

    def _listed_ids(self, case: Case, proposal: Proposal) -> list[str]:
        """The removed ids in list order."""
        if case.decision.granularity is Granularity.GLOBAL:
            gone = set(proposal.removed)
            return [c.step.id for c in self._state.graph.listed() if c.step.id in gone]
        cells = self._state.graph.cells
        return [c.step.id for c in self._state.graph.in_order(cells[id_] for id_ in proposal.removed)]

    def _after_commit(self, made: Sequence[Cell]) -> Iterator[Event]:
        """A pending step whose dependency is skipped or failed for good is skipped; one with nothing but gaps is one."""
        cells = self._state.graph.cells
        for cell in made:
            if cell.state is not PENDING or cell.gone:
                continue
            dependencies = [cells[d] for d in cell.step.depends_on or () if d in cells]
            lost = [d for d in dependencies if d.state in (FAILED, SKIPPED) and not d.waits and not d.gap]
            if lost:
                yield self._ender.skip(cell, blocked_by=(lost[0].step.id,))
                yield from self._ender.skip_dependents(cell)
            elif dependencies and cell.gap_deps == len(dependencies):
                queue: list[Cell] = [cell]
                while queue:
                    yield from self._ender.block(queue.pop(0), queue)


def _changes(proposal: Proposal, cells: dict[str, Cell], removed: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What a commit changes, by ids: the same that comparing the two versions whole would find."""
    added, revised, rewired = [], [], []
    for step in (*proposal.steps, *proposal.amended):
        cell = cells.get(step.id)
        if cell is None:
            added.append(step.id)
        elif _call(cell.step) != _call(step):
            revised.append(step.id)
        elif cell.step.depends_on != step.depends_on:
            rewired.append(step.id)
    return {
        "removed": tuple(removed), "added": tuple(added), "revised": tuple(revised), "rewired": tuple(rewired),
    }  # fmt: skip


def _call(step: Step) -> tuple[Any, ...]:
    return step.action, step.tool_name, step.args
