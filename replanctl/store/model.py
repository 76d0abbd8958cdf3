"""What the store knows of a run, as values, and how its rows are written.

The same functions write a run that is under way and one that is taken over from an earlier store.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from replanctl.kinds import RunStatus
from replanctl.replan import Lesson
from replanctl.run import Amendment, Policy
from replanctl.store.frames import Kind, Piece, cut, framed, key

if TYPE_CHECKING:
    import sqlite3  # a run that is not kept does not load it

_ENCODE = msgspec.json.Encoder().encode
# What no resume replaces: the answers of real tools are good for every turn, and the goal is the run's name.
LASTING: frozenset[Kind] = frozenset((Kind.EFFECTS, Kind.GOAL))


class SourceText(msgspec.Struct, frozen=True):
    """One input file, whole; `role` says what it was read for (`plan`, `outcomes`, `policy`, `lessons`)."""

    name: str
    role: str
    text: str


# All of it, as text: a run has to come out the same when its files have been edited, moved or deleted since.
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


def turn_of(head: Head, kind: Kind) -> int:
    """The turn that a run's pieces of this kind carry."""
    return 0 if kind in LASTING else head.turn


def new_head(db: sqlite3.Connection, run: int, *, started: str, goal: str, status: RunStatus) -> Head:
    """The head of a run that begins, which is not written yet; a long goal is put beside it."""
    head = Head(
        run=run, turn=0, edition=0, started=started, goal=goal[:LONGEST_GOAL], cut=len(goal) > LONGEST_GOAL,
        status=status,
    )  # fmt: skip
    return add(db, head, Kind.GOAL, [goal.encode()]) if head.cut else head


def pruned(head: Head) -> Head:
    """What is left of a run that is given up: of a later turn than all that may still lie about of it."""
    return Head(
        run=head.run, turn=head.turn + 1, edition=0, started=head.started, goal="", cut=False, status=RunStatus.PRUNED
    )


def put_head(db: sqlite3.Connection, head: Head) -> None:
    """Write the head of a run, in the place of the one before."""
    piece = Piece(key(Kind.HEAD, head.run), head.turn, True, _ENCODE(head))
    db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?)", (head.run, framed(piece)))


def add(db: sqlite3.Connection, head: Head, kind: Kind, bodies: Iterable[bytes], first: int | None = None) -> Head:
    """Write bodies behind what there is of this kind, and say what there is now; that head is not written yet.

    Pieces that are there already stay as they are: a signal may have come between their writing and its being known.
    """
    number = head.pieces.get(kind, 0) if first is None else first
    for body in bodies:
        pieces = cut(body, kind, head.run, number, turn_of(head, kind))
        db.executemany("INSERT OR IGNORE INTO parts VALUES (?, ?)", [(piece.key, framed(piece)) for piece in pieces])
        number += len(pieces)
    return msgspec.structs.replace(head, pieces={**head.pieces, kind: number})
