"""Stores damaged in every way there is: what can be read is as it was, what can't is named, and nothing is a bug.

`python -m tests.crash.damage COUNT SEED [KIND]` tries so many, mostly single flipped bytes, and writes what came of
them as JSON.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, closing, suppress
from pathlib import Path
from random import Random

import msgspec

from replanctl.store.database import FILE_NAME
from tests.cli.conftest import DENIED, PLAN, SHAPE, Cli, Done
from tests.pace import slowness
from tests.trust.measured import peak_megabytes

RUNS = 5
SLOW = 2.0  # seconds of the processor for one command line
MEGABYTES = 400
GOAL = PLAN.replace("find the price", "find the price of everything " * 400)
LONG = "goal: g\nsteps:\n" + "".join(f"  - {{id: {n}, tool: look, args: {{q: {n * n}}}}}\n" for n in range(300))
MADE = (
    ("run", "goal.yaml"), ("run", "plan.yaml", "--outcomes", "shape.yaml"),
    ("run", "plan.yaml", "--outcomes", "denied.yaml"), ("run", "long.yaml", "--max-steps", "none"),
    ("run", "plan.yaml", "--outcomes", "denied.yaml"), ("resume", "5", "--outcomes", "shape.yaml"),
)  # fmt: skip
WAL = f"{FILE_NAME}-wal"

Damage = Callable[[Path, Random], int]


def build(cli: Cli) -> None:
    """Five runs: one with a replan, one handed over, one long, one taken up again."""
    cli.files({"plan.yaml": PLAN, "shape.yaml": SHAPE, "denied.yaml": DENIED, "long.yaml": LONG, "goal.yaml": GOAL})
    for words in MADE:
        assert cli(*words, "-q").code in (0, 1)


def shows(cli: Cli) -> list[Done]:
    """Every run as it is shown."""
    return [cli("show", str(run), "--format", "json") for run in range(1, RUNS + 1)]


# -- damages: each says how many runs it may cost at most --------------------------------------------------------------


def one_flip(folder: Path, dice: Random) -> int:
    return _flipped(folder / FILE_NAME, dice, 1)


def several_flips(folder: Path, dice: Random) -> int:
    return _flipped(folder / FILE_NAME, dice, dice.randrange(2, 30))


def _flipped(path: Path, dice: Random, count: int) -> int:
    data = bytearray(path.read_bytes())
    for _ in range(count):
        data[dice.randrange(len(data))] ^= dice.randrange(1, 256)
    path.write_bytes(data)
    return count


def cut(folder: Path, dice: Random) -> int:
    path = folder / FILE_NAME
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: dice.choice((0, 1, 99, 100, 512, 4096, dice.randrange(size), size - 1))])
    return RUNS


def longer(folder: Path, dice: Random) -> int:
    path = folder / FILE_NAME
    path.write_bytes(path.read_bytes() + dice.randbytes(dice.choice((1, 4095, 4096, 50_000))))
    return 0


def empty_pages(folder: Path, dice: Random) -> int:
    """Pages of nothing but one byte, as a disk leaves them; or one put in the place of another."""
    path = folder / FILE_NAME
    data = bytearray(path.read_bytes())
    pages = range(0, len(data), 4096)
    for _ in range(dice.choice((1, 1, 2, 5))):
        at, other = dice.choice(pages), dice.choice(pages)
        with_this = dice.choice((bytes(4096), b"\xff" * 4096, dice.randbytes(4096), bytes(data[other : other + 4096])))
        data[at : at + 4096] = with_this
    path.write_bytes(data)
    return RUNS


def a_log_left_behind(folder: Path, dice: Random) -> int:
    """A write-ahead log beside the store: rubbish, or a real one that was flipped, cut or belongs to another moment."""
    real = folder.parent / "pending" / "store"
    data = (real / WAL).read_bytes()
    match dice.randrange(4):
        case 0:
            (folder / WAL).write_bytes(dice.randbytes(dice.choice((1, 32, 5000))))
        case 1:
            (folder / WAL).write_bytes(data)
        case 2:
            shutil.copytree(real, folder, dirs_exist_ok=True)
            _flipped(folder / WAL, dice, dice.randrange(1, 4))
        case _:
            shutil.copytree(real, folder, dirs_exist_ok=True)
            (folder / WAL).write_bytes(data[: dice.randrange(len(data))])
    return RUNS


EDITS = (
    "UPDATE {0} SET body = (SELECT max(body) FROM {0}) WHERE {1}", "DELETE FROM {0} WHERE {1}", "DELETE FROM {0}",
    "UPDATE {0} SET body = CAST(x'ff00fe' AS TEXT) WHERE {1}", "UPDATE {0} SET body = 'no UTF-8 \ud7ff' WHERE {1}",
    "UPDATE {0} SET body = zeroblob(30000000) WHERE {1}", "UPDATE {0} SET body = 9223372036854775807 WHERE {1}",
    "UPDATE {0} SET body = body || body WHERE {1}", "UPDATE {0} SET body = 1e308 WHERE {1}", "DROP TABLE {0}",
    "UPDATE {0} SET body = substr(body, 1, length(body) / 2) WHERE {1}", "ALTER TABLE {0} RENAME COLUMN body TO bodies",
    "ALTER TABLE {0} RENAME TO other; CREATE TABLE {0} (body, {2}); INSERT INTO {0} SELECT {2}, body FROM other",
    "ALTER TABLE {0} ADD COLUMN more", "INSERT INTO {0} SELECT max({2}) + 7, body FROM {0}",
    "DROP TABLE {0}; CREATE VIEW {0} AS SELECT 1", "PRAGMA user_version = 77",
    "INSERT INTO {0} VALUES (9223372036854775807, x'00')", "INSERT INTO {0} VALUES (-5, x'00')",
    "CREATE TRIGGER t BEFORE INSERT ON {0} BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TRIGGER t AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END", "PRAGMA user_version = 1",
    "PRAGMA user_version = -1", "PRAGMA application_id = 1", "PRAGMA journal_mode = DELETE",
    "CREATE INDEX i ON {0} (body)",
)  # fmt: skip


def edited(folder: Path, dice: Random) -> int:
    """Rows and tables changed by SQL."""
    table, key = dice.choice((("runs", "run"), ("parts", "id")))
    edit = dice.choice(EDITS)
    where = f"{key} IN (SELECT {key} FROM {table} ORDER BY abs({key} * 7919 % 101) LIMIT {dice.choice((1, 1, 2))})"
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, suppress(sqlite3.Error):
        db.executescript(edit.format(table, where, key))
        db.commit()
    return RUNS


def anothers(folder: Path, dice: Random) -> int:
    """Another application's database, a text, a folder, or nothing, in the store's place."""
    path = folder / FILE_NAME
    path.unlink()
    match dice.randrange(6):
        case 0:
            path.write_text("runs: none\n" * dice.choice((1, 900)))
        case 1:
            path.mkdir()
        case 2:
            path.write_bytes(b"SQLite format 3\x00" + dice.randbytes(dice.choice((0, 84, 9000))))
        case 3:
            path.write_bytes(dice.randbytes(dice.choice((1, 100, 20_000))))
        case _:
            with closing(sqlite3.connect(path)) as db:
                db.executescript(dice.choice(OTHERS))
                db.commit()
    return RUNS


_OURS = "; PRAGMA application_id = 1380994115; PRAGMA user_version = 2"
OTHERS = (
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes VALUES (1, 'mine')",
    "CREATE TABLE runs (run TEXT, body TEXT); INSERT INTO runs VALUES ('1', 'mine')",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, body BLOB NOT NULL); PRAGMA application_id = 7",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, body BLOB NOT NULL)" + _OURS,
    "CREATE VIEW runs AS SELECT 1 AS run, x'00' AS body; CREATE TABLE parts (id, body)" + _OURS,
    "PRAGMA encoding = 'UTF-16'; CREATE TABLE runs (run, body)" + _OURS,
)  # fmt: skip

KINDS: dict[str, Damage] = {
    "one flip": one_flip, "several flips": several_flips, "cut": cut, "longer": longer, "empty pages": empty_pages,
    "a log left behind": a_log_left_behind, "edited": edited, "another's": anothers,
}  # fmt: skip
OFTEN = 9  # flips of one byte for one damage of another kind

# What else is asked of a damaged store; the last two write to it.
ASKED = (
    ("runs",), ("show",), ("show", "2", "--events"), ("why", "2", "--run", "2"), ("replay", "2"), ("prompt", "3"),
    ("diff", "2", "1"), ("graph", "2"), ("stats",), ("report", "2", "-o", "r.html"), ("cost", "--run", "4"),
    ("tune",), ("runs", "--prune", "4"), ("resume", "3"), ("run", "plan.yaml"),
)  # fmt: skip


# -- what must be true after each --------------------------------------------------------------------------------------


class Tally(msgspec.Struct):
    """How many stores were damaged, by kind, how many runs that cost in all, and what the hardest command line took."""

    tried: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    slowest: float = 0.0
    megabytes: float = 0.0


def hold(name: str, cli: Cli, whole: Path, before: list[Done], dice: Random, tally: Tally) -> None:
    """Damage a copy of the store and ask for everything. Raises AssertionError, or whatever leaks."""
    shutil.rmtree(cli.store, ignore_errors=True)
    shutil.copytree(whole, cli.store)
    most = KINDS[name](cli.store, dice)
    tally.tried[name] += 1
    now = [_asked(cli, ("show", str(run), "--format", "json"), tally) for run in range(1, RUNS + 1)]
    gone = [run for run, (old, new) in enumerate(zip(before, now, strict=True), 1) if old != new]
    assert len(gone) <= most, gone
    for run in gone:
        done = now[run - 1]
        assert (done.code, done.out) in ((3, ""), (2, "")), done  # 2: where there is no store any more
        assert done.err
    tally.lost[name] += len(gone)
    listed = _asked(cli, ("runs",), tally)
    if most == 1:
        assert listed.code == 0
        assert len(listed.out.splitlines()) + len(listed.err.splitlines()) == 1 + RUNS
        for verb in ("stats", "tune"):  # of all runs that there are: one that is damaged hides no other
            assert _asked(cli, (verb,), tally).code == 0
    for words in ASKED if name != "one flip" else dice.sample(ASKED, 3):
        _asked(cli, words, tally)


def _asked(cli: Cli, words: tuple[str, ...], tally: Tally) -> Done:
    began = time.process_time()
    done = cli(*words)
    took = time.process_time() - began
    if took >= SLOW:
        took /= slowness()
    tally.slowest = max(tally.slowest, took)
    tally.codes[f"{words[0]} {done.code}"] += 1
    assert took < SLOW, (words, took)
    assert done.code in (0, 1, 2, 3, 4), (words, done)
    assert "Traceback" not in done.err, (words, done)
    return done


def pending(cli: Cli, folder: Path) -> None:
    """A store whose last run stands in the log alone, as a machine that went down leaves it."""
    (folder / "pending").mkdir()
    with closing(sqlite3.connect(cli.store / FILE_NAME)) as reader:
        reader.execute("SELECT count(*) FROM runs").fetchall()
        assert cli("run", "plan.yaml", "-q").code == 0
        shutil.copytree(cli.store, folder / "pending" / "store")
    assert (folder / "pending" / "store" / WAL).stat().st_size > 0


def damaged(count: int, first: int, only: str = "") -> Tally:
    """So many damaged stores, each held to what is promised. Raises AssertionError at the first one that breaks it."""
    tally, at_first = Tally(Counter(), Counter(), Counter()), peak_megabytes()
    with tempfile.TemporaryDirectory() as name, chdir(name):
        cli, whole = Cli(Path()), Path("whole")
        build(cli)
        shutil.copytree(cli.store, whole)
        before = shows(cli)
        pending(cli, Path())
        for number in range(first, first + count):
            dice = Random(f"damage {number}")
            kind = only or (dice.choice([*KINDS][1:]) if number % (OFTEN + 1) == 0 else "one flip")
            try:
                hold(kind, cli, whole, before, dice, tally)
            except BaseException as error:
                error.add_note(f"damage {number}: {kind}")
                raise
    # Not the most that the process ever held: in a run of many tests others have been there before.
    tally.megabytes = peak_megabytes() - at_first
    assert tally.megabytes < MEGABYTES, tally.megabytes
    return tally


if __name__ == "__main__":
    count, first = map(int, sys.argv[1:3])
    sys.stdout.buffer.write(msgspec.json.encode(damaged(count, first, *sys.argv[3:])))
