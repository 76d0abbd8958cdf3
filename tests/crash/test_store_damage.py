"""A damaged store, or one that came from somewhere: one run at most is lost, it is named, and nothing ends in a bug."""

from __future__ import annotations

import json
import random
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from replanctl.store import Store
from replanctl.store.database import FILE_NAME, SCHEMA_VERSION
from replanctl.store.frames import Kind, Piece, cut, framed, joined, key, pack, read_frame
from replanctl.store.salvage import WINDOW, Salvage
from replanctl.store.shelf import reach
from tests.cli.conftest import PLAN, Cli, Done
from tests.crash.damage import KINDS, damaged
from tests.stored import as_first_version, change_bodies, change_events

RUNS = 5
LONG = "goal: g\nsteps:\n" + "".join(f"  - {{id: {n}, tool: look, args: {{q: {n * n}}}}}\n" for n in range(300))
CAREFULLY = {0, 1, 3}  # as it was, or refused; a run that failed shows with 0 and resumes with 1


@pytest.fixture
def stored(cli: Cli) -> Cli:
    """Five runs: one with a replan, one handed over, one long, one taken up again."""
    cli.files({"long.yaml": LONG})
    assert cli("run", "plan.yaml", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "shape.yaml", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    assert cli("run", "long.yaml", "--max-steps", "none", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    assert cli("resume", "5", "--outcomes", "shape.yaml", "-q").code == 0
    return cli


def shows(cli: Cli) -> list[Done]:
    return [cli("show", str(run), "--format", "json") for run in range(1, RUNS + 1)]


def lost(before: list[Done], now: list[Done]) -> list[int]:
    """The runs that can't be shown any more; all others are as they were."""
    gone = [run for run, (old, new) in enumerate(zip(before, now, strict=True), 1) if old != new]
    for run in gone:
        done = now[run - 1]
        assert (done.code, done.out) == (3, ""), done
        assert done.err.startswith(f"replanctl: run {run} in store/{FILE_NAME} is damaged"), done
        assert done.err.endswith("  other runs can still be read\n"), done
    return gone


@pytest.mark.parametrize("seed", range(4))
def test_a_flipped_byte_costs_no_other_run(stored: Cli, seed: int) -> None:
    path, before, rng = stored.store / FILE_NAME, shows(stored), random.Random(seed)
    whole = path.read_bytes()
    for _ in range(40):
        spoilt = bytearray(whole)
        spoilt[rng.randrange(len(whole))] ^= rng.randrange(1, 256)
        path.write_bytes(spoilt)
        assert len(lost(before, shows(stored))) <= 1
        listed = stored("runs")
        assert listed.code == 0
        assert len(listed.out.splitlines()) + len(listed.err.splitlines()) == 1 + RUNS
        for words in (("replay", "2"), ("resume", "3", "-q"), ("run", "plan.yaml", "-q")):
            assert stored(*words).code in CAREFULLY, words


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_damaged_in_any_way_is_no_bug(kind: str) -> None:
    assert damaged(6, 0, kind).tried[kind] == 6


@pytest.mark.parametrize("kind", [Kind.GOAL, Kind.INPUTS, Kind.EVENTS])
def test_a_damaged_run_hides_no_other_from_what_reads_them_all(cli: Cli, kind: Kind) -> None:
    cli.files({"goal.yaml": PLAN.replace("find the price", "find the price of it " * 500)})
    for plan in ("plan.yaml", "goal.yaml", "plan.yaml"):
        assert cli("run", plan, "-q").code == 0
    with closing(sqlite3.connect(cli.store / FILE_NAME)) as db, db:
        db.execute("UPDATE parts SET body = x'00' WHERE id BETWEEN ? AND ?", reach(kind, 2))
    named = "left out, because damaged: run 2\n"
    stats, tuned, listed = cli("stats", "--format", "json"), cli("tune", "--format", "json"), cli("runs")
    assert (stats.code, stats.err) == (0, named)
    assert json.loads(stats.out)["stats"]["runs"] == 2
    assert (tuned.code, tuned.err) == (0, "" if kind is Kind.EVENTS else named)
    assert (listed.code, listed.err) == (0, named if kind is Kind.GOAL else "")


@pytest.mark.parametrize("letter", ["QRIMARY", "PRIMARX"])
@pytest.mark.parametrize("table", ["runs", "parts"])
def test_a_table_that_does_not_say_its_key_costs_nothing(stored: Cli, table: str, letter: str) -> None:
    path, before = stored.store / FILE_NAME, shows(stored)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = 1")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY', ?) WHERE name = ?", (letter, table))
    assert lost(before, shows(stored)) == []
    listed = stored("runs")
    assert (listed.code, listed.err, len(listed.out.splitlines())) == (0, "", 1 + RUNS)
    for words in (("stats",), ("tune",), ("replay", "2"), ("resume", "3", "-q"), ("run", "plan.yaml", "-q")):
        assert stored(*words).code in CAREFULLY, words


def test_a_spoilt_header_costs_nothing(stored: Cli) -> None:
    path, before = stored.store / FILE_NAME, shows(stored)
    whole = path.read_bytes()
    for at in range(100):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert lost(before, shows(stored)) == [], at
        assert stored("show", "--format", "json") == before[-1], at


def test_pages_without_a_head_are_still_read(stored: Cli) -> None:
    path, before = stored.store / FILE_NAME, shows(stored)
    data = bytearray(path.read_bytes())
    for page in range(0, len(data), 4096):
        data[page : page + 8] = b"\xff" * 8
    path.write_bytes(data)
    assert lost(before, shows(stored)) == []
    assert [line.split()[0] for line in stored("runs").out.splitlines()[1:]] == [str(n) for n in range(RUNS, 0, -1)]


def test_what_was_given_up_does_not_come_back_from_damaged_pages(stored: Cli) -> None:
    assert stored("runs", "--prune", "2").code == 0
    path = stored.store / FILE_NAME
    data = bytearray(path.read_bytes())
    for page in range(0, len(data), 4096):
        data[page : page + 8] = b"\xff" * 8
    path.write_bytes(data)
    listed = stored("runs")
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == [str(RUNS), str(RUNS - 1)]
    assert listed.err == ""
    assert stored("show", "1").code == 2


# What is done to the rows of run 2, by SQL.
EDITS: list[str] = [
    "UPDATE runs SET body = 'no UTF-8 \xff'",
    "UPDATE runs SET body = CAST(x'ff00' AS TEXT)",
    "UPDATE runs SET body = 7",
    "UPDATE runs SET body = 1.5",
    "UPDATE runs SET body = x''",
    "UPDATE runs SET body = CAST(replace(body, 'completed', 'compluted') AS BLOB)",
    "UPDATE runs SET body = (SELECT body FROM runs WHERE run = 1)",
]


@pytest.mark.parametrize(
    ("table", "edit"), [*(("runs", edit) for edit in EDITS), *(("parts", edit) for edit in EDITS[:5])]
)
def test_rows_of_another_kind_are_named(stored: Cli, edit: str, table: str) -> None:
    before = shows(stored)
    where = {"runs": "run = 2", "parts": f"id = {reach(Kind.EVENTS, 2)[0]}"}
    with closing(sqlite3.connect(stored.store / FILE_NAME)) as db, db:
        db.execute(f"{edit} WHERE {where[table]}".replace("UPDATE runs", f"UPDATE {table}"))
    if table == "runs":
        assert lost(before, shows(stored)) == [2]
        listed = stored("runs")
        assert (listed.code, listed.err) == (0, "left out, because damaged: run 2\n")
    for verb in ("replay", "why", "prompt"):
        done = stored(verb, *(["1", "--run"] if verb == "why" else []), "2")
        assert (done.code, done.out) == (3, ""), (verb, done)
        assert "run 2 in" in done.err
    assert stored("replay", "1").code == 0


def test_a_run_that_is_gone_is_damaged_and_not_unknown(stored: Cli) -> None:
    before = shows(stored)
    with closing(sqlite3.connect(stored.store / FILE_NAME)) as db, db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("DELETE FROM runs WHERE run = 5")
    assert lost(before, shows(stored)) == [5]
    latest = stored("show")
    assert (latest.code, latest.out) == (3, "")
    assert stored("show", "6").code == 2
    assert stored("run", "plan.yaml", "-q").code == 3


# Events with checksums that fit: what somebody may have put in a repository.
FORGED: list[Callable[[list[bytes]], list[bytes]]] = [
    lambda lines: [lines[0].replace(b'"seq":0', b'"seq":"x"'), *lines[1:]],
    lambda lines: [b"{}", *lines[1:]],
    lambda lines: [b"\xff\xfe"],
    lambda lines: lines[3:],
    lambda lines: lines[::-1],
    lambda lines: [lines[0], *lines[4:]],
    lambda lines: [line.replace(b'"version":"v1"', b'"version":"w1"') for line in lines],
    lambda lines: [line.replace(b'"step_id":"2"', b'"step_id":"9"') for line in lines],
    lambda lines: [line.replace(b'"at":2.0', b'"at":1e999') for line in lines],
    lambda lines: [line.replace(b'"status":"failed"', b'"status":"fained"') for line in lines],
    lambda lines: [],
]


@pytest.mark.parametrize("forge", FORGED)
@pytest.mark.parametrize("with_result", [True, False])
def test_forged_events_are_no_bug(stored: Cli, forge: Callable[[list[bytes]], list[bytes]], with_result: bool) -> None:
    change_events(stored.store, forge, run=2)
    if not with_result:
        change_bodies(stored.store, 2, Kind.RESULT, [])
    words = [("show", "2"), ("show", "2", "--events"), ("show", "2", "--format", "json"), ("show", "2", "--handover"),
             ("why", "2", "--run", "2"), ("replay", "2"), ("prompt", "2"), ("diff", "2", "1"), ("graph", "2"),
             ("cost", "--run", "2", "--fail", "1"), ("resume", "2"), ("runs",)]  # fmt: skip
    for each in words:
        assert stored(*each).code in (0, 1, 2, 3, 4), each


def test_a_forged_result_is_no_bug(stored: Cli) -> None:
    document = stored("show", "2", "--format", "json").out
    for forged in ("null", "{}", document.replace('"versions":[', '"versions":[],"x":['), document[:-30]):
        change_bodies(stored.store, 2, Kind.RESULT, [pack([forged.encode()])])
        for words in (("show", "2"), ("cost", "--run", "2"), ("diff", "2", "1"), ("graph", "2")):
            assert stored(*words).code in (0, 2, 3), (forged, words)


# -- an earlier version ----------------------------------------------------------------------------------------------


def test_a_store_of_the_first_version_is_read_and_upgraded_at_the_next_write(stored: Cli) -> None:
    before, listed = shows(stored), stored("runs")
    replays = [stored("replay", str(run)) for run in range(1, RUNS + 1)]
    path = as_first_version(stored.store)
    old = path.read_bytes()
    assert (shows(stored), stored("runs")) == (before, listed)
    assert [stored("replay", str(run)) for run in range(1, RUNS + 1)] == replays
    assert path.read_bytes() == old
    assert stored("run", "plan.yaml", "-q").code == 0
    assert (shows(stored), format_of(path)) == (before, SCHEMA_VERSION)
    assert [stored("replay", str(run)) for run in range(1, RUNS + 1)] == replays
    assert stored("replay", "6").code == 0
    with closing(sqlite3.connect(path)) as db:
        assert [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE sql > ''")] == [
            "sqlite_sequence", "runs", "parts"
        ]  # fmt: skip


def format_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE runs SET status = 'fained' WHERE run = 2",
        "UPDATE runs SET goal = CAST(x'ff' AS TEXT) WHERE run = 2",
        "UPDATE runs SET tokens = 'many' WHERE run = 2",
        "UPDATE runs SET inputs = 7 WHERE run = 2",
        "UPDATE events SET body = 'text' WHERE run = 2",
    ],
)
def test_a_damaged_run_of_the_first_version_is_named(stored: Cli, edit: str) -> None:
    before = shows(stored)
    path = as_first_version(stored.store)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(edit)
    assert stored("replay", "2").code == 3
    assert [old for run, old in enumerate(shows(stored), 1) if run != 2] == before[:1] + before[2:]
    assert stored("runs").code == 0


def test_a_damaged_store_of_the_first_version_is_not_rewritten(stored: Cli) -> None:
    path = as_first_version(stored.store)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE runs SET status = 'fained' WHERE run = 2")
    refused = stored("run", "plan.yaml", "-q")
    assert (refused.code, refused.err.splitlines()[0]) == (
        3, f"replanctl: store/{FILE_NAME} is of an earlier format, and run 2 in it is damaged"
    )  # fmt: skip
    assert format_of(path) == 1
    assert stored("show", "1").code == 0


# -- whose it is ------------------------------------------------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_store_is_its_owners_alone(cli: Cli) -> None:
    cli.environ["REPLANCTL_STORE"] = str(cli.store / "deep" / "er")
    assert cli("run", "plan.yaml", "-q").code == 0
    folder = cli.store / "deep" / "er"
    assert (mode(folder), mode(folder / FILE_NAME)) == (0o700, 0o600)
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"
    assert not (cli.store / ".gitignore").exists()


def test_somebody_elses_folder_stays_as_it_is(cli: Cli) -> None:
    cli.store.mkdir(mode=0o755)
    assert cli("run", "plan.yaml", "-q").code == 0
    assert (mode(cli.store), mode(cli.store / FILE_NAME)) == (0o755, 0o600)
    assert [path.name for path in cli.store.iterdir()] == [FILE_NAME]


# -- frames -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3999, 4000, 4001, 12_000])
def test_a_body_is_cut_and_joined(size: int) -> None:
    body = bytes(range(256)) * 50
    pieces = cut(body[:size], Kind.EVENTS, 7, 3, 1)
    assert list(joined(pieces)) == [body[:size]]
    assert [piece.key for piece in pieces] == [key(Kind.EVENTS, 7, 3 + n) for n in range(len(pieces))]
    assert [read_frame(framed(piece)) for piece in pieces] == pieces


def test_a_frame_that_is_not_whole_is_none() -> None:
    whole = framed(Piece(key(Kind.INPUTS, 1), 0, True, b"payload"))
    for at in range(len(whole)):
        assert read_frame(whole[:at]) is None
        assert read_frame(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]) is None
    for other in (None, 7, "text", b""):
        assert read_frame(other) is None


def test_frames_are_found_wherever_they_lie(tmp_path: Path) -> None:
    inner = framed(Piece(key(Kind.INPUTS, 9), 0, True, b"in a payload"))
    pieces = [Piece(key(Kind.EVENTS, 1, n), 0, True, inner + bytes(3900)) for n in range(3 * WINDOW // 4000)]
    for before in (0, 1, 4095, 4096):
        file = tmp_path / "file"
        file.write_bytes(bytes(before) + b"".join(map(framed, pieces)))
        found = Salvage(file)
        assert list(found.pieces((piece.key for piece in pieces), 0)) == pieces
        assert found.runs == {1}


def test_a_long_goal_is_stored_whole(cli: Cli) -> None:
    goal = "é\x01" * 5000
    cli.files({"plan.yaml": PLAN.replace("find the price", '"' + "é\\u0001" * 5000 + '"')})
    assert cli("run", "plan.yaml", "-q").code == 0
    with Store.open(cli.store) as store:
        assert store.run(1).goal == goal
