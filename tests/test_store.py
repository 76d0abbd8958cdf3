"""The store: numbers, batches, crashes, several writers, and every way a store can be unusable."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl.errors import StoreError, UsageError
from replanctl.replan.lessons import Lesson
from replanctl.run.events import AnyEvent, StepStart
from replanctl.run.policy import Policy
from replanctl.run.result import LedgerTotals, LedgerView, SessionResult
from replanctl.store import Inputs, RunRow, RunStatus, RunWriter, SourceText, Store
from replanctl.store.database import FILE_NAME, SCHEMA_VERSION

LESSON = Lesson("v1 step 3 assumption: none; avoid: none", 2, "v1", "3", "assumption")
INPUTS = Inputs((SourceText("plan.yaml", "plan", "goal: g\n"),), Policy(max_parallel=2), (LESSON,), "0.1.0")
STARTED = "2026-01-02T03:04:05Z"

# Another process that begins a run, keeps two events, says so, and is killed in the middle of it.
WRITER = f"""
import sys, time
sys.path[:0] = {[str(Path(__file__).parent.parent)]!r}
from tests.test_store import *
with Store.open(Path(sys.argv[1]), create=True) as store, begin(store, batch=1) as run:
    keep_all(run, 2)
    print(run.run, flush=True)
    time.sleep(60)
"""


def begin(store: Store, *, batch: int = 1000) -> RunWriter:
    return store.begin(INPUTS, goal="g", started=STARTED, batch=batch)


def event(seq: int) -> StepStart:
    return StepStart(seq, 1.5 * seq, "v1", "1", "look", {"q": ["a", {"b": None}], "n": seq})


def keep_all(run: RunWriter, count: int) -> list[AnyEvent]:
    events: list[AnyEvent] = [event(seq) for seq in range(count)]
    for each in events:
        run.append(each)
    return events


def result(run: int, status: str = "completed") -> SessionResult:
    ledger = LedgerView((), LedgerTotals(400, 100, 500, 0.25))
    parts: dict[str, Any] = dict.fromkeys(("versions", "history", "revisions", "signals", "routes", "gates"), ())
    return SessionResult(
        1, run, "g", status, "goal_met", "", 4.0, **parts, variables={}, lessons=(), ledger=ledger,
        gaps=(), effects=(), handover=None, warnings=(),
    )  # fmt: skip


def finished_row(run: int) -> RunRow:
    return RunRow(run, STARTED, "g", RunStatus.COMPLETED, "goal_met", 4.0, 0, 500)


def unfinished_row(run: int, status: RunStatus) -> RunRow:
    return RunRow(run, STARTED, "g", status, None, None, None, None)


def one_run(folder: Path, events: int = 3) -> None:
    with Store.open(folder, create=True) as store, begin(store) as run:
        keep_all(run, events)
        run.finish(result(run.run))


def test_a_run_comes_back_whole(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a" / "b", create=True) as store, begin(store) as run:
        events = keep_all(run, 2500)
        run.effect(1, "tool", {"value": [1, None]})
        run.effect(2, "planner", ["s1"])
        run.finish(result(run.run))
    with Store.open(tmp_path / "a" / "b") as store:
        assert store.latest() == store.run(1) == finished_row(1)
        assert store.runs() == [finished_row(1)]
        assert store.inputs(1) == INPUTS
        assert list(store.events(1)) == events
        assert store.effects(1) == [(1, "tool", {"value": [1, None]}), (2, "planner", ["s1"])]
        assert (store.document(1) or b"").startswith(b'{"schema_version":1,"run":1,"goal":"g","status":"completed"')


def test_runs_are_numbered_and_only_the_folder_is_written(tmp_path: Path) -> None:
    for _ in range(3):
        one_run(tmp_path / "runs")
    with Store.open(tmp_path / "runs") as store:
        assert [row.run for row in store.runs()] == [1, 2, 3]
        assert store.latest().run == 3
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["runs", FILE_NAME]


@pytest.mark.parametrize(("batch", "seen"), [(1, 3), (2, 2), (1000, 0)])
def test_events_are_on_disk_batch_by_batch(tmp_path: Path, batch: int, seen: int) -> None:
    with Store.open(tmp_path, create=True) as store, begin(store, batch=batch) as run:
        keep_all(run, 3)
        with Store.open(tmp_path) as reader:
            assert len(list(reader.events(1))) == seen
            assert reader.run(1) == unfinished_row(1, RunStatus.RUNNING)
        run.finish(result(1))


def test_a_run_that_is_broken_off_keeps_what_had_happened(tmp_path: Path) -> None:
    with Store.open(tmp_path, create=True) as store:
        with pytest.raises(KeyboardInterrupt), begin(store) as run:
            keep_all(run, 3)
            raise KeyboardInterrupt
        assert store.run(1) == unfinished_row(1, RunStatus.INTERRUPTED)
        assert len(list(store.events(1))) == 3
        assert store.document(1) is None


def test_a_living_writer_is_told_from_a_killed_one(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    with Store.open(tmp_path) as store:
        assert store.run(1) == unfinished_row(1, RunStatus.RUNNING)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
        assert store.run(1) == unfinished_row(1, RunStatus.INTERRUPTED)
        assert list(store.events(1)) == [event(0), event(1)]
    one_run(tmp_path)
    with Store.open(tmp_path) as store:
        assert store.latest() == finished_row(2)


def test_eight_writers_get_eight_numbers(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent.parent)]!r}\n"
        f"from tests.test_store import *\n"
        f"for _ in range(5): one_run(Path({str(tmp_path)!r}), events=20)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    with Store.open(tmp_path) as store:
        assert store.runs() == [finished_row(n) for n in range(1, 41)]
        assert [len(list(store.events(n))) for n in range(1, 41)] == [20] * 40


def test_a_store_that_is_not_there_reads_as_an_empty_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "none") as store:
        assert store.runs() == []
        for ask in (store.latest, lambda: store.run(1), lambda: store.inputs(1), lambda: store.result(1)):
            with pytest.raises(UsageError, match=r"^there (are no runs|is no run 1) in .*none$"):
                ask()
    assert not (tmp_path / "none").exists()


def spoil_header(path: Path) -> None:
    path.write_bytes(b"not a database at all\n" * 400)


def spoil_pages(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))


def truncate(path: Path) -> None:
    os.truncate(path, 5000)


def make_newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()


def make_foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE songs (title)")
    db.close()


SPOILERS: list[tuple[Callable[[Path], None], str]] = [
    (spoil_header, "is not a run store"),
    (spoil_pages, "is damaged"),
    (truncate, "is damaged"),
    (make_newer, f"was written by a newer replanctl: its format is {SCHEMA_VERSION + 1}, this one knows 1"),
    (make_foreign, "is not a run store"),
]


@pytest.mark.parametrize(("spoil", "words"), SPOILERS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("create", [True, False], ids=["write", "read"])
def test_a_spoiled_store_is_named_and_left_alone(
    tmp_path: Path, spoil: Callable[[Path], None], words: str, create: bool
) -> None:
    one_run(tmp_path, events=200)
    spoil(tmp_path / FILE_NAME)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(StoreError) as caught, Store.open(tmp_path, create=create) as store:
        list(store.events(1))
    assert str(caught.value) == f"{tmp_path / FILE_NAME} {words}"
    assert caught.value.hint
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_damaged_events_leave_the_other_runs_readable(tmp_path: Path) -> None:
    one_run(tmp_path)
    one_run(tmp_path)
    with sqlite3.connect(tmp_path / FILE_NAME) as db:
        db.execute("UPDATE events SET body = substr(body, 1, length(body) - 3) WHERE run = 1")
    db.close()
    with Store.open(tmp_path) as store:
        with pytest.raises(StoreError, match=r"run 1 in .* is damaged"):
            list(store.events(1))
        assert len(list(store.events(2))) == 3


@pytest.mark.parametrize("keep", [0, 1, 5, 7])
@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_a_reopened_run_goes_on_from_what_is_kept(tmp_path: Path, batch: int, keep: int) -> None:
    with Store.open(tmp_path, create=True) as store:
        with begin(store, batch=batch) as run:
            kept = keep_all(run, 7)
        later = msgspec.structs.replace(INPUTS, made_by="0.2.0")
        with store.reopen(1, batch=batch) as run:
            run.go_on(later, list(store.event_lines(1))[:keep])
            assert list(store.events(1)) == kept[:keep]
            run.append(event(keep))
            run.finish(result(1))
        assert list(store.events(1)) == [*kept[:keep], event(keep)]
        assert (store.run(1), store.inputs(1)) == (finished_row(1), later)


def limited(folder: Path, *pragmas: str) -> Store:
    """A store over a connection of its own, that something is wrong with."""
    db = sqlite3.connect(folder / FILE_NAME, timeout=0, isolation_level=None)
    for pragma in pragmas:
        db.execute(f"PRAGMA {pragma}")
    return Store(db, folder)


@pytest.mark.parametrize(
    ("pragma", "words"),
    [
        ("max_page_count = 1", "can't grow: the disk is full"),
        ("query_only = 1", "can't be written: it is read-only"),
    ],
)
def test_a_store_that_takes_no_more_can_still_be_read(tmp_path: Path, pragma: str, words: str) -> None:
    one_run(tmp_path)
    with limited(tmp_path, pragma) as store:
        with pytest.raises(StoreError) as caught, begin(store) as run:
            keep_all(run, 5000)
        assert str(caught.value) == f"{tmp_path / FILE_NAME} {words}"
    with Store.open(tmp_path) as store:
        assert store.run(1) == finished_row(1)
        assert list(store.events(1)) == [event(0), event(1), event(2)]


def test_a_locked_store_can_still_be_read(tmp_path: Path) -> None:
    one_run(tmp_path)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(tmp_path, create=True, patience=0.05) as store:
        with pytest.raises(StoreError, match=r"is locked by another process$"):
            begin(store)
        assert store.latest() == finished_row(1)
    other.close()
    one_run(tmp_path)
    with Store.open(tmp_path) as store:
        assert store.latest() == finished_row(2)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder, words in [(file, "is a file: runs are kept in a folder"), (file / "deeper", "can't be made")]:
        with pytest.raises(StoreError, match=words):
            Store.open(folder, create=True)
    assert file.read_text() == "mine"
