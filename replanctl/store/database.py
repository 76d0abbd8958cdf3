"""The SQLite file: opening it, its tables, and what its errors mean to a person.

`runs` holds one row a run, its head; `parts` everything else, cut into pieces (`store/frames.py`). Both say who a row
belongs to a second time in the row itself. A text is read as bytes: what claims to be one has been damaged.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from replanctl.errors import StoreError

FILE_NAME = "runs.db"
FILE_NAMES = (FILE_NAME, *(f"{FILE_NAME}-{each}" for each in ("wal", "shm", "journal")), ".gitignore")
APPLICATION = 0x52504C43  # "RPLC" in the file's header: whose database this is
SCHEMA_VERSION = 2

# Two tables without columns to speak of: what a row means stands in the row itself, with a checksum, so that it can be
# read where SQLite can't find its way to it any more (`frames.py`).
SCHEMA = f"""
CREATE TABLE runs (run INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE parts (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
"""

AWAY = "move it away, or name another folder with --store; nothing in it was changed"
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
    sqlite3.SQLITE_CORRUPT: ("is damaged", AWAY),
    sqlite3.SQLITE_NOTADB: ("is not a run store", AWAY),
}
# After these the file can be read on without SQLite: what is asked for may be all right. SQLITE_ERROR is a table or a
# column that isn't there.
_DAMAGES = frozenset(
    (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_TOOBIG,
    )
)
_DAMAGED_READS = frozenset((sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS))


class DamagedStoreError(StoreError):
    """SQLite can't make sense of the file: it may be damaged in a place that other runs do not rest on."""


def connect(path: Path, *, patience: float) -> sqlite3.Connection:
    """Open the store at `path` for writing and make it when it isn't there. Waits `patience` seconds for a lock."""
    with guarded(path):
        refuse_links(path)
        with suppress(OSError):  # SQLite has better words for it
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
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
            return empty_store()
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
                raise StoreError(f"{file} is not a regular file: nothing is read or written through it", hint=AWAY)


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn whatever SQLite has to say into one `StoreError` with a way out."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(path, error) from error
    except (UnicodeDecodeError, OverflowError) as error:  # SQLite's own words about a damaged file are no text
        raise DamagedStoreError(f"{path} is damaged", hint=AWAY) from error
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


def empty_store() -> sqlite3.Connection:
    """A store without runs, in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA)
    return db


def _open_existing(path: Path, how: str, patience: float) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=patience, isolation_level=None)
    try:
        db.execute("PRAGMA query_only = 1")
        db.text_factory = bytes
        if not _is_empty(db):
            if _version(db, path) == SCHEMA_VERSION:
                return db
            with closing(db):
                from replanctl.store.upgrade import read_old

                new = empty_store()
                read_old(db, new)
                return new
    except BaseException:
        db.close()
        raise
    db.close()  # a run was killed before it could make the tables
    return empty_store()


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Bring a connection up: the log is on, the tables are there and are ours, and of this version."""
    db.text_factory = bytes
    old = not _is_empty(db) and _version(db, path) != SCHEMA_VERSION
    db.execute("PRAGMA secure_delete = ON")  # what no longer holds is not to be found by a reader without SQLite
    if not old:
        db.execute("PRAGMA page_size = 4096")  # a piece fits on one; without effect on a store that is there
    with suppress(sqlite3.OperationalError):  # another process is turning it on this very moment
        db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    if _is_empty(db):
        with transaction(db):
            if _is_empty(db):
                make_tables(db)
    if old:
        from replanctl.store.upgrade import upgrade

        with suppress(OSError):
            path.chmod(0o600)
        with transaction(db):
            if _version(db, path) != SCHEMA_VERSION:
                upgrade(db, path, make_tables)


def make_tables(db: sqlite3.Connection) -> None:
    """The tables of a store, inside a transaction."""
    for statement in SCHEMA.split(";"):
        db.execute(statement)


def _is_empty(db: sqlite3.Connection) -> bool:
    with closing(db.execute("SELECT count(*) FROM sqlite_master")) as rows:
        return bool(rows.fetchone()[0] == 0)


def _version(db: sqlite3.Connection, path: Path) -> int:
    """The version of a store's format, this one's or an earlier one. Raises StoreError for anything else."""
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise DamagedStoreError(f"{path} is not a run store", hint=AWAY)
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise DamagedStoreError(
            f"{path} was written by a newer replanctl: its format is {version}, this one knows {SCHEMA_VERSION}",
            hint="upgrade replanctl, or name another folder with --store",
        )
    if version < 1:
        raise DamagedStoreError(f"{path} is damaged", hint=AWAY)
    return version


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    whole = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    code = whole & 0xFF
    damaged = code in _DAMAGES or whole in _DAMAGED_READS
    words, hint = _TROUBLES.get(code, (f"can't be used: {error}", AWAY))
    return (DamagedStoreError if damaged else StoreError)(f"{path} {words}", hint=hint)
