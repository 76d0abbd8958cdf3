"""A store changed behind replanctl's back: by somebody who knows its checksums, or as one of an earlier version."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import msgspec

from replanctl.store import Inputs, Store
from replanctl.store.database import APPLICATION, FILE_NAME, transaction
from replanctl.store.frames import Kind, pack
from replanctl.store.model import add, put_head
from replanctl.store.shelf import Shelf, reach

Lines = list[bytes]

FIRST_SCHEMA = f"""
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
PRAGMA user_version = 1;
"""


def change_bodies(folder: Path, run: int, kind: Kind, bodies: Iterable[bytes]) -> None:
    """Put other bodies in the place of those that a run has, with checksums that fit."""
    path = folder / FILE_NAME
    with closing(sqlite3.connect(path, isolation_level=None)) as db, transaction(db):
        db.text_factory = bytes
        head = Shelf(db, path).head(run)
        assert head
        db.execute("DELETE FROM parts WHERE id BETWEEN ? AND ?", reach(kind, run))
        put_head(db, add(db, head, kind, bodies, first=0))


def change_events(folder: Path, change: Callable[[Lines], Lines], run: int = 1) -> None:
    """Put other events in the place of a run's."""
    with Store.open(folder) as store:
        lines = list(store.event_lines(run))
    change_bodies(folder, run, Kind.EVENTS, [pack(change(lines))])


def change_inputs(folder: Path, change: Callable[[Inputs], Inputs], run: int = 1) -> None:
    """Put other inputs in the place of a run's."""
    with Store.open(folder) as store:
        inputs = change(store.inputs(run))
    change_bodies(folder, run, Kind.INPUTS, [pack([msgspec.json.encode(inputs)])])


def as_first_version(folder: Path) -> Path:
    """Write the store once more as the first version of replanctl did; the path of its file."""
    path = folder / FILE_NAME
    with Store.open(folder) as store:
        runs = [
            (row, store.inputs(n), store.document(n), list(store.event_lines(n)), store.effects(n))
            for row in store.runs()
            for n in [row.run]
        ]
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(FIRST_SCHEMA)
        for row, inputs, document, events, effects in runs:
            told = (row.run, row.started, row.goal, row.status, row.reason, row.seconds, row.versions, row.tokens)
            bodies = (pack([msgspec.json.encode(inputs)]), None if document is None else pack([document]))
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*told, *bodies))
            db.execute("INSERT INTO events VALUES (?, 0, ?)", (row.run, pack(events)))
            for n, question, answer in effects:
                db.execute(
                    "INSERT INTO effects VALUES (?, ?, ?, ?)", (row.run, n, question, msgspec.json.encode(answer))
                )
    return path
