"""Lessons that are not learned, or not forgotten."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.replan.lessons import Evict
from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, given, told, under
from tests.properties.laws import lessons
from tests.properties.mutants.shapes import document, one_more

LESSONS: dict[Any, tuple[Bend, ...]] = {
    lessons.every_replan_leaves_a_lesson: (told(e.LessonLearned, dropped),),
    lessons.a_lesson_says_what_was_learned: (
        given(lambda rehearsal: replace(rehearsal, planner=tuple(replace(r, cause="") for r in rehearsal.planner))),
        told(e.LessonLearned, edited(text=lambda text: text.upper())),
    ),
    lessons.the_book_forgets_as_the_policy_says: (
        under(lessons=lambda policy: replace(policy, max=None)),
        under(lessons=lambda policy: replace(policy, evict=Evict.OLDEST)),
        told(e.LessonLearned, edited(count=one_more)),
        document(lessons=lambda rows: rows[::-1]),
    ),
}
