"""One replan, from the route to the commit.

The order is fixed: route, lesson, step breaker, replan count, token gate, replanner, draft check, oscillation guard,
step budget, commit. A replan refused before the replanner is asked costs nothing; one that was asked counts and is
booked, whatever came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replanctl.live import PENDING, Draft, Proposal
from replanctl.plan import Granularity
from replanctl.replan import REASONS, Check, ErrorType, Replanner
from replanctl.run.asking import TEMPLATE, Answer, Asked, Asking
from replanctl.run.case import Case, Stop, failure_case, goal_case
from replanctl.run.committing import Committing
from replanctl.run.ending import Ender
from replanctl.run.events import Event, Gate, GoalChanged, Ledger, LessonLearned, PlanDraft, PlanRejected, Route
from replanctl.run.interruptions import GoalChange
from replanctl.run.state import Failure, SessionState


class Replanning:
    """Answers failures and changed goals with new versions. After each answer `stop` says whether the session ends."""

    def __init__(
        self,
        state: SessionState,
        replanner: Replanner | None,
        ender: Ender,
        *,
        plain: bool = False,
        asked: Asked | None = None,
    ) -> None:
        self._state = state
        self._ender = ender
        self._plain = plain
        self._asking = Asking(state, replanner, asked)
        self._committing = Committing(state, ender, plain=plain)
        self.stop: Stop | None = None
        self.goal_waits = False  # the goal changed, and the session stopped before a version answered it

    def failure(self, failure: Failure) -> Iterator[Event]:
        """Route one failure and replan it, hand it over, or stop the session."""
        state, signal = self._state, failure.signal
        case = failure_case(state, failure, plain=self._plain)
        rule, granularity = case.decision.rule, case.decision.granularity
        yield state.emit(
            Route, case.step_id, signal.error_type, rule, case.decision.radius, granularity,
            case.decision.escalated_from,
        )  # fmt: skip
        yield self._lesson(case, signal.error_type, self._asking.cause(case))
        if granularity is Granularity.NONE:
            yield from self._hand_over(failure)
        else:
            yield from self._replan(case)

    def goal_change(self, change: GoalChange) -> Iterator[Event]:
        """The goal is another one: what was made for the one before degrades, and a global replan answers it."""
        state = self._state
        previous, state.goal = state.goal, change.goal
        yield state.emit(GoalChanged, change.goal, previous, True, change.refutes)
        yield from state.health_events([*state.variables.refute(change.refutes), *state.variables.goal_changed()])
        yield from self.answer_goal()

    def answer_goal(self) -> Iterator[Event]:
        """A global replan for the goal as it is now; with it ladder, breaker and oscillation start afresh."""
        state = self._state
        case = goal_case(state)
        yield state.emit(Route, None, None, case.decision.rule, None, case.decision.granularity)
        yield self._lesson(case, ErrorType.GOAL_CHANGED, f"the goal is now {state.goal}")
        yield from self._replan(case)
        self.goal_waits = self.stop is not None

    def _lesson(self, case: Case, error_type: str, cause: str) -> LessonLearned:
        state = self._state
        avoid = ", ".join(case.attempted)
        failed_in = case.failure.signal.version if case.failure is not None else state.version
        lesson, evicted = state.lessons.write(failed_in, case.step_id, error_type, cause, avoid)
        gone = evicted.text if evicted is not None else None
        return state.emit(LessonLearned, lesson.text, lesson.count, case.step_id, error_type, gone)

    def _hand_over(self, failure: Failure) -> Iterator[Event]:
        """No replan helps: what rests on the step is skipped, the rest goes on, and then a person takes over."""
        state = self._state
        resting = [c for c in state.graph.resting_on(failure.cell, failure.signal.refutes) if c.state is PENDING]
        state.graph.give_up(failure.cell)
        state.escalated.append(failure)
        state.given_up += (failure.cell, *resting)
        for cell in resting:
            yield self._ender.skip(cell, blocked_by=(failure.cell.step.id,))

    # -- asking until a draft is good, a gate refuses, or the replanner gives up ------------------------------------

    def _replan(self, case: Case) -> Iterator[Event]:
        while self.stop is None:
            estimate = self._asking.estimate(case)
            yield from self._pass(case, self._asking.checks(case, estimate))
            if self.stop is not None:
                return
            answer = self._asking.ask(case, estimate)
            draft = answer.draft
            proposal = self._committing.proposal(case, draft, answer.who) if draft is not None else None
            yield self._drafted(case, answer, proposal)
            yield self._state.emit(Ledger, "replan", case.step_id, case.decision.granularity, estimate, estimate)
            if draft is not None and not draft.steps:
                yield from self._empty(case, draft)
                return
            reasons = (answer.error,) if proposal is None else self._committing.faults(case, proposal)
            if not reasons and proposal is not None:
                yield from self._admit(case, proposal)
                return
            yield from self._rejected(case, reasons, answer.who)

    def _pass(self, case: Case, checks: Iterable[Check]) -> Iterator[Event]:
        """One gate after the other, up to the first that refuses."""
        for check in checks:
            yield self._state.emit(Gate, check.gate, check.limit, check.reading, check.admitted, case.step_id)
            if not check.admitted:
                self.stop = refusal(check)
                return

    def _drafted(self, case: Case, answer: Answer, proposal: Proposal | None) -> PlanDraft:
        draft = answer.draft or Draft()
        mapping = proposal.mapping if proposal is not None else {}
        warnings = draft.warnings
        if proposal is not None:
            warnings = (*warnings, *self._committing.called_again(proposal))
        return self._state.emit(
            PlanDraft, case.step_id, case.decision.granularity, answer.who, draft.steps, mapping, draft.verdicts,
            answer.error or None, warnings,
        )  # fmt: skip

    def _rejected(self, case: Case, reasons: tuple[str, ...], who: str) -> Iterator[Event]:
        """A refused draft becomes a lesson, and the next request tells why; the template is not asked again."""
        text = "; ".join(reasons)
        yield self._state.emit(PlanRejected, case.step_id, reasons)
        yield self._lesson(case, ErrorType.INVALID_DRAFT, text)
        case.refused(reasons)
        if who == TEMPLATE:
            self.stop = Stop("no_plan", f"the template's draft was refused: {text}")

    def _empty(self, case: Case, draft: Draft) -> Iterator[Event]:
        """An empty plan: no plan after a failure; after a changed goal it means that nothing is left to do."""
        if case.failure is not None or draft.gives_up:
            on = f"step {case.step_id}" if case.failure is not None else "the new goal"
            self.stop = Stop("no_plan", f"the replanner gave up on {on}")
            return
        open_ids = tuple(cell.step.id for cell in self._state.graph.open_cells())
        yield from self._admit(case, Proposal((), (), open_ids, {}, {}, dict(draft.verdicts)))

    def _admit(self, case: Case, proposal: Proposal) -> Iterator[Event]:
        """The gates behind the draft check, then the commit."""
        yield from self._pass(case, self._committing.checks(case, proposal))
        if self.stop is None:
            yield from self._committing.commit(case, proposal)


def refusal(check: Check) -> Stop:
    """How a gate that refuses ends the session."""
    detail = f"{check.gate} comes to {check.reading}, the limit is {check.limit}"
    return Stop(REASONS[check.gate], detail, check)
