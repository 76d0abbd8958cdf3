"""The runs of one folder: begin one, find one, read one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from replanctl.errors import StoreError, UsageError
from replanctl.kinds import RunStatus
from replanctl.run import AnyEvent, SessionResult, fold
from replanctl.store.database import (
    FILE_NAME,
    DamagedStoreError,
    connect,
    connect_for_reading,
    empty_store,
    guarded,
    transaction,
)
from replanctl.store.folder import Claim, is_claimed, make_folder
from replanctl.store.frames import MOST_RUNS, DamagedError, Kind, pack, unpack
from replanctl.store.model import Head, Inputs, RunRow, add, new_head, pruned, put_head
from replanctl.store.shelf import DamagedRunError, Shelf, reach
from replanctl.store.writer import BATCH, RunWriter

PATIENCE = 3.0  # seconds to wait for another process that is writing

T = TypeVar("T")
_PRUNED = RunStatus.PRUNED


class Store:
    """The runs kept in `folder`. Raises `StoreError` when they can't be read or written.

    Writers of several processes may share a folder: each run has a number of its own.
    """

    def __init__(self, db: sqlite3.Connection, folder: Path, *, lost: bool = False) -> None:
        self._db = db
        self._folder = folder
        self._path = folder / FILE_NAME
        self._shelf = Shelf(db, self._path, lost=lost)

    @classmethod
    def open(cls, folder: Path, *, create: bool = False, patience: float = PATIENCE) -> Store:
        """The store in `folder`: made when it isn't there and `create` is set, else read as an empty one."""
        with guarded(folder):
            if folder.exists() and not folder.is_dir():
                raise StoreError(f"{folder} is a file: runs are kept in a folder", hint="name a folder with --store")
        if create:
            make_folder(folder)
            return cls(connect(folder / FILE_NAME, patience=patience), folder)
        try:
            return cls(connect_for_reading(folder / FILE_NAME, patience=patience), folder)
        except DamagedStoreError:
            store = cls(empty_store(), folder, lost=True)
            if not store._shelf.salvage.runs:  # nothing of ours is in it: it is what SQLite says it is
                raise
            return store

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
        body = pack([msgspec.json.encode(inputs)])
        with guarded(self._path), transaction(self._db):
            run = self._shelf.last_run() + 1
            if run > MOST_RUNS:
                raise StoreError(f"{self._path} holds no more runs", hint="name another folder with --store")
            head = new_head(self._db, run, started=started, goal=goal, status=RunStatus.RUNNING)
            head = add(self._db, head, Kind.INPUTS, [body])
            put_head(self._db, head)
            claim = Claim(self._folder, run)
        return RunWriter(self._db, self._path, head, claim, batch=batch, begun=True)

    def reopen(self, run: int, *, batch: int = BATCH) -> RunWriter:
        """The right to write a run once more, which changes nothing before `RunWriter.go_on`.

        Raises `StoreError` when another process is writing it.
        """
        with guarded(self._path):
            claim = Claim(self._folder, run)
        if not claim.held:
            claim.release()
            raise StoreError(f"run {run} is being written by another process", hint="wait for it to end")
        return RunWriter(self._db, self._path, self._shelf.counted(self._head(run)), claim, batch=batch, begun=False)

    def runs(self) -> list[RunRow]:
        """Every run that can be read, oldest first."""
        return [row for row in self._rows().values() if row is not None]

    def prune(self, keep: int) -> list[int]:
        """Give up all readable runs but the newest `keep` (at least 1), and say which; one that is being written stays.

        Their numbers are not used again: what is left of each says that it is gone.
        """
        heads = [head for head in self._shelf.heads().values() if head and head.status is not _PRUNED]
        gone = [head.run for head in heads[: -max(keep, 1)] if self._give_up(head)]
        with guarded(self._path), suppress(sqlite3.OperationalError):  # another process is at work: the room is kept
            self._db.execute("VACUUM")
        return gone

    def _give_up(self, head: Head) -> bool:
        claim = Claim(self._folder, head.run)
        try:
            if claim.held:
                with guarded(self._path), transaction(self._db):
                    for kind in Kind:
                        self._db.execute("DELETE FROM parts WHERE id BETWEEN ? AND ?", reach(kind, head.run))
                    put_head(self._db, pruned(head))
            return claim.held
        finally:
            claim.release()

    def damaged(self) -> list[int]:
        """The numbers of the runs that `runs` leaves out."""
        return [run for run, row in self._rows().items() if row is None]

    def run(self, run: int) -> RunRow:
        """One run. Raises `UsageError` when there is none of this number, `StoreError` when it is damaged."""
        return self._row(self._head(run))

    def newest(self) -> int:
        """The number of the newest run, damaged or not; 0 where there is none."""
        return self._shelf.newest()

    def latest(self) -> RunRow:
        """The newest run. Raises `UsageError` when there is none at all."""
        if last := self.newest():
            return self.run(last)
        raise UsageError(f"there are no runs in {self._folder}", hint="replanctl run PLAN makes the first")

    def inputs(self, run: int) -> Inputs:
        """What a run came from."""
        return self._decoded(msgspec.json.Decoder(Inputs).decode, self._only(self._head(run), Kind.INPUTS), run)

    def event_lines(self, run: int) -> Iterator[bytes]:
        """The events of a run as they were stored, one JSON object each, in order and read as they are asked for."""
        for body in self._shelf.bodies(self._head(run), Kind.EVENTS):
            yield from self._unpacked(body, run)

    def events(self, run: int) -> Iterator[AnyEvent]:
        """The events of a run, in order and read as they are asked for."""
        decode: Callable[[bytes], AnyEvent] = msgspec.json.Decoder(AnyEvent).decode
        for line in self.event_lines(run):
            yield self._decoded(decode, line, run)

    def effects(self, run: int) -> list[tuple[int, str, Any]]:
        """What real tools and planners answered: number, question and answer."""
        decode = msgspec.json.Decoder(tuple[int, str, Any]).decode
        bodies = self._shelf.bodies(self._head(run), Kind.EFFECTS)
        return [self._decoded(decode, self._unpacked(body, run)[0], run) for body in bodies]

    def document(self, run: int) -> bytes | None:
        """The result as it was stored, in JSON; None for a run that never came to one."""
        head = self._head(run)
        return self._only(head, Kind.RESULT) if head.pieces.get(Kind.RESULT) else None

    def result(self, run: int) -> SessionResult:
        """The result of a run; one that is not over is told from its events so far."""
        if body := self.document(run):
            return self._decoded(msgspec.json.Decoder(SessionResult).decode, body, run)
        return fold(self.events(run), run)

    def _rows(self) -> dict[int, RunRow | None]:
        """Every run that was not given up; None where its head, or the rest of a long goal, is damaged."""
        rows: dict[int, RunRow | None] = {}
        for run, head in self._shelf.heads().items():
            if head is None or head.status is not _PRUNED:
                rows[run] = None
                with suppress(DamagedRunError):
                    rows[run] = self._row(head) if head is not None else None
        return rows

    def _row(self, head: Head) -> RunRow:
        status, goal = head.status, head.goal
        # Whoever was killed could not write that it was: the lock that the system let go of says it.
        if status is RunStatus.RUNNING and not is_claimed(self._folder, head.run):
            status = RunStatus.INTERRUPTED
        if head.cut:
            goal = self._decoded(bytes.decode, b"".join(self._shelf.bodies(head, Kind.GOAL)), head.run)
        return RunRow(head.run, head.started, goal, status, head.reason, head.seconds, head.versions, head.tokens)

    def _head(self, run: int) -> Head:
        head = self._shelf.head(run)
        if head is not None and head.status is _PRUNED:
            raise UsageError(f"run {run} was given up by runs --prune", hint="replanctl runs lists those that are left")
        if head is not None:
            return head
        raise UsageError(f"there is no run {run} in {self._folder}", hint="replanctl runs lists them")

    def _only(self, head: Head, kind: Kind) -> bytes:
        """The one document of this kind that a run has."""
        for body in self._shelf.bodies(head, kind):
            return self._unpacked(body, head.run)[0]
        raise DamagedRunError(head.run, self._path, "")

    def _unpacked(self, body: bytes, run: int) -> list[bytes]:
        return self._decoded(unpack, body, run)

    def _decoded(self, decode: Callable[[bytes], T], body: bytes, run: int) -> T:
        """What was stored; what doesn't decode was damaged on disk."""
        try:
            return decode(body)
        except (DamagedError, ValueError) as error:  # msgspec's errors are ValueErrors
            raise DamagedRunError(run, self._path, error) from error
