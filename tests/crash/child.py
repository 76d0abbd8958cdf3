"""Command lines in child processes that die at a chosen moment, as a power cut or `kill -9` would have it."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sqlite3
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import IO, Any, NamedTuple

from replanctl.cli.app import load_verb
from tests.cli.conftest import Cli, Done

for verb in ("run", "resume", "replay"):  # once here, and not in each child
    load_verb(verb)
for module in ("command", "toolbox"):
    import_module(f"replanctl.host.{module}")

KILLED = -signal.SIGKILL
NOBODY = 65534  # a user without rights


class Ended(NamedTuple):
    """How a child ended: what its command line said (None when it was killed), and how often it came near its death."""

    code: int
    done: Done | None
    near: int

    @property
    def killed(self) -> bool:
        return self.code == KILLED


class Fate(NamedTuple):
    """What is in store for a child.

    It is killed when it begins its `transaction`-th transaction (in the middle of one it would leave the same behind),
    or at its `step`-th step (an audit event) with a file whose name holds `file`. It may write no file larger than
    `largest` bytes, and has no rights when it is `powerless`.
    """

    transaction: int = 0
    step: int = 0
    file: str = ""
    largest: int = 0
    powerless: bool = False


LONG_LIFE = Fate()


class Child(NamedTuple):
    """A child at work."""

    pid: int
    report: IO[bytes]
    fate: Fate

    def wait(self) -> Ended:
        """How it ended."""
        _, status = os.waitpid(self.pid, 0)
        with self.report as report:
            report.seek(0)
            told = report.read()
        code = os.waitstatus_to_exitcode(status)
        if code == KILLED:
            return Ended(code, None, self.fate.transaction or self.fate.step)
        done, near = pickle.loads(told)
        assert isinstance(done, Done), done
        return Ended(done.code, done, near)


def start(cli: Cli, *words: str, fate: Fate = LONG_LIFE) -> Child:
    """Obey a command line in a child process."""
    report = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `wait`)
    with warnings.catch_warnings():  # pytest-xdist has threads of its own; the child uses none of their locks
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _be_the_child(lambda: _obey(cli, words, fate), report)
    return Child(pid, report, fate)


def command(cli: Cli, *words: str, **fate: Any) -> Ended:
    """Obey a command line in a child process, to its end."""
    return start(cli, *words, fate=Fate(**fate)).wait()


def _be_the_child(work: Callable[[], Any], report: IO[bytes]) -> None:
    try:
        told = work()
    except BaseException:
        told = (traceback.format_exc(), 0)
    report.write(pickle.dumps(told))
    report.flush()
    os._exit(0)


def _obey(cli: Cli, words: tuple[str, ...], fate: Fate) -> tuple[Done, int]:
    near = 0

    def come_near(deadly: int) -> None:
        nonlocal near
        near += 1
        if near == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def step(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(("open", "os.", "tempfile.")) and any(fate.file in str(arg) for arg in args):
            come_near(fate.step)

    class Watched(sqlite3.Connection):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            if not fate.file:
                self.set_trace_callback(lambda sql: come_near(fate.transaction) if sql == "BEGIN IMMEDIATE" else None)

        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if "synchronous" in sql:  # what is killed leaves the disk's own memory alone: no test waits for the disk
                sql = "PRAGMA synchronous = OFF"
            return super().execute(sql, *values)

    sqlite3.connect = partial(sqlite3.connect, factory=Watched)  # of this process, which ends with it
    if fate.file:
        sys.addaudithook(step)
    if fate.largest:
        resource.setrlimit(resource.RLIMIT_FSIZE, (fate.largest, resource.RLIM_INFINITY))
    if fate.powerless and os.geteuid() == 0:
        os.setuid(NOBODY)
    return cli(*words), near
