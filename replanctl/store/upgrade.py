"""A store of the first version: read as it is, and rewritten at the next write.

Its rows have no checksum of their own. What can't be read of it is kept as a run without a whole head, so that it is
named as damaged and takes no other run with it; such a store is not rewritten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import StoreError
from replanctl.kinds import RunStatus
from replanctl.store.folder import is_claimed
from replanctl.store.frames import Kind, pack
from replanctl.store.model import add, new_head, put_head

_TABLES = ("runs", "events", "effects")
_COLUMNS = "started, goal, status, reason, seconds, versions, tokens, inputs, result"
_DAMAGES = (ValueError, TypeError, sqlite3.DatabaseError, OverflowError)


def read_old(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Copy every run of an old store into an empty new one."""
    for (run,) in list(old.execute("SELECT run FROM runs ORDER BY run")):
        try:
            _copy(old, new, run, "")
        except _DAMAGES:
            new.execute("INSERT OR REPLACE INTO runs VALUES (?, x'')", (run,))


def upgrade(db: sqlite3.Connection, path: Path, make_tables: Callable[[sqlite3.Connection], None]) -> None:
    """Rewrite an old store in its place, inside a transaction. Raises StoreError where it can't be done whole."""
    for table in _TABLES:
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    make_tables(db)
    for (run,) in list(db.execute("SELECT run FROM old_runs ORDER BY run")):
        if is_claimed(path.parent, run):
            raise StoreError(f"{path} is being written by an earlier replanctl", hint="wait for it to end")
        try:
            _copy(db, db, run, "old_")
        except _DAMAGES as error:
            hint = "move it away, or name another folder with --store; its other runs can be read"
            raise StoreError(f"{path} is of an earlier format, and run {run} in it is damaged", hint=hint) from error
    for table in reversed(_TABLES):
        db.execute(f"DROP TABLE old_{table}")


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, run: int, prefix: str) -> None:
    """One run. Raises ValueError or TypeError for what a run of that format does not hold."""
    row = old.execute(f"SELECT {_COLUMNS} FROM {prefix}runs WHERE run = ?", (run,)).fetchone()
    *told, inputs, result = row
    started, goal, status, reason, *rest = (each.decode() if isinstance(each, bytes) else each for each in told)
    head = new_head(new, run, started=started, goal=goal, status=RunStatus(status))
    head = add(new, head, Kind.INPUTS, [_body(inputs)])
    head = add(new, head, Kind.EVENTS, _events(old, run, prefix))
    head = add(new, head, Kind.EFFECTS, _effects(old, run, prefix))
    if result is not None:
        head = add(new, head, Kind.RESULT, [_body(result)])
    fields = dict(zip(("reason", "seconds", "versions", "tokens"), (reason, *rest), strict=True))
    whole = msgspec.structs.replace(head, **fields)
    put_head(new, msgspec.convert(msgspec.to_builtins(whole), type(whole), str_keys=True))


def _events(old: sqlite3.Connection, run: int, prefix: str) -> Iterator[bytes]:
    for (body,) in old.execute(f"SELECT body FROM {prefix}events WHERE run = ? ORDER BY seq", (run,)):
        yield _body(body)


def _effects(old: sqlite3.Connection, run: int, prefix: str) -> Iterator[bytes]:
    rows = old.execute(f"SELECT n, question, body FROM {prefix}effects WHERE run = ? ORDER BY n", (run,))
    for n, question, body in rows:
        yield pack([msgspec.json.encode((n, _body(question).decode(), msgspec.Raw(_body(body))))])


def _body(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("what a run of the first format holds are bytes")
    return value
