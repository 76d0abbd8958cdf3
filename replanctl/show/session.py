"""A session as it happens: a fold over its events, onto paper."""

from __future__ import annotations

from typing import Any

from replanctl.kinds import ErrorType, Health, Settle, StepState, Verdict
from replanctl.plan import PlanDiff, Step, diff_steps, variable_name
from replanctl.run import (
    Event,
    Gate,
    GoalChanged,
    LessonLearned,
    PlanCommit,
    PlanDraft,
    PlanRejected,
    Route,
    SessionResult,
    SessionStart,
    Signal,
    SolverCalled,
    StepEnd,
    StepSettled,
    StepStart,
    VariableHealth,
)
from replanctl.show import words
from replanctl.show.columns import Columns
from replanctl.show.diff import diff_rows
from replanctl.show.failure import FailureLines, HealthLines
from replanctl.show.flight import Ended, Flight
from replanctl.show.header import Header, header
from replanctl.show.lessons import cause_in_words
from replanctl.show.paper import Paper, Span
from replanctl.show.steps import StepRows
from replanctl.show.verdict import closing
from replanctl.show.words import RESUMED, SETTLED, compact, seconds, some

HELD_AFTER = 500  # events; a session that is this long is printed many lines at a time
CHANGES_IN_A_ROW = 40  # so many steps to which the same happened are shown in a diff; more are counted
KEPT_NAMED = 8  # so many unchanged steps are named in a diff; more are counted


# A screen is a fold over events like any other, which is why `run` and a later `show` draw the same, and why nothing is
# asked of the session. What makes it more than a log is that events are held back until it is known how they are best
# said: rows until those that began before are there, gates until the last of a replan is read, changes of health until
# all of one cause have come. `_settle` writes all of it, and is called before anything else is said, so that no line
# ever stands before its cause.
class SessionScreen:
    """Prints a session: feed it every event in order, then the result. `verbose` folds nothing, `live` holds few rows
    back.

    It keeps the newest form of every step, for names and diffs, and nothing else that grows with the plan.
    """

    def __init__(self, paper: Paper, facts: Header | None = None, *, verbose: bool = False, live: bool = False) -> None:
        self._paper = paper
        self._facts = facts or Header()
        self._columns = Columns(self._paper, lanes=self._facts.side_by_side)
        self._rows = StepRows(self._columns, verbose=verbose, live=live)
        self._flight = Flight(self._write, live=live)
        self._most = None if verbose else CHANGES_IN_A_ROW
        self._failure = FailureLines(self._columns)
        self._health = HealthLines(self._columns)
        self._steps: dict[str, Step] = {}
        self._done: set[str] = set()  # variables that may be used
        self._start: SessionStart | None = None
        self._cause = ""
        self._warned: dict[str, tuple[str, ...]] = {}  # warnings of executions that have not ended
        self._said: set[str] = set()
        self._handlers: dict[type[Event], Any] = {
            SessionStart: self._session_start,
            PlanCommit: self._plan_commit,
            StepStart: self._step_start,
            StepEnd: self._step_end,
            Signal: self._signal,
            Route: self._route,
            Gate: self._gate,
            LessonLearned: self._lesson,
            PlanDraft: self._draft,
            PlanRejected: self._rejected,
            GoalChanged: self._goal_changed,
            VariableHealth: self._variable_health,
            SolverCalled: self._solver,
            StepSettled: self._settled,
        }

    def event(self, event: Event) -> None:
        """Print what this event has to tell."""
        if handler := self._handlers.get(type(event)):
            handler(event)
        # Rich takes as long for one line as for thirty. Nobody reads so many lines as they come, and a short session is
        # to be seen as it goes.
        if event.seq > HELD_AFTER:
            self._paper.hold()

    def flush(self) -> None:
        """Print what is held back, when the session breaks off."""
        self._settle()
        self._paper.flush()

    def close(self, result: SessionResult) -> None:
        """Print what the session came to."""
        self._settle()
        closing(self._paper, result, self._facts, said=frozenset(self._said))
        self._paper.flush()

    def _settle(self) -> None:
        """Something new is about to be said: write what was held back."""
        self._flight.flush()
        self._rows.flush()
        self._failure.flush()
        self._health.flush()

    def _session_start(self, event: SessionStart) -> None:
        self._start = event
        self._said.update(event.warnings)

    def _plan_commit(self, event: PlanCommit) -> None:
        self._settle()
        if event.parent is None:
            self._first_version(event)
        else:
            self._next_version(event, event.parent)
        for step in (*event.steps, *event.amended):
            self._steps[step.id] = step
        # Only now: the rows of this version may be folded by its own size.
        self._rows.planned(len(self._steps))
        self._rows.last = None

    def _first_version(self, event: PlanCommit) -> None:
        if self._start is not None:
            header(self._paper, self._facts, self._start, len(event.steps))
        self._columns.grow(event.steps)
        self._columns.head()
        self._paper.line(Span(event.version, "version"), indent=2)

    def _next_version(self, event: PlanCommit, parent: str) -> None:
        touched = (*event.steps, *event.amended)
        diff = diff_steps(self._steps, touched, event.removed, old_name=parent, new_name=event.version)
        self._paper.line(Span(event.version, "version"), f" {self._why(event)}", indent=2, hang=5)
        verdicts = ", ".join(f"{name} {verdict}" for name, verdict in event.verdicts.items())
        if verdicts:
            self._columns.detail("verdict", verdicts)
        if event.granularity is not None:
            # A step that leaves the list is no loss where its result stays.
            held = {id_ for id_ in event.removed if self._is_held(variable_name(id_), event)}
            diff_rows(self._columns, diff, self._kept(diff), held=held, most=self._most)
        for id_ in event.removed:
            self._steps.pop(id_, None)

    def _is_held(self, name: str, event: PlanCommit) -> bool:
        """Whether a variable may be used in a version that comes: by its verdict, or because it never fell."""
        verdict = event.verdicts.get(name)
        return name in self._done if verdict is None else verdict is not Verdict.DISCARD

    def _why(self, event: PlanCommit) -> str:
        if event.granularity is None:
            again = some([step.id for step in event.steps], self._paper.glyphs.ellipsis)
            return f"{RESUMED}, to run {again} once more"
        said = f": {self._cause}" if self._cause and event.cause != ErrorType.GOAL_CHANGED else ""
        return f"{event.granularity}, because {words.version_cause(event.cause)}{said}"

    def _kept(self, diff: PlanDiff) -> list[str]:
        """The unchanged steps by id, where they are few."""
        if diff.kept > KEPT_NAMED:
            return []
        changed = {change.id for change in diff.changes}
        return [id_ for id_ in self._steps if id_ not in changed]

    def _step_start(self, event: StepStart) -> None:
        if self._health:
            self._settle()
        if event.warnings:
            self._warned[event.step_id] = event.warnings
        self._flight.start(event.step_id)

    def _step_end(self, event: StepEnd) -> None:
        if self._health:
            self._settle()
        if event.state is StepState.DONE:
            self._done.add(variable_name(event.step_id))
        self._flight.end(event, self._steps.get(event.step_id), (*self._warned.pop(event.step_id, ()), *event.warnings))

    def _write(self, ended: Ended) -> None:
        """It is an execution's turn to be told."""
        self._failure.flush()
        self._said.update(ended.warnings)
        self._rows.end(ended)

    def _signal(self, event: Signal) -> None:
        self._cause = event.cause or event.error_msg
        if not self._flight.below(event.step_id, lambda: self._failure.signal(event)):
            self._settle()
            self._failure.signal(event)

    def _variable_health(self, event: VariableHealth) -> None:
        if event.health != Health.CLEAN:
            self._done.discard(event.name)
        self._health.add(event)

    def _route(self, event: Route) -> None:
        self._settle()
        self._failure.route(event, self._rows.last)

    def _gate(self, event: Gate) -> None:
        self._flight.flush()
        self._rows.flush()
        self._failure.gate(event)

    def _lesson(self, event: LessonLearned) -> None:
        if event.error_type != ErrorType.INVALID_DRAFT:  # a version's cause stays the failure's
            self._cause = cause_in_words(event.cause)

    def _draft(self, event: PlanDraft) -> None:
        self._said.update(event.warnings)
        self._failure.draft(event)

    def _rejected(self, event: PlanRejected) -> None:
        self._settle()
        self._failure.rejected(event)

    def _goal_changed(self, event: GoalChanged) -> None:
        self._settle()
        self._said.update(event.warnings)
        self._rows.last = None
        notice = Span(self._paper.glyphs.notice, "notice")
        said = Span("the goal is now: " if event.accepted else "the goal stays: ", "notice")
        self._columns.event(seconds(event.at), notice, said, event.goal if event.accepted else event.previous)
        if event.accepted:
            self._columns.detail("before", event.previous)
        if event.refutes:
            self._columns.detail("refutes", ", ".join(event.refutes))
        for warning in event.warnings:
            self._columns.detail("warning", warning, style="notice")

    def _settled(self, event: StepSettled) -> None:
        self._settle()
        self._rows.last = None
        notice = Span(self._paper.glyphs.notice, "notice")
        said = Span(f"a person on step {event.step_id}'s call of {event.tool}: ", "notice")
        self._columns.event(seconds(event.at), notice, said, SETTLED[event.how])
        if event.how is Settle.DONE:
            self._columns.detail("value", self._paper.cut(compact(event.value), self._paper.width))

    def _solver(self, event: SolverCalled) -> None:
        self._settle()
        glyphs = self._paper.glyphs
        mark = Span(glyphs.done, "done") if event.answered else Span(glyphs.failed, "failed")
        evidence, gaps = (some([*map(variable_name, ids)], glyphs.ellipsis) for ids in (event.evidence, event.gaps))
        said = [f"the Solver {'answered' if event.answered else 'could not answer'} from {evidence or 'nothing'}"]
        said += [f"gaps {gaps}"] if gaps else []
        said += [f"missing {some(list(event.missing), glyphs.ellipsis)}"] if event.missing else []
        self._columns.event(seconds(event.at), mark, "; ".join(said))
