"""What the store knows of a run, as values, and how its first row is written."""

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


LONGEST_GOAL = 500  # characters that a run's first row holds: the row has to fit on a page whatever they are


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first row of a run: where it stands, and how much there is of it.

    `pieces` counts by kind what was written when this row was; of a run that was killed there may be more. `turn` is
    how often it was taken up again, `edition` how often this row was written in that turn. Of a `cut` goal the whole
    is stored beside it.
    """

    run: int
    turn: int
    edition: int
    started: str
    goal: str
    cut: bool
    status: RunStatus
    reason: str | None = None
    seconds: float | None = None
    versions: int | None = None
    tokens: int | None = None
    pieces: dict[int, int] = {}


def decode_head(body: bytes, run: int) -> Head | None:
    """The first row of this run; None where it says something else."""
    try:
        head = _HEAD.decode(body)
    except ValueError:
        return None
    return head if head.run == run else None


_HEAD = msgspec.json.Decoder(Head)


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
