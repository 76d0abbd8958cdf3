"""Reading what is stored: through SQLite where it can, else from the file itself; damaged is only what is so itself.

What SQLite answers is not taken on trust. A bit in one of its own pages can make it pass over rows without a word, so a
row that isn't there, a number missing between others and a tree that ends before the other are looked for once more in
the file (`store/salvage.py`) before anybody says that there is no such thing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from replanctl.errors import StoreError
from replanctl.store.database import DamagedStoreError, guarded
from replanctl.store.frames import MOST_PIECES, MOST_RUNS, Kind, Piece, joined, key, kind_and_run, read_frame
from replanctl.store.model import Head, decode_head, turn_of

if TYPE_CHECKING:
    from replanctl.store.salvage import Salvage


class DamagedRunError(StoreError):
    """A run is damaged; the others can be read."""

    def __init__(self, run: int, path: Path, why: object) -> None:
        super().__init__(
            f"run {run} in {path} is damaged{f': {why}' if why else ''}", hint="other runs can still be read"
        )


class Shelf:
    """The rows of a store. `lost` says that SQLite can't read the file at all, and `db` is an empty stand-in."""

    def __init__(self, db: sqlite3.Connection, path: Path, *, lost: bool = False) -> None:
        self.lost = lost
        self._db = db
        self._path = path

    @cached_property
    def salvage(self) -> Salvage:
        """What the file holds, whatever SQLite makes of it."""
        from replanctl.store.salvage import Salvage

        with guarded(self._path):
            return Salvage(self._path)

    def heads(self) -> dict[int, Head | None]:
        """The head of every run in order; None where it is damaged."""
        heads: dict[int, Head | None] = {}
        try:
            for run, body in self.query("SELECT run, body FROM runs ORDER BY run"):
                _check_number(run, self._path)
                heads[run] = _head(body, run)
            whole = not self.lost and None not in heads.values() and [*heads] == [*range(1, self.last_run() + 1)]
        except DamagedStoreError:
            whole = False
        if not whole:
            found = self.salvage
            known = {run for run, head in heads.items() if head} | found.runs
            heads = {run: heads.get(run) or found.heads.get(run) for run in range(1, max(known, default=0) + 1)}
        return heads

    def head(self, run: int) -> Head | None:
        """The head of a run; None where there is no such run. Raises StoreError where it is damaged."""
        head = None if run > MOST_RUNS else self._stored_head(run) or self.salvage.heads.get(run)
        if head is None and run <= MOST_RUNS and run in self.heads():
            raise DamagedRunError(run, self._path, "")
        return head

    def _stored_head(self, run: int) -> Head | None:
        try:
            for (body,) in self.query("SELECT body FROM runs WHERE run = ?", run):
                return _head(body, run)
        except DamagedStoreError:
            pass
        return None

    def last_run(self) -> int:
        """The number of the newest run, 0 where there is none. Raises StoreError where two trees disagree about it."""
        ((last,),) = self.query("SELECT max(run) FROM runs")
        ((newest,),) = self.query("SELECT max(id) FROM parts WHERE id < ?", key(Kind.EVENTS, 0))
        for number in (last, newest):
            if number is not None:
                _check_number(number, self._path)
        if (newest is not None and kind_and_run(newest) != (Kind.INPUTS, last)) or (last is None) != (newest is None):
            raise _damaged(self._path)
        return last or 0

    def newest(self) -> int:
        """The number of the newest run, damaged or not; 0 where there is none."""
        try:
            if not self.lost:
                return self.last_run()
        except DamagedStoreError:
            pass
        return max(self.heads(), default=0)

    def counted(self, head: Head) -> Head:
        """The head of a run with what there is of it by now; a run that was killed has more than its head says."""
        counts = {kind: sum(1 for _ in self._pieces(head.run, kind, turn_of(head, kind), 0)) for kind in Kind if kind}
        return msgspec.structs.replace(head, pieces={kind: n for kind, n in counts.items() if n})

    def bodies(self, head: Head, kind: Kind) -> Iterator[bytes]:
        """What a run holds of this kind, in order, read as it is asked for. Raises StoreError where it is damaged."""
        yield from joined(self._pieces(head.run, kind, turn_of(head, kind), head.pieces.get(kind, 0)))

    def _pieces(self, run: int, kind: Kind, turn: int, least: int) -> Iterator[Piece]:
        number, sure = 0, not self.lost
        try:
            for piece in self._stored_pieces(run, kind):
                if piece is None or (piece.key > key(kind, run, number) and kind_and_run(piece.key) == (kind, run)):
                    least, sure = max(least, number + 1), False  # the one that should stand here is not whole, or gone
                    break
                if (piece.key, piece.turn) == (key(kind, run, number), turn):  # else it stands in another's place
                    number += 1
                    yield piece
        except DamagedStoreError:
            sure = False
        if not sure or number < least:
            yield from self._salvaged(run, kind, turn, number, least)

    def _stored_pieces(self, run: int, kind: Kind) -> Iterator[Piece | None]:
        """What SQLite finds in the place of these pieces; None is a row that is not whole."""
        rows = self.query("SELECT body FROM parts WHERE id BETWEEN ? AND ? ORDER BY id", *reach(kind, run))
        return (read_frame(body) for (body,) in rows)

    def _salvaged(self, run: int, kind: Kind, turn: int, number: int, least: int) -> Iterator[Piece]:
        """The pieces from this number on. Raises StoreError where one is missing that there has to be."""
        _, last = reach(kind, run)
        for piece in self.salvage.pieces(range(key(kind, run, number), last), turn):
            number += 1
            yield piece
        if number < least or self.salvage.holds(key(kind, run, number), last, turn):
            raise DamagedRunError(run, self._path, "")

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query. Raises StoreError."""
        with guarded(self._path):
            # Not from the cursor itself: that would be closed when nobody asks on, and its store may be so by then.
            yield from (row for row in self._db.execute(sql, values))


# One letter of a table's own text decides what its columns are: where it no longer says which one is the key, that
# column holds nothing, or anything.
def _check_number(number: object, path: Path) -> None:
    if type(number) is not int:
        raise _damaged(path)


def _damaged(path: Path) -> DamagedStoreError:
    return DamagedStoreError(f"{path} is damaged", hint="move it away, or name another folder with --store")


def reach(kind: Kind, run: int) -> tuple[int, int]:
    """The first and the last key of a kind in a run."""
    return key(kind, run), key(kind, run, MOST_PIECES)


def _head(body: object, run: int) -> Head | None:
    piece = read_frame(body)
    return decode_head(piece.payload, run) if piece and piece.key == key(Kind.HEAD, run) else None
