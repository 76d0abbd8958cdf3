"""Lessons: what they say, and which of them go when the book is full."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.replan.lessons import Evict
from replanctl.replan.replanner import PlannerRule
from replanctl.run.events import GoalChanged, LessonLearned, PlanRejected, Route, Signal
from tests.properties.run import Run
from tests.properties.story import Standing


def every_replan_leaves_a_lesson(run: Run) -> Iterator[str]:
    """One behind every route, one behind every refused draft."""
    for place, event in enumerate(run.events):
        if type(event) is Route or type(event) is PlanRejected:
            follower = run.events[place + 1]
            if type(follower) is not LessonLearned or follower.step_id != event.step_id:
                yield f"behind event {place} there is no lesson"


def a_lesson_says_what_was_learned(run: Run) -> Iterator[str]:
    """Which step failed how, the cause as the planner knows it, else the outcome, else what came, and what to avoid."""
    signals: dict[str | None, Signal] = {}
    goal = ""
    for moment in run.moments:
        event = moment.event
        if type(event) is Signal:
            signals[event.step_id] = event
        elif type(event) is GoalChanged and event.accepted:
            goal = event.goal
        elif type(event) is LessonLearned:
            signal, reason = signals.get(event.step_id), run.events[event.seq - 1]
            avoid = ", ".join(signal.attempted) if signal is not None else ""
            cause = _cause(run, reason, signal, goal, moment.before)
            says = f"step {event.step_id or 'none'} {event.error_type}: {cause or 'none'}; avoid: {avoid or 'none'}"
            if event.text.partition(" ")[2] != says:
                yield f"the lesson at event {event.seq} is {event.text!r}, not {says!r}"


def _cause(run: Run, reason: object, signal: Signal | None, goal: str, plan: Standing) -> str:
    if isinstance(reason, PlanRejected):
        return "; ".join(reason.reasons)
    if signal is None:
        return f"the goal is now {goal}"
    assert isinstance(reason, Route)
    asked = run.rehearsal.planner if reason.granularity != "none" else ()
    rule = next((rule for rule in asked if _matches(rule, reason, signal, plan)), None)
    expected = plan.steps[signal.step_id].expected_outcome or "none"
    return (rule and rule.cause) or signal.cause or f"expected {expected}, got {signal.error_msg}"


def _matches(rule: PlannerRule, route: Route, signal: Signal, plan: Standing) -> bool:
    when = rule.when
    return (
        when.goal is None
        and (when.error or "").lower() in signal.error_msg.lower()
        and when.type in (None, signal.error_type)
        and (when.step is None or when.step in plan.line(signal.step_id))
        and when.granularity in (None, route.granularity)
    )


def the_book_forgets_as_the_policy_says(run: Run) -> Iterator[str]:
    """What says the same only counts up; of too many the oldest goes, or the oldest of the most frequent type."""
    policy = run.rehearsal.policy.lessons
    book: dict[str, tuple[str, int]] = {}  # what it says, without the version: its type, and how often
    for event in run.events:
        if type(event) is LessonLearned:
            says = event.text.partition(" ")[2]
            book[says] = (event.error_type, book.get(says, ("", 0))[1] + 1)
            gone = _oldest(book, policy.evict) if policy.max is not None and len(book) > policy.max else None
            if event.count != book[says][1] or (event.evicted or "").partition(" ")[2] != (gone or ""):
                yield f"event {event.seq} counts {event.count} and drives out {event.evicted}, not {gone}"
            book.pop(gone or "", None)
    if [(lesson.text.partition(" ")[2], lesson.count) for lesson in run.result.lessons] != [
        (says, count) for says, (_, count) in book.items()
    ]:
        yield f"the lessons are {run.result.lessons}, not {book}"


def _oldest(book: dict[str, tuple[str, int]], evict: Evict) -> str:
    types = [error_type for error_type, _ in book.values()]
    often = max(types, key=types.count)
    return next(says for says, (type_, _) in book.items() if evict is Evict.OLDEST or type_ == often)


LESSONS = (every_replan_leaves_a_lesson, a_lesson_says_what_was_learned, the_book_forgets_as_the_policy_says)
