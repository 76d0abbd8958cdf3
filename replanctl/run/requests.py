"""Asking a replanner: what it costs, whether the gates admit it, what is said, and what came back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from replanctl.cost import padded
from replanctl.errors import ReplayDivergedError, StoreError
from replanctl.kinds import Granularity, Health, Verdict
from replanctl.live import DONE, Draft
from replanctl.plan import Step, shortened
from replanctl.replan import (
    LESSON_LINES,
    Check,
    DoneStep,
    Lazy,
    Moment,
    ReplanBreaker,
    Replanner,
    ReplannerError,
    ReplanRequest,
    done_lines,
    step_lines,
    summary,
    template,
)
from replanctl.run.budget import Spending, microseconds
from replanctl.run.state import SessionState
from replanctl.run.trigger import Trigger

RequestListener = Callable[[ReplanRequest], None]

TEMPLATE = "template"
# A replay that diverges and a store that fails say something of the run, and none of it is a bad draft.
_OUR_OWN = (ReplayDivergedError, StoreError)  # what the edges raise is not the replanner's doing


class Answer(msgspec.Struct, frozen=True):
    """A replanner's answer: the draft, or None and the `error`; `who` is the name of the replanner. `by_template`: it
    is the template's own, whatever others are called."""

    draft: Draft | None
    who: str
    error: str = ""
    by_template: bool = False


def _no_draft(draft: object) -> str:
    """Why an answer is no list of steps with verdicts; empty when it is one."""
    if not isinstance(draft, Draft):
        return f"the replanner answered with {type(draft).__name__}, not with a list of steps"
    for step in draft.steps:
        if not isinstance(step, Step):
            return f"the replanner answered with {type(step).__name__} where a step belongs"
    for name, verdict in draft.verdicts.items():
        if verdict not in list(Verdict):
            return f"the replanner answered with {verdict!r} for {name}, where {', '.join(Verdict)} belong"
    return ""


# The estimate counts the lines that the request really carries (done steps, steps to be replaced, lessons), before it
# is written: prompts are made only when a replanner looks at them, and the template, which most rehearsals use, never
# does.
class Requests:
    """Puts requests to the replanner, or to the template where there is none or it has nothing to say."""

    def __init__(
        self,
        state: SessionState,
        replanner: Replanner | None,
        listener: RequestListener | None,
        breaker: ReplanBreaker,
    ) -> None:
        self._state = state
        self._breaker = breaker
        self._replanner = replanner
        self._listener = listener

    def estimate(self, trigger: Trigger) -> int:
        """What the request is estimated at, in tokens, by the lines it really carries."""
        state = self._state
        return state.cost.replan(
            done=done_lines(self._listed()),
            lines=step_lines(len(trigger.lines)),
            lessons=min(len(state.lessons), LESSON_LINES),
        )

    def _listed(self) -> int:
        """How many done steps the request's lines tell of: not those whose variables are void. Of very many it need
        not be known how many exactly, since they fold."""
        graph, void = self._state.graph, self._state.variables.void
        at_least = graph.done - len(void)
        # Void steps are few or none. Only where they could change the number of lines are they counted, for that is a
        # walk.
        if not void or done_lines(at_least) < at_least:
            return at_least
        return graph.done - sum((cell := graph.cells.get(id_)) is not None and cell.state is DONE for id_ in void)

    def checks(self, trigger: Trigger, estimate: int) -> Iterator[Check]:
        """The gates before the replanner, in order; each is read when it is its turn."""
        state = self._state
        asked: int | None = None
        if trigger.failure is not None and trigger.shown_signal is not None:
            lineage = state.graph.lineage(trigger.failure.cell).root
            asked = self._breaker.asked(lineage, trigger.shown_signal.error_type)
        return state.budget.checks(Moment.REPLAN, state, Spending(padded=padded(estimate), asked=asked))

    def ask(self, trigger: Trigger, estimate: int) -> Answer:
        """Ask the replanner. The request counts as a replan and books its tokens, whatever comes back."""
        answer = self._answer(trigger)
        state = self._state
        # A planner that takes session time delays everything behind it, as a slow tool does: also a deadline may pass
        # meanwhile.
        state.advance(state.clock + microseconds(getattr(self._replanner, "took", 0.0)))
        if trigger.failure is not None and trigger.shown_signal is not None:
            self._breaker.record(state.graph.lineage(trigger.failure.cell).root, trigger.shown_signal.error_type)
        state.replans += 1
        state.booked += estimate
        state.replan_tokens += estimate
        return answer

    def _answer(self, trigger: Trigger) -> Answer:
        if self._listener is not None:
            self._listener(self._request(trigger))
        if self._replanner is None:
            return Answer(self._template(trigger), TEMPLATE, by_template=True)
        try:
            draft = self._replanner.replan(self._request(trigger))
        except _OUR_OWN:
            raise
        except Exception as error:  # whatever a replanner raises makes a bad draft
            kind = "" if isinstance(error, ReplannerError) else f"{type(error).__name__}: "
            said = shortened(f"the replanner failed: {kind}{error}", 400)
            return Answer(None, self._replanner.name, said)
        if draft is None:
            return Answer(self._template(trigger), TEMPLATE, by_template=True)
        fault = _no_draft(draft)
        return Answer(None if fault else draft, self._replanner.name, fault)

    def _template(self, trigger: Trigger) -> Draft:
        """The template works from the failure itself, also when it is asked after a bad draft."""
        state = self._state
        return template(
            state.graph,
            trigger.decision.granularity,
            failed=trigger.cell,
            signal=trigger.signal,
            scope=trigger.scope,
            tools=state.tools,
            standing=state,
            unmade=trigger.failure.unmade if trigger.failure is not None else (),
        )

    def _request(self, trigger: Trigger) -> ReplanRequest:
        state = self._state
        return ReplanRequest(
            goal=state.goal,
            granularity=trigger.decision.granularity,
            version=state.version,
            done=Lazy(self._done_steps),
            signal=trigger.shown_signal,
            remaining=Lazy(lambda: [cell.step for cell in trigger.lines]),
            lessons=tuple(lesson.text for lesson in state.lessons.newest(LESSON_LINES)),
            lineage=state.graph.lineage_ids(trigger.failure.cell) if trigger.failure is not None else (),
            goal_changed=trigger.failure is None,
            left=state.left(),
        )

    def _done_steps(self) -> list[DoneStep]:
        state = self._state
        done = [cell.step for cell in state.graph.listed() if cell.state is DONE]
        return [self._done_step(step) for step in done]

    def _done_step(self, step: Step) -> DoneStep:
        variables = self._state.variables
        health = variables.health(step.id) or Health.CLEAN
        because = variables.because(step.id) if health is Health.STALE else ""
        said = summary(self._state.value(step.id))
        return DoneStep(step.id, step.action, said, health, because, step.expected_outcome)

    def cause(self, trigger: Trigger) -> str:
        """Why it failed: what the planner rule that will match says, else the outcome, else what was expected."""
        assert trigger.failure is not None
        signal = trigger.failure.signal
        asked = self._replanner is not None and trigger.decision.granularity is not Granularity.NONE
        if asked and self._replanner is not None and (said := self._replanner.cause(self._request(trigger))):
            return said
        expected = trigger.failure.cell.step.expected_outcome or "none"
        return signal.cause or f"expected {expected}, got {signal.error_msg}"
