"""What the store knows of a run, as values."""

from __future__ import annotations

import msgspec

from replanctl.kinds import RunStatus
from replanctl.replan import Lesson
from replanctl.run import Amendment, Policy


class SourceText(msgspec.Struct, frozen=True):
    """One input file, whole; `role` says what it was read for (`plan`, `outcomes`, `policy`, `lessons`)."""

    name: str
    role: str
    text: str


class Inputs(msgspec.Struct, frozen=True):
    """All that a run came from: the texts of its files, the policy with the flags already on top, and the lesson book.

    `made_by` is the version of replanctl that made the run. `planner` is the command, which may take so many seconds,
    and `tools` the `module:attribute` of a run that was driven for real. `amendments` are what was changed when the run
    was resumed, at most one between two events. `faults` stand before the script that the run began with.
    """

    sources: tuple[SourceText, ...]
    policy: Policy
    lessons: tuple[Lesson, ...]
    made_by: str
    planner: str | None = None
    tools: str | None = None
    planner_timeout: float = 60.0
    amendments: tuple[Amendment, ...] = ()
    faults: tuple[str, ...] = ()


class RunRow(msgspec.Struct, frozen=True):
    """One line of the list of runs; what is only known at the end is None until then.

    `started` is the wall-clock time in UTC (ISO 8601), `seconds` session time, `tokens` all that was booked.
    """

    run: int
    started: str
    goal: str
    status: RunStatus
    reason: str | None
    seconds: float | None
    versions: int | None
    tokens: int | None
