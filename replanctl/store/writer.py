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
from replanctl.store.claim import Claim
from replanctl.store.database import guarded, transaction
from replanctl.store.model import Inputs
from replanctl.store.packing import pack

BATCH = 1000  # events of a scripted run that are written together


class RunWriter:
    """The one writer of run `run`, a context manager.

    Events are written `batch` by batch, and whenever `flush` says so. Left without `finish`, whatever the reason, the
    run keeps what had happened and is `interrupted`; one that has not `begun` stays as it was.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, run: int, claim: Claim, *, batch: int, begun: bool) -> None:
        self.run = run
        self._db = db
        self._path = path
        self._claim = claim
        self._batch = batch
        self._pending: list[bytes] = []
        self._first = 0  # the number of the first pending event
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
        changes = "status = ?, inputs = ?, reason = NULL, seconds = NULL, versions = NULL, tokens = NULL, result = NULL"
        row = (RunStatus.RUNNING.value, pack([self._encode(inputs)]), self.run)
        with guarded(self._path), transaction(self._db):
            self._db.execute("DELETE FROM events WHERE run = ?", (self.run,))
            if kept:
                self._db.execute("INSERT INTO events VALUES (?, ?, ?)", (self.run, 0, pack(kept)))
            self._db.execute(f"UPDATE runs SET {changes} WHERE run = ?", row)
        self._writing = True

    def append(self, event: Event) -> None:
        """Keep one event."""
        if not self._pending:
            self._first = event.seq
        self._pending.append(self._encode(event))
        if len(self._pending) >= self._batch:
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
        row = (self.run, n, question, self._encode(answer))
        with guarded(self._path), transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO effects VALUES (?, ?, ?, ?)", row)

    def finish(self, result: SessionResult) -> None:
        """Keep the result; the run is over."""
        self._close(
            RunStatus(result.status),
            reason=result.reason,
            seconds=result.seconds,
            versions=len(result.versions),
            tokens=result.ledger.totals.all,
            result=pack([self._encode(result)]),
        )
        self._writing = False

    def _close(self, status: RunStatus, **columns: Any) -> None:
        """The last events and the outcome are stored together or not at all."""
        changes = {"status": status.value, **columns}
        names = ", ".join(f"{name} = :{name}" for name in changes)
        with guarded(self._path), transaction(self._db):
            self._write_pending()
            self._db.execute(f"UPDATE runs SET {names} WHERE run = :run", {**changes, "run": self.run})

    def _write(self) -> None:
        if self._pending:
            with guarded(self._path), transaction(self._db):
                self._write_pending()
            self._pending.clear()

    def _write_pending(self) -> None:
        if self._pending:
            # A signal between the commit and the clearing of the list offers the same events once more.
            row = (self.run, self._first, pack(self._pending))
            self._db.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?)", row)
