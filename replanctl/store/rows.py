"""Writing rows, for a run that is written now and for one that is taken over from an earlier store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from replanctl.kinds import RunStatus
from replanctl.store.frames import Kind, Piece, cut, framed, key
from replanctl.store.model import LONGEST_GOAL, Head

_ENCODE = msgspec.json.Encoder().encode
# What no resume replaces: the answers of real tools are good for every turn, and the goal is the run's name.
LASTING: frozenset[Kind] = frozenset((Kind.EFFECTS, Kind.GOAL))


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
