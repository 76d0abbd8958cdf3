"""The SQLite file: opening it, its tables, and what its errors mean to a person."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from replanctl.errors import StoreError

FILE_NAME = "runs.db"
APPLICATION = 0x52504C43  # "RPLC" in the file's header: whose database this is
SCHEMA_VERSION = 1

SCHEMA = f"""
CREATE TABLE runs (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    started TEXT NOT NULL, goal TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT, seconds REAL, versions INTEGER, tokens INTEGER,
    inputs BLOB NOT NULL, result BLOB);
CREATE TABLE events (
    run INTEGER NOT NULL REFERENCES runs, seq INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (run, seq)) WITHOUT ROWID;
CREATE TABLE effects (
    run INTEGER NOT NULL REFERENCES runs, n INTEGER NOT NULL, question TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (run, n)) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_AWAY = "move it away, or name another folder with --store; nothing in it was changed"
_ELSEWHERE = "name another folder with --store, or keep nothing with --no-store"

# What went wrong, by SQLite's primary result code: the words for it, and the way out.
_TROUBLES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: ("is locked by another process", "wait for it to end; or " + _ELSEWHERE),
    sqlite3.SQLITE_LOCKED: ("is locked by another process", "wait for it to end; or " + _ELSEWHERE),
    sqlite3.SQLITE_FULL: ("can't grow: the disk is full", "make room; or " + _ELSEWHERE),
    sqlite3.SQLITE_READONLY: ("can't be written: it is read-only", _ELSEWHERE),
    sqlite3.SQLITE_PERM: ("may not be used: no rights", _ELSEWHERE),
    sqlite3.SQLITE_CANTOPEN: ("can't be opened", _ELSEWHERE),
    sqlite3.SQLITE_IOERR: ("can't be read or written", _ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _AWAY),
    sqlite3.SQLITE_NOTADB: ("is not a run store", _AWAY),
}


def connect(path: Path, *, patience: float) -> sqlite3.Connection:
    """Open the store at `path` for writing and make it when it isn't there. Waits `patience` seconds for a lock."""
    with guarded(path):
        refuse_links(path)
        db = sqlite3.connect(path, timeout=patience, isolation_level=None)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
        return db


def connect_for_reading(path: Path, *, patience: float) -> sqlite3.Connection:
    """Open the store at `path` to read it only; a store that isn't there reads as an empty one."""
    with guarded(path):
        refuse_links(path)
        if not path.exists():
            return _empty_store()
        try:
            return _open_existing(path, "mode=rw", patience)
        except sqlite3.OperationalError:
            # A folder that can't be written has no room for the shared index of the write-ahead log. Where
            # no log is pending, the file by itself is the whole store.
            if path.with_name(path.name + "-wal").exists():
                raise
            return _open_existing(path, "immutable=1", patience)


def refuse_links(path: Path) -> None:
    """Raise StoreError where a file of the store is anything but one: a link would lead what is written elsewhere."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(file.lstat().st_mode):
                raise StoreError(f"{file} is not a regular file: nothing is read or written through it", hint=_AWAY)


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn whatever SQLite has to say into one `StoreError` with a way out."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(path, error) from error
    except OSError as error:
        raise StoreError(f"{path} can't be used: {error.strerror or error}", hint=_ELSEWHERE) from error


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, also when a signal arrives in between."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # some errors have rolled back already
            db.execute("ROLLBACK")
        raise


def _empty_store() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA)
    return db


def _open_existing(path: Path, how: str, patience: float) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=patience, isolation_level=None)
    try:
        db.execute("PRAGMA query_only = 1")
        if not _is_empty(db):
            _check_identity(db, path)
            return db
    except BaseException:
        db.close()
        raise
    db.close()  # a run was killed before it could make the tables
    return _empty_store()


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Bring a connection up: the log is on, the tables are there and are ours."""
    if not _is_empty(db):
        _check_identity(db, path)
    with suppress(sqlite3.OperationalError):  # another process is turning it on this very moment
        db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    if _is_empty(db):
        with transaction(db):
            if _is_empty(db):
                for statement in SCHEMA.split(";"):
                    db.execute(statement)


def _is_empty(db: sqlite3.Connection) -> bool:
    with closing(db.execute("SELECT count(*) FROM sqlite_master")) as rows:
        return bool(rows.fetchone()[0] == 0)


def _check_identity(db: sqlite3.Connection, path: Path) -> None:
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(f"{path} is not a run store", hint=_AWAY)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer replanctl: its format is {version}, this one knows {SCHEMA_VERSION}",
            hint="upgrade replanctl, or name another folder with --store",
        )


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    words, hint = _TROUBLES.get(code, (f"can't be used: {error}", _AWAY))
    return StoreError(f"{path} {words}", hint=hint)
