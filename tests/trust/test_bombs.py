"""Files made to hang, fill or break whatever reads them: each is refused in words or rehearsed, within bounds.

Every row of `bombs.py` runs as a process of its own and is measured there.
"""

from __future__ import annotations

import gzip
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from replanctl.errors import InputError
from replanctl.files import load_plan
from tests.pace import TRIES
from tests.trust.bombs import PLANS, RUN, STEP, YAML, Bomb
from tests.trust.measured import Measured, measured
from tests.trust.schema_bombs import SCHEMAS, given

PROBLEM = re.compile(r"^(.*?)(?::(\d+):(\d+))?: (error|warning) \[([a-z0-9-]+)\] ", re.MULTILINE)


@pytest.fixture
def obey(tmp_path: Path) -> Callable[..., Measured]:
    """A command line in a process of its own; in another one while it takes more than `most` seconds."""

    def obeyed(*words: str | Path, stdin: bytes = b"", most: float = 1.0) -> Measured:
        tries = (measured(tmp_path / "figures.json", *words, stdin=stdin) for _ in range(TRIES))
        done = next(tries)
        while done.figures.seconds > most and (again := next(tries, None)):
            done = again
        return done

    return obeyed


@pytest.mark.parametrize("bomb", [*YAML, *PLANS, *SCHEMAS], ids=lambda bomb: bomb.name)
def test_a_bomb(
    bomb: Bomb, tmp_path: Path, store_folder: Path, obey: Callable[..., Measured], request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "bomb.yaml"
    made = bomb.make()
    path.write_bytes(made if isinstance(made, bytes) else made.encode())
    done = obey("run", path, "--format", "json", most=bomb.seconds)
    request.node.user_properties.append(("bomb", (bomb.name, done.figures.seconds, done.figures.megabytes)))
    check(done, bomb.rules, store_folder)
    assert done.figures.seconds <= bomb.seconds
    assert done.figures.megabytes <= bomb.megabytes


def check(done: Measured, rules: str, store: Path) -> None:
    """It was rehearsed, or it was refused by exactly these rules, in their places, and nothing was kept."""
    assert "Traceback" not in done.err
    assert max(map(len, done.err.splitlines()), default=0) < 1000
    if rules == RUN:
        assert (done.code in (0, 1), done.err, store.exists()) == (True, "", True)
        return
    found = [match.groups() for match in PROBLEM.finditer(done.err) if match[4] == "error"]
    assert (done.code, store.exists()) == (2, False)
    assert sorted(rule for *_, rule in found) == sorted(listed(rules))
    if not rules.endswith("@0"):
        assert all(int(line) >= 1 and int(column) >= 1 for _, line, column, *_ in found)


def listed(rules: str) -> Iterator[str]:
    """`a*3 b` as `a a a b`; `@0` says that there is no place to name."""
    for word in rules.removesuffix("@0").split():
        rule, _, times = word.partition("*")
        yield from [rule] * int(times or 1)


# -- what is no file, or not for long ----------------------------------------------------------------------------------


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def gone(path: Path) -> Path:
    path.write_text(STEP)
    path.unlink()
    return path


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


def locked(path: Path) -> Path:
    path.write_text(STEP)
    path.chmod(0)
    return path


def bound(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(path))  # its name has to be short
    return path


NO_FILES: list[tuple[str, Callable[[Path], Path], str]] = [
    ("a folder", folder, "not-a-file@0"),
    ("a pipe that nobody writes to", pipe, "not-a-file@0"),
    ("/dev/zero", lambda path: Path("/dev/zero"), "not-a-file@0"),
    ("/dev/null", lambda path: Path("/dev/null"), "not-a-file@0"),
    ("a socket", bound, "unreadable@0"),
    ("a link to itself", loop, "unreadable@0"),
    ("a file that is gone", gone, "unreadable@0"),
    ("a file in a file", lambda path: Path(__file__) / "x", "unreadable@0"),
    ("a name that is too long", lambda path: Path("x" * 300), "unreadable@0"),
    ("a file that is longer than it says", lambda path: Path("/proc/self/status"), "changed@0"),
    ("a file without rights", locked, "unreadable@0"),
]
# A lesson book that is not there yet is an empty one; it has to be possible to make it.
NO_BOOKS = {
    "a file that is gone": RUN,
    "a link to itself": "unwritable@0",
    "a file in a file": "unwritable@0",
    "a name that is too long": "unwritable@0",
}


@pytest.mark.parametrize("option", ["PLAN", "--outcomes", "--policy", "--lessons"])
@pytest.mark.parametrize(("name", "make", "rules"), NO_FILES, ids=[name for name, *_ in NO_FILES])
def test_what_is_no_file(
    name: str,
    make: Callable[[Path], Path],
    rules: str,
    option: str,
    tmp_path: Path,
    store_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    obey: Callable[..., Measured],
) -> None:
    if make is locked and os.geteuid() == 0:
        pytest.skip("file modes don't stop root")
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(STEP)
    path = make(tmp_path / "it")
    done = obey("run", *((path,) if option == "PLAN" else ("plan.yaml", option, path)))
    check(done, NO_BOOKS.get(name, rules) if option == "--lessons" else rules, store_folder)
    assert done.figures.seconds < 1


def test_an_endless_standard_input(store_folder: Path, obey: Callable[..., Measured]) -> None:
    done = obey("run", "-", stdin=b"x" * (65 << 20))
    check(done, "too-large@0", store_folder)
    assert done.figures.megabytes < 300


PACKED = gzip.compress(b"[" * (64 << 20), 1)
ENDLESS = {
    "packed": lambda path: path.write_bytes(PACKED * 9),
    "packed, in a document": lambda path: path.write_bytes(gzip.compress(b"[\n[\n") + PACKED * 9),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("make", ENDLESS.values(), ids=ENDLESS)
def test_a_recording_without_an_end(
    make: Callable[[Path], None], tmp_path: Path, obey: Callable[..., Measured]
) -> None:
    make(tmp_path / "it.json")
    done = obey("import", tmp_path / "it.json", "-o", tmp_path / "out", most=5.0)
    assert (done.code, done.figures.seconds < 5, done.figures.megabytes < 700) == (2, True, True), done


LONG = STEP + "".join(f"- {{id: {at}, tool: t}}\n" for at in range(2, 20_000))


@pytest.mark.parametrize("change", ["grow and shrink", "go and come", "another one"])
def test_a_file_that_changes_while_it_is_read_is_read_whole_or_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(LONG)
    over = threading.Event()
    thread = threading.Thread(target=CHANGES[change], args=(path, over))
    thread.start()
    try:
        seen = {read(path) for _ in range(30)}
    finally:
        over.set()
        thread.join()
    assert seen <= {1, 19_999, "changed", "unreadable"}
    assert seen & {1, 19_999}


def read(path: Path) -> int | str:
    """How many steps the plan has, or the rule that refused it."""
    try:
        return len(load_plan(path).steps)
    except InputError as error:
        return error.problems[0].rule


def grow_and_shrink(path: Path, over: threading.Event) -> None:
    while not over.wait(0.001):
        os.truncate(path, len(STEP))
        over.wait(0.02)
        with path.open("r+") as file:
            file.write(LONG)
        over.wait(0.02)


def go_and_come(path: Path, over: threading.Event) -> None:
    while not over.wait(0.01):
        path.unlink()
        over.wait(0.001)
        path.with_suffix(".new").write_text(LONG)
        path.with_suffix(".new").rename(path)


def another_one(path: Path, over: threading.Event) -> None:
    texts = [LONG, STEP]
    while not over.wait(0.001):
        path.with_suffix(".new").write_text(texts[0])
        path.with_suffix(".new").rename(path)
        texts.reverse()


CHANGES = {"grow and shrink": grow_and_shrink, "go and come": go_and_come, "another one": another_one}


def test_no_schema_is_fetched(tmp_path: Path, obey: Callable[..., Measured]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        away = f"http://127.0.0.1:{server.getsockname()[1]}/s.json"
        for schema in ({"$ref": away}, {"$id": away, "$ref": "other.json"}, {"$schema": away}, {"$id": away}):
            (tmp_path / "plan.yaml").write_text(given({**schema, "properties": {"a": {"$ref": "#"}}}, {"a": 1}))
            assert obey("run", tmp_path / "plan.yaml").code in (0, 1, 2)
        with suppress(BlockingIOError):
            server.accept()
            raise AssertionError("somebody asked for a schema")
