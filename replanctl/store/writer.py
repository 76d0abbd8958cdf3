"""Writing one run: its events as they come, what real tools answered, and the result at the end."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from replanctl.errors import StoreError
from replanctl.kinds import RunStatus
from replanctl.run import Event, SessionResult
from replanctl.store.database import guarded, transaction
from replanctl.store.folder import Claim
from replanctl.store.frames import Kind, pack
from replanctl.store.model import LASTING, Head, Inputs, add, put_head
from replanctl.store.shelf import reach

BATCH = 1000  # events of a scripted run that are written together


# A scripted run can be made again in milliseconds, and is written a thousand events at a time. A call of a real tool
# can't: before it everything so far goes to the disk, and behind it its answer (`flush`, `effect`), so that a kill at
# any moment leaves at most one call of which nothing is known.
class RunWriter:
    """The one writer of run `run`, a context manager.

    Events are written `batch` by batch, and whenever `flush` says so. Left without `finish`, whatever the reason, the
    run keeps what had happened and is `interrupted`; one that has not `begun` stays as it was.
    """

    def __init__(
        self, db: sqlite3.Connection, path: Path, head: Head, claim: Claim, *, batch: int, begun: bool
    ) -> None:
        self.run = head.run
        self._db = db
        self._path = path
        self._head = head  # as it would be written now; one assignment tells what is on disk
        self._claim = claim
        self._batch = batch
        self._pending: list[bytes] = []
        self._writing = begun
        self._durable = False
        self._encode = msgspec.json.Encoder().encode

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._writing:
                with suppress(StoreError):  # the store's own trouble is what brought us here, or is the lesser one
                    self._close(RunStatus.INTERRUPTED)
        finally:
            self._claim.release()

    def go_on(self, inputs: Inputs, kept: Sequence[bytes]) -> None:
        """Of the events these stay, what came after them goes, and `inputs` hold."""
        head = msgspec.structs.replace(
            self._head, turn=self._head.turn + 1, edition=0, status=RunStatus.RUNNING, reason=None, seconds=None,
            versions=None, tokens=None, pieces={kind: n for kind, n in self._head.pieces.items() if kind in LASTING},
        )  # fmt: skip
        with guarded(self._path), transaction(self._db):
            for kind in (Kind.INPUTS, Kind.EVENTS, Kind.RESULT):
                self._db.execute("DELETE FROM parts WHERE id BETWEEN ? AND ?", reach(kind, self.run))
            head = add(self._db, head, Kind.INPUTS, [pack([self._encode(inputs)])])
            head = add(self._db, head, Kind.EVENTS, [pack(kept)] if kept else [])
            put_head(self._db, head)
        self._head = head
        self._writing = True

    def append(self, event: Event) -> None:
        """Keep one event."""
        pending = self._pending
        pending.append(self._encode(event))
        if len(pending) >= self._batch:
            self._write()

    def flush(self) -> None:
        """Put on disk what has happened, since something real comes next: nobody can do that over, so from here on what
        is written outlives a loss of power too."""
        if not self._durable:
            with guarded(self._path):
                self._db.execute("PRAGMA synchronous = FULL")
            self._durable = True
        self._write()

    def effect(self, n: int, question: str, answer: Any) -> None:
        """Keep what a real tool or planner answered, the `n`-th answer of the run, before anybody acts on it."""
        body = pack([self._encode((n, question, answer))])
        with guarded(self._path), transaction(self._db):
            head = add(self._db, self._head, Kind.EFFECTS, [body])
        self._head = head

    def finish(self, result: SessionResult) -> None:
        """Keep the result; the run is over."""
        self._close(
            RunStatus(result.status),
            pack([self._encode(result)]),
            reason=result.reason,
            seconds=result.seconds,
            versions=len(result.versions),
            tokens=result.ledger.totals.all,
        )
        self._writing = False

    def _close(self, status: RunStatus, result: bytes | None = None, **told: Any) -> None:
        """The last events and the outcome are stored together or not at all."""
        with guarded(self._path), transaction(self._db):
            head = self._with_pending()
            if result is not None:
                head = add(self._db, head, Kind.RESULT, [result])
            put_head(self._db, msgspec.structs.replace(head, edition=head.edition + 1, status=status, **told))

    def _write(self) -> None:
        if self._pending:
            with guarded(self._path), transaction(self._db):
                head = self._with_pending()
            # A signal that comes before both are changed offers the same events once more, in the same place.
            self._pending, self._head = [], head

    def _with_pending(self) -> Head:
        return add(self._db, self._head, Kind.EVENTS, [pack(self._pending)] if self._pending else [])
