"""One replan, from the route to the commit.

The order is fixed: route, lesson, step breaker, replan count, token gate, replanner, draft check, oscillation guard,
step budget, commit. A replan refused before the replanner is asked costs nothing; one that was asked counts and is
booked, whatever came back.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

import msgspec

from replanctl.kinds import ErrorType, GateName, Granularity, LedgerKind, Reason
from replanctl.live import PENDING, Draft, Proposal, no_progress
from replanctl.replan import Check, ReplanBreaker, Replanner
from replanctl.run.budget import Stop
from replanctl.run.committing import Committing, Faults
from replanctl.run.events import Event, GoalChanged, Ledger, LessonLearned, PlanDraft, PlanRejected, Route
from replanctl.run.interruptions import GoalChange
from replanctl.run.requests import Answer, RequestListener, Requests
from replanctl.run.state import Failure, GivenUp, SessionState
from replanctl.run.step_ends import StepEnds
from replanctl.run.trigger import Trigger, failure_trigger, goal_trigger
from replanctl.run.written import may_mislead, placeholders


# The order is what makes a gate hard: nothing is spent before the gate that limits it has admitted it. The lesson comes
# before all gates, since what was learned is true whether or not it may be acted on, and its line is part of what the
# request will cost. The breaker comes before the counts, because it speaks of one step and costs the session nothing:
# that step is handed over, and everything else runs. From the request on a replan is paid for, whatever comes back: a
# planner that raises has used the tokens too, and one that answers nonsense must not be asked for ever.
#
# A bad draft is asked for again with the reasons, not routed again: the failure is what it was, and how deep to cut was
# decided by it. Only the signal that the planner sees is another one, and the breaker counts it under a type of its
# own, so that nonsense is stopped by the same limit that stops a failure which keeps coming back.
class Replanning:
    """Answers failures and changed goals with new versions; ends the session where a gate refuses or no plan comes."""

    def __init__(
        self,
        state: SessionState,
        replanner: Replanner | None,
        ends: StepEnds,
        *,
        plain: bool = False,
        listener: RequestListener | None = None,
    ) -> None:
        self._state = state
        self._ends = ends
        self._plain = plain
        breaker = ReplanBreaker()
        self._requests = Requests(state, replanner, listener, breaker)
        self._committing = Committing(state, ends, breaker, plain=plain)
        self.goal_waits = False  # the goal changed, and the session stopped before a version answered it

    def failure(self, failure: Failure) -> Iterator[Event]:
        """Route one failure and replan it, hand it over, or stop the session."""
        state, signal = self._state, failure.signal
        trigger = failure_trigger(state, failure, plain=self._plain)
        rule, granularity = trigger.decision.rule, trigger.decision.granularity
        yield state.emit(
            Route, trigger.step_id, signal.error_type, rule, trigger.decision.radius, granularity,
            trigger.decision.escalated_from,
        )  # fmt: skip
        if failure.lesson is None:
            yield self._lesson(trigger, signal.error_type, self._requests.cause(trigger))
        if granularity is Granularity.NONE:
            yield from self._hand_over(failure)
        else:
            yield from self._replan(trigger)

    def goal_change(self, change: GoalChange) -> Iterator[Event]:
        """Change the goal: variables made for the old one become stale, and a global replan is made for the new one."""
        state = self._state
        previous, state.goal = state.goal, change.goal
        yield state.emit(GoalChanged, change.goal, previous, True, change.refutes)
        yield from state.health_events([*state.variables.refute(change.refutes), *state.variables.goal_changed()])
        state.once.goals += 1
        self.goal_waits = False
        yield from self.answer_goal()

    def answer_goal(self) -> Iterator[Event]:
        """A global replan for the goal as it is now; with it ladder, breaker and oscillation start afresh.

        Its lesson is written once, also where the session stopped before a version answered it.
        """
        state = self._state
        trigger = goal_trigger(state)
        yield state.emit(Route, None, None, trigger.decision.rule, None, trigger.decision.granularity)
        if not self.goal_waits:
            yield self._lesson(trigger, ErrorType.GOAL_CHANGED, f"the goal is now {state.goal}")
        yield from self._replan(trigger)
        self.goal_waits = state.stop is not None

    def _lesson(self, trigger: Trigger, error_type: ErrorType, cause: str) -> LessonLearned:
        state = self._state
        avoid = ", ".join(trigger.attempted)
        failed_in = trigger.failure.signal.version if trigger.failure is not None else state.version
        lesson, evicted = state.lessons.write(failed_in, trigger.step_id, error_type, cause, avoid)
        gone = evicted.text if evicted is not None else None
        if trigger.failure is not None and trigger.failure.lesson is None:
            trigger.failure.lesson = lesson
        return state.emit(
            LessonLearned, lesson.text, lesson.count, trigger.step_id, error_type, gone, lesson.version, cause
        )

    def _reword(self, trigger: Trigger, cause: str) -> Iterator[Event]:
        """What a replanner says of the cause when it answers stands in the lesson instead of what was guessed."""
        state, failure = self._state, trigger.failure
        if not cause or failure is None or failure.lesson is None or failure.lesson not in state.lessons:
            return
        old, error_type = failure.lesson, failure.signal.error_type
        left = state.lessons.unlearn(old)
        if left is not None:
            yield state.emit(LessonLearned, left.text, left.count, trigger.step_id, error_type, None, left.version)
        failure.lesson = None
        event = self._lesson(trigger, error_type, cause)
        gone = left is None and event.text != old.text
        yield msgspec.structs.replace(event, evicted=old.text) if gone else event

    def _hand_over(self, failure: Failure, check: Check | None = None) -> Iterator[Event]:
        """No replan helps, or its breaker (`check`) refuses one more: what rests on the step is skipped, the rest goes
        on, and then a person takes over."""
        state = self._state
        resting = [cell for cell in state.radius(failure) if cell.state is PENDING]
        state.graph.fail_for_good(failure.cell)
        state.given_up.append(GivenUp(failure, check, tuple(resting)))
        for cell in resting:
            yield self._ends.skip(cell, blocked_by=(failure.cell.step.id,))

    # -- asking until a draft is good, a gate refuses, or the replanner gives up ------------------------------------

    def _replan(self, trigger: Trigger) -> Iterator[Event]:
        while True:
            estimate = self._requests.estimate(trigger)
            if not (yield from self._pass(trigger, self._requests.checks(trigger, estimate))):
                return
            answer = self._requests.ask(trigger, estimate)
            draft = answer.draft
            proposal = self._committing.proposal(trigger, answer) if answer.draft is not None else None
            yield self._drafted(trigger, answer, proposal)
            yield self._state.emit(
                Ledger, LedgerKind.REPLAN, trigger.step_id, trigger.decision.granularity, estimate, estimate
            )
            yield from self._reword(trigger, draft.cause if draft is not None else "")
            if draft is not None and not draft.steps and (trigger.failure is not None or draft.gives_up):
                on = f"step {trigger.step_id}" if trigger.failure is not None else "the new goal"
                self._state.stop = Stop(Reason.NO_PLAN, f"the replanner gave up on {on}")
                return
            faults = (
                Faults((answer.error,))
                if proposal is None
                else self._committing.faults(trigger, proposal, by_template=answer.by_template)
            )
            if not faults.reasons and proposal is not None:
                yield from self._admit(trigger, proposal)
                return
            if (yield from self._rejected(trigger, faults, by_template=answer.by_template)):
                return

    def _pass(self, trigger: Trigger, checks: Iterable[Check]) -> Generator[Event, None, bool]:
        """One gate after the other, up to the first that refuses; whether none does.

        The breaker speaks of one step, which is handed over; every other gate ends the session.
        """
        for check in checks:
            if not check.admitted and check.gate is not GateName.PER_STEP:
                yield self._state.refused(check, trigger.step_id)
                return False
            yield self._state.checked(check, trigger.step_id)
            if not check.admitted and trigger.failure is not None:
                yield from self._hand_over(trigger.failure, check)
                return False
        return True

    def _drafted(self, trigger: Trigger, answer: Answer, proposal: Proposal | None) -> PlanDraft:
        draft = answer.draft or Draft()
        mapping = proposal.mapping if proposal is not None else {}
        warnings = draft.warnings
        if proposal is not None:
            warnings = (*proposal.warnings, *self._committing.acting_again(proposal))
            if trigger.cell is not None and (idle := no_progress(proposal, self._state.graph, trigger.cell)):
                warnings = (*warnings, idle)
            if not answer.by_template:
                warnings = (*warnings, *self._placeholders(draft))
        return self._state.emit(
            PlanDraft, trigger.step_id, trigger.decision.granularity, answer.who, draft.steps, mapping, draft.verdicts,
            answer.error or None, warnings,
        )  # fmt: skip

    def _placeholders(self, draft: Draft) -> Iterator[str]:
        suspects = [step for step in draft.steps if may_mislead(step)]
        known = {*self._state.graph.known, *(step.id for step in draft.steps)} if suspects else set()
        return placeholders(suspects, known, " of the draft")

    def _rejected(self, trigger: Trigger, faults: Faults, *, by_template: bool) -> Generator[Event, None, bool]:
        """A refused draft becomes a lesson, and the next request tells why; returns whether there is none.

        The template is not asked again. Where only calls that may not be made stand against its draft, a person may
        settle them: the step is handed over.
        """
        text = "; ".join(faults.reasons)
        handed_over = trigger.failure if by_template and faults.only_calls else None
        yield self._state.emit(PlanRejected, trigger.step_id, faults.reasons, handed_over is not None)
        yield self._lesson(trigger, ErrorType.INVALID_DRAFT, text)
        trigger.refused(faults.reasons)
        if handed_over is not None:
            yield from self._hand_over(handed_over)
        elif by_template:
            self._state.stop = Stop(Reason.NO_PLAN, f"the template's draft was refused: {text}")
        return by_template

    def _admit(self, trigger: Trigger, proposal: Proposal) -> Iterator[Event]:
        """The gates behind the draft check, then the commit."""
        if (yield from self._pass(trigger, self._committing.checks(trigger, proposal))):
            yield from self._committing.commit(trigger, proposal)
