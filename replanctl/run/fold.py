"""From events to the result: versions, history, ledger and all the rest are counted here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from replanctl.kinds import Ending, GateName, Granularity, Health, OnFailure, Reason, Settle, StepState
from replanctl.live import DONE, RUNNING
from replanctl.plan import variable_name
from replanctl.replan import REASONS
from replanctl.run import events as e
from replanctl.run.accounts import Bookings, CallBegins, Doubts, Effects, close_gap
from replanctl.run.result import (
    SCHEMA_VERSION,
    AttemptView,
    ExecutionView,
    Gap,
    GateView,
    LessonView,
    Revision,
    RouteView,
    SessionResult,
    SignalView,
    VariableView,
    VersionView,
)
from replanctl.run.versions import PlanVersions

_BY_STEPS = (Reason.ESCALATED, Reason.STEP_BREAKER, Reason.ABORTED)


def fold(events: Iterable[e.Event], run: int | None = None) -> SessionResult:
    """The result of a whole event list; of one that breaks off, what is known so far (reason `interrupted`)."""
    folding = ResultFold()
    for event in events:
        folding.apply(event)
    return folding.result(run)


# The engine keeps the sums that its gates read, but no figure of a result is taken from it: a run is told by its
# events.
class ResultFold:
    """Takes a session's events one by one; `result` may be asked for at any time."""

    def __init__(self) -> None:
        self.seq = -1
        self._goal = ""
        self._end: e.SessionComplete | None = None
        self._at = 0.0
        self._plan = PlanVersions()
        self._started: dict[str, e.StepStart] = {}  # the executions under way
        self._again: dict[str, list[CallBegins]] = {}  # their calls but the first
        self._effects = Effects()
        self._doubts = Doubts()
        self._history: list[ExecutionView] = []
        self._revisions: list[Revision] = []
        self._signals: list[SignalView] = []
        self._routes: list[RouteView] = []
        self._gates: list[GateView] = []
        self._variables: dict[str, VariableView] = {}
        self._lessons: dict[str, LessonView] = {}
        self._bookings = Bookings()
        self._gaps: dict[str, Gap] = {}
        self._warnings: list[str] = []
        self._last_failed: str | None = None
        # the steps that end a session, by the reason it ends with
        self._stopping: dict[Reason, list[str]] = {reason: [] for reason in _BY_STEPS}

    def apply(self, event: e.Event) -> None:
        """Take one event in."""
        self.seq, self._at = event.seq, event.at
        if self._doubts.once_only:  # else no call can be in doubt, and each of 200,000 events is spared the question
            self._doubts.apply(event)
        if (handler := _HANDLERS.get(type(event))) is not None:
            handler(self, event)

    def _session_start(self, event: e.SessionStart) -> None:
        self._goal = event.goal
        self._warnings += event.warnings
        self._bookings.coefficients = event.coefficients
        self._effects.once_only = frozenset(event.once_only)
        self._doubts.apply(event)
        for lesson in event.lessons:
            self._lessons[lesson.text] = LessonView(*(getattr(lesson, f) for f in LessonView.__struct_fields__))

    def _plan_commit(self, event: e.PlanCommit) -> None:
        self._goal = event.goal
        self._plan.commit(event)
        left = {*event.removed, *(step.id for step in event.steps)}
        for id_ in left.intersection(self._gaps):  # one that is listed again is pending, and no gap any more
            del self._gaps[id_]
        for reason, ids in self._stopping.items():
            self._stopping[reason] = [id_ for id_ in ids if id_ not in left]

    def _step_start(self, event: e.StepStart) -> None:
        self._plan.move(event.step_id, RUNNING)
        self._started[event.step_id] = event
        self._again.pop(event.step_id, None)
        self._warnings += event.warnings

    def _step_end(self, event: e.StepEnd) -> None:
        self._plan.move(id_ := event.step_id, event.state)
        started = self._started.pop(id_, None)
        args = started.args if started is not None else self._plan.steps[id_].args
        attempts = tuple([AttemptView(a.tool, a.status, a.latency) for a in event.attempts])
        self._history.append(
            ExecutionView(
                event.seq, event.version, id_, event.tool, args, event.state, event.value, event.error, attempts,
                event.started, event.at,
            )
        )  # fmt: skip
        if started is not None and event.attempts:
            calls = (started, *self._again.pop(id_, ()))
            self._bookings.ended(event, calls)
            self._effects.ended(event, calls, args)
        self._warnings += event.warnings
        if event.state is DONE:
            self._produced(event)
        else:
            self._not_done(event)

    def _call_again(self, event: e.StepRetry | e.StepFallback) -> None:
        self._again.setdefault(event.step_id, []).append(event)

    def _step_settled(self, event: e.StepSettled) -> None:
        if not event.stands:
            return
        id_ = event.step_id
        self._plan.await_replan(id_, False)
        for reason, ids in self._stopping.items():
            self._stopping[reason] = [other for other in ids if other != id_]
        if event.how is not Settle.AGAIN:
            close_gap(self._gaps, id_)
        if event.how is Settle.DONE:
            self._plan.move(id_, StepState.DONE)
            self._produced(event)

    def _produced(self, event: e.StepEnd | e.StepSettled) -> None:
        view = VariableView(event.value, Health.CLEAN, event.assumptions, event.step_id, event.version, None)
        self._variables[variable_name(event.step_id)] = view

    def _not_done(self, event: e.StepEnd) -> None:
        if event.state is StepState.FAILED:
            self._last_failed = event.step_id
        if event.gap and event.error is not None:
            error = event.error
            self._gaps[event.step_id] = Gap(event.step_id, error.error_type, error.error_msg, event.blocked_by)

    def _signal(self, event: e.Signal) -> None:
        if event.on_failure is OnFailure.REPLAN:
            self._plan.await_replan(event.step_id, True)
        elif event.on_failure is OnFailure.ABORT:
            self._stopping[Reason.ABORTED].append(event.step_id)
        self._signals.append(
            SignalView(event.version, event.step_id, event.error_type, event.error_msg, event.attempted, event.evidence)
        )

    def _route(self, event: e.Route) -> None:
        if event.granularity is Granularity.NONE and event.step_id is not None:
            self._plan.await_replan(event.step_id, False)
            self._stopping[Reason.ESCALATED].append(event.step_id)
        self._routes.append(
            RouteView(
                event.version, event.step_id, event.error_type, event.rule, event.radius, event.granularity,
                event.escalated_from,
            )
        )  # fmt: skip

    def _plan_rejected(self, event: e.PlanRejected) -> None:
        if event.handed_over and event.step_id is not None:
            self._plan.await_replan(event.step_id, False)
            self._stopping[Reason.ESCALATED].append(event.step_id)

    def _gate(self, event: e.Gate) -> None:
        if event.gate is GateName.PER_STEP and not event.admitted and event.step_id is not None:
            self._plan.await_replan(event.step_id, False)
            self._stopping[Reason.STEP_BREAKER].append(event.step_id)
        view = GateView(event.gate, event.limit, event.reading, event.admitted, event.step_id, event.version)
        self._gates.append(view)

    def _lesson(self, event: e.LessonLearned) -> None:
        known = self._lessons.get(event.text)
        version, step_id = (known.version, known.step_id) if known else (event.learned_in, event.step_id)
        self._lessons[event.text] = LessonView(event.text, event.count, version, step_id, event.error_type)
        if event.evicted is not None:
            self._lessons.pop(event.evicted, None)

    def _plan_draft(self, event: e.PlanDraft) -> None:
        self._warnings += event.warnings

    def _plan_diff(self, event: e.PlanDiffed) -> None:
        self._revisions.append(
            Revision(
                event.from_, event.to, event.granularity, event.cause, event.removed, event.added, event.revised,
                event.rewired,
            )
        )  # fmt: skip

    def _goal_changed(self, event: e.GoalChanged) -> None:
        self._warnings += event.warnings
        if event.accepted:
            self._goal = event.goal

    def _health(self, event: e.VariableHealth) -> None:
        view = self._variables.get(event.name)
        if view is not None:
            verdict = event.verdict if event.verdict is not None else view.verdict
            self._variables[event.name] = msgspec.structs.replace(view, health=event.health, verdict=verdict)

    def _ledger(self, event: e.Ledger) -> None:
        self._bookings.booked(event)

    def _complete(self, event: e.SessionComplete) -> None:
        self._end = event
        self._warnings += event.warnings

    def result(self, run: int | None = None) -> SessionResult:
        """The result of the events so far; `run` is the number the run is stored under."""
        versions = self._plan.views()
        gaps = self._gaps_of(versions)
        end = self._end
        status, reason = (end.status, end.reason) if end is not None else (Ending.FAILED, Reason.INTERRUPTED)
        detail = end.detail if end is not None else "the session broke off"
        handover = None
        if status is Ending.FAILED:
            from replanctl.run.handover import Findings, hand_over  # whoever comes to the goal has nothing to hand over

            gate = self._stopping_gate(reason)
            found = Findings(
                self._history, self._revisions, versions[-1].steps if versions else (), self._variables,
                tuple(self._lessons.values()), gaps, self._doubts.open(broken_off=end is None),
            )  # fmt: skip
            handover = hand_over(reason, gate, found, self._at_issue(reason, gate), run)
        return SessionResult(
            schema_version=SCHEMA_VERSION,
            run=run,
            goal=self._goal,
            status=status,
            reason=reason,
            detail=detail,
            seconds=self._at,
            versions=versions,
            history=tuple(self._history),
            revisions=tuple(self._revisions),
            signals=tuple(self._signals),
            routes=tuple(self._routes),
            gates=tuple(self._gates),
            variables=dict(self._variables),
            lessons=tuple(self._lessons.values()),
            ledger=self._bookings.view(),
            gaps=gaps,
            effects=self._effects.rows(),
            handover=handover,
            warnings=tuple(dict.fromkeys(self._warnings)),
        )

    def _gaps_of(self, versions: tuple[VersionView, ...]) -> tuple[Gap, ...]:
        """The gaps of the final version, in list order."""
        last = versions[-1].steps if versions and self._gaps else ()
        return tuple(self._gaps[step.id] for step in last if step.id in self._gaps)

    def _at_issue(self, reason: Reason, gate: GateView | None) -> str | None:
        """The step that a person has to look at: where the session stopped, else the last that failed."""
        if gate is not None and gate.step_id is not None:
            return gate.step_id
        left = self._stopping.get(reason)
        return left[0] if left else self._last_failed

    def _stopping_gate(self, reason: Reason) -> GateView | None:
        """The gate that stopped the session: its last one, or the breaker of the step that is handed over."""
        if reason is Reason.STEP_BREAKER and (left := self._stopping[reason]):
            rows = (row for row in reversed(self._gates) if row.gate is GateName.PER_STEP and not row.admitted)
            return next(row for row in rows if row.step_id == left[0])
        last = self._gates[-1] if self._gates else None
        return last if last is not None and not last.admitted and REASONS[last.gate] is reason else None


_HANDLERS: dict[type, Callable[[ResultFold, Any], None]] = {
    e.SessionStart: ResultFold._session_start,
    e.PlanCommit: ResultFold._plan_commit,
    e.StepStart: ResultFold._step_start,
    e.StepRetry: ResultFold._call_again,
    e.StepFallback: ResultFold._call_again,
    e.StepEnd: ResultFold._step_end,
    e.Signal: ResultFold._signal,
    e.Route: ResultFold._route,
    e.Gate: ResultFold._gate,
    e.LessonLearned: ResultFold._lesson,
    e.PlanDraft: ResultFold._plan_draft,
    e.StepSettled: ResultFold._step_settled,
    e.PlanRejected: ResultFold._plan_rejected,
    e.PlanDiffed: ResultFold._plan_diff,
    e.GoalChanged: ResultFold._goal_changed,
    e.VariableHealth: ResultFold._health,
    e.Ledger: ResultFold._ledger,
    e.SessionComplete: ResultFold._complete,
}
