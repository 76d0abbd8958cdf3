"""The runs of one folder: begin one, find one, read one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from replanctl.errors import StoreError, UsageError
from replanctl.kinds import RunStatus
from replanctl.run import AnyEvent, SessionResult, fold
from replanctl.store.claim import Claim, is_claimed
from replanctl.store.database import FILE_NAME, connect, connect_for_reading, guarded, transaction
from replanctl.store.model import Inputs, RunRow
from replanctl.store.packing import DamagedError, pack, unpack
from replanctl.store.writer import BATCH, RunWriter

PATIENCE = 3.0  # seconds to wait for another process that is writing

T = TypeVar("T")

_ROW = "SELECT run, started, goal, status, reason, seconds, versions, tokens FROM runs"


class Store:
    """The runs kept in `folder`. Raises `StoreError` when they can't be read or written.

    Writers of several processes may share a folder: each run has a number of its own.
    """

    def __init__(self, db: sqlite3.Connection, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._path = folder / FILE_NAME

    @classmethod
    def open(cls, folder: Path, *, create: bool = False, patience: float = PATIENCE) -> Store:
        """The store in `folder`: made when it isn't there and `create` is set, else read as an empty one."""
        with guarded(folder):
            if folder.exists() and not folder.is_dir():
                raise StoreError(f"{folder} is a file: runs are kept in a folder", hint="name a folder with --store")
        if not create:
            return cls(connect_for_reading(folder / FILE_NAME, patience=patience), folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(f"the store {folder} can't be made: {reason}", hint="use --store or --no-store") from error
        return cls(connect(folder / FILE_NAME, patience=patience), folder)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        with guarded(self._path):
            self._db.close()

    def begin(self, inputs: Inputs, *, goal: str, started: str, batch: int = BATCH) -> RunWriter:
        """A new run with the next free number; `batch` events are written together."""
        row = (started, goal, RunStatus.RUNNING.value, pack([msgspec.json.encode(inputs)]))
        with guarded(self._path), transaction(self._db):
            cursor = self._db.execute("INSERT INTO runs (started, goal, status, inputs) VALUES (?, ?, ?, ?)", row)
            run = cursor.lastrowid or 0
            claim = Claim(self._folder, run)
        return RunWriter(self._db, self._path, run, claim, batch=batch, begun=True)

    def reopen(self, run: int, *, batch: int = BATCH) -> RunWriter:
        """The right to write a run once more, which changes nothing before `RunWriter.go_on`.

        Raises `StoreError` when another process is writing it.
        """
        with guarded(self._path):
            claim = Claim(self._folder, run)
        if not claim.held:
            claim.release()
            raise StoreError(f"run {run} is being written by another process", hint="wait for it to end")
        return RunWriter(self._db, self._path, run, claim, batch=batch, begun=False)

    def runs(self) -> list[RunRow]:
        """Every run, oldest first."""
        return [self._row(values) for values in self._query(f"{_ROW} ORDER BY run")]

    def run(self, run: int) -> RunRow:
        """One run. Raises `UsageError` when there is none of this number."""
        for values in self._query(f"{_ROW} WHERE run = ?", run):
            return self._row(values)
        raise UsageError(f"there is no run {run} in {self._folder}", hint="replanctl runs lists them")

    def latest(self) -> RunRow:
        """The newest run. Raises `UsageError` when there is none at all."""
        for values in self._query(f"{_ROW} ORDER BY run DESC LIMIT 1"):
            return self._row(values)
        raise UsageError(f"there are no runs in {self._folder}", hint="replanctl run PLAN makes the first")

    def inputs(self, run: int) -> Inputs:
        """What a run came from."""
        (body,) = self._one("SELECT inputs FROM runs WHERE run = ?", run)
        return self._decoded(msgspec.json.Decoder(Inputs).decode, self._unpacked(body, run)[0], run)

    def event_lines(self, run: int) -> Iterator[bytes]:
        """The events of a run as they were stored, one JSON object each, in order and read as they are asked for."""
        for (body,) in self._query("SELECT body FROM events WHERE run = ? ORDER BY seq", run):
            yield from self._unpacked(body, run)

    def events(self, run: int) -> Iterator[AnyEvent]:
        """The events of a run, in order and read as they are asked for."""
        decode: Callable[[bytes], AnyEvent] = msgspec.json.Decoder(AnyEvent).decode
        for line in self.event_lines(run):
            yield self._decoded(decode, line, run)

    def effects(self, run: int) -> list[tuple[int, str, Any]]:
        """What real tools and planners answered: number, question and answer."""
        rows = self._query("SELECT n, question, body FROM effects WHERE run = ? ORDER BY n", run)
        return [(n, question, self._decoded(msgspec.json.decode, body, run)) for n, question, body in rows]

    def document(self, run: int) -> bytes | None:
        """The result as it was stored, in JSON; None for a run that never came to one."""
        (body,) = self._one("SELECT result FROM runs WHERE run = ?", run)
        return None if body is None else self._unpacked(body, run)[0]

    def result(self, run: int) -> SessionResult:
        """The result of a run; one that is not over is told from its events so far."""
        if body := self.document(run):
            return self._decoded(msgspec.json.Decoder(SessionResult).decode, body, run)
        return fold(self.events(run), run)

    def _row(self, values: tuple[Any, ...]) -> RunRow:
        run, started, goal, status, *rest = values
        if status == RunStatus.RUNNING and not is_claimed(self._folder, run):
            status = RunStatus.INTERRUPTED
        return RunRow(run, started, goal, RunStatus(status), *rest)

    def _one(self, sql: str, run: int) -> tuple[Any, ...]:
        for values in self._query(sql, run):
            return values
        raise UsageError(f"there is no run {run} in {self._folder}", hint="replanctl runs lists them")

    def _query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        with guarded(self._path):
            yield from self._db.execute(sql, values)

    def _unpacked(self, body: bytes, run: int) -> list[bytes]:
        return self._decoded(unpack, body, run)

    def _decoded(self, decode: Callable[[bytes], T], body: bytes, run: int) -> T:
        """What was stored; what doesn't decode was damaged on disk."""
        try:
            return decode(body)
        except (DamagedError, ValueError) as error:  # msgspec's errors are ValueErrors
            message = f"run {run} in {self._path} is damaged: {error}"
            raise StoreError(message, hint="other runs can still be read") from error
