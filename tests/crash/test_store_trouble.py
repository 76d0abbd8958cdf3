"""A store that is full, read-only, torn or in use: one clear line, exit 3, and the other runs as they were."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from replanctl.store import RunStatus, Store
from replanctl.store.database import FILE_NAME
from tests.cli.conftest import DENIED, PLAN, Cli, Done
from tests.crash.child import Child, Fate, command, start

LONG = "goal: g\nsteps:\n" + "".join(f"  - {{id: {n}, tool: look, args: {{q: {n * n}}}}}\n" for n in range(1500))
SHOWN = ("show", "1", "--format", "json")


@pytest.fixture
def one_run(cli: Cli) -> Done:
    """What a run that is stored already shows."""
    cli.files({"long.yaml": LONG})
    assert cli("run", "plan.yaml", "-q").code == 0
    return cli(*SHOWN)


def test_on_a_full_disk_a_run_is_kept_as_far_as_there_was_room(cli: Cli, one_run: Done) -> None:
    words = ("run", "long.yaml", "--max-steps", "none", "--format", "json")
    room = (cli.store / FILE_NAME).stat().st_size + 40_000
    full = command(cli, *words, largest=room)
    assert full.done
    assert (full.code, full.done.out) == (3, "")
    said, way_out = full.done.err.splitlines()
    assert said in {f"replanctl: store/{FILE_NAME} {why}" for why in WHY_FULL}
    assert way_out.endswith("name another folder with --store, or keep nothing with --no-store")
    assert cli(*SHOWN) == one_run
    with Store.open(cli.store) as store:
        assert store.run(2).status is RunStatus.INTERRUPTED
    resumed = cli("resume", "2", "--format", "json")
    assert resumed.code == 0
    assert resumed.out.replace('"run":2', '"run":3') == cli(*words).out


WHY_FULL = ("can't grow: the disk is full", "can't be read or written")


@pytest.fixture
def in_the_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working folder that everybody may enter, as no folder of pytest is."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        yield
        Path("store").chmod(0o755)


def test_a_store_without_rights_can_be_read(cli: Cli, in_the_open: None) -> None:
    cli.files({"plan.yaml": PLAN, "denied.yaml": DENIED})
    assert cli("run", "plan.yaml", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    shown = cli("show", "2", "--format", "json")
    one_run = cli(*SHOWN)
    cli.store.chmod(0o555)
    (cli.store / FILE_NAME).chmod(0o444)
    for words in (("run", "plan.yaml"), ("resume", "2")):
        refused = command(cli, *words, powerless=True).done
        assert refused
        assert (refused.code, refused.out) == (3, "")
        assert refused.err.startswith(f"replanctl: store/{FILE_NAME} can't be ")
    assert command(cli, *SHOWN, powerless=True).done == one_run
    assert command(cli, "replay", "1", powerless=True).code == 0
    assert cli("show", "2", "--format", "json") == shown


def test_a_store_torn_anywhere_is_never_a_bug(cli: Cli, one_run: Done) -> None:
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    whole = (cli.store / FILE_NAME).read_bytes()
    verbs = (("runs",), SHOWN, ("replay", "1"), ("resume", "2", "-q"), ("run", "plan.yaml", "-q"))
    codes = set()
    for size in (*range(0, len(whole), 997), *range(0, len(whole), 4096)):
        for words in verbs:
            (cli.store / FILE_NAME).write_bytes(whole[:size])
            done = cli(*words)
            codes.add(done.code)
            assert done.code in (0, 1, 2, 3), (size, words, done)
            if done.code == 3:
                assert done.out == ""
                assert done.err.startswith("replanctl: ")
                assert (cli.store / FILE_NAME).read_bytes() == whole[:size]
    assert 3 in codes


def test_a_log_torn_anywhere_loses_no_more_than_its_end(cli: Cli) -> None:
    cli.files({"long.yaml": LONG})
    words = ("run", "long.yaml", "--max-steps", "none", "--format", "json")
    whole = cli(*words)
    shutil.rmtree(cli.store)
    assert command(cli, *words, transaction=4).killed
    torn = {path: path.read_bytes() for path in cli.store.iterdir()}
    log = cli.store / f"{FILE_NAME}-wal"
    assert len(torn[log]) > 10_000
    for size in range(0, len(torn[log]), len(torn[log]) // 12):
        for path, content in torn.items():
            path.write_bytes(content)
        log.write_bytes(torn[log][:size])
        (cli.store / f"{FILE_NAME}-shm").unlink()
        resumed = cli("resume", "--format", "json")
        with Store.open(cli.store) as store:
            assert len(store.runs()) == (resumed.code == 0)
        assert resumed == (whole if resumed.code == 0 else Done(2, "", NOTHING_YET))


NOTHING_YET = "replanctl: there are no runs in store\n  replanctl run PLAN makes the first\n"


def test_a_locked_store_is_waited_for_and_then_named(cli: Cli, one_run: Done) -> None:
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    other = sqlite3.connect(cli.store / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = [start(cli, "run", "plan.yaml"), start(cli, "resume", "2")]
    assert cli(*SHOWN) == one_run
    said = f"replanctl: store/{FILE_NAME} is locked by another process\n  wait for it to end; or name another folder "
    for child in waiting:
        ended = child.wait()
        assert ended.done
        assert (ended.code, ended.done.out) == (3, "")
        assert ended.done.err.startswith(said)
    other.execute("ROLLBACK")
    other.close()
    assert cli("run", "plan.yaml", "-q").code == 0
    with Store.open(cli.store) as store:
        assert [row.run for row in store.runs()] == [1, 2, 3]


def test_eight_writers_at_once_get_numbers_of_their_own(cli: Cli, one_run: Done) -> None:
    until = time.monotonic() + 2
    numbers: list[str] = []
    at_work: list[Child] = []
    while time.monotonic() < until or at_work:
        while time.monotonic() < until and len(at_work) < 8:
            at_work.append(start(cli, "run", "plan.yaml", "--format", "json", fate=Fate()))
        assert cli(*SHOWN) == one_run
        done = at_work.pop(0).wait().done
        assert done
        assert (done.code, done.err) == (0, "")
        numbers.append(done.out.partition('"run":')[2].partition(",")[0])
    with Store.open(cli.store) as store:
        rows = store.runs()
    assert sorted(map(int, numbers)) == [row.run for row in rows[1:]] == list(range(2, len(rows) + 1))
    assert {row.status for row in rows} == {RunStatus.COMPLETED}
    assert sorted(path.name for path in cli.store.iterdir() if path.name.endswith(".lock")) == []
