"""The lesson book: one line distilled from each failure, carried into later replans (Reflexion, arXiv:2303.11366)."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Evict(StrEnum):
    """Which lesson goes when the book is full."""

    OLDEST = "oldest"
    BY_TYPE = "by_type"


class LessonPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """`max` lessons are held; None holds all of them."""

    max: int | None = 5
    evict: Evict = Evict.OLDEST


class Lesson(msgspec.Struct, frozen=True, gc=False):
    """One lesson. `count` says how often it was learned; `version` and `step_id` where it was learned first."""

    text: str
    count: int
    version: str
    step_id: str | None
    error_type: str
