"""Command lines in a child process that dies at a chosen moment, as a power cut or `kill -9` would have it."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sqlite3
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import replanctl.cli.command
import replanctl.cli.toolbox  # noqa: F401 (once here, and not in each child)
from tests.cli.conftest import Cli, Done

KILLED = -signal.SIGKILL


class Ended(NamedTuple):
    """How a child ended: what its command line said (None when it was killed) and how many transactions it began."""

    code: int
    done: Done | None
    transactions: int

    @property
    def killed(self) -> bool:
        return self.code == KILLED


def command(cli: Cli, *words: str, dies_at: int = 0, largest_file: int = 0) -> Ended:
    """Obey a command line in a child process.

    It is killed when it begins its `dies_at`-th transaction (in the middle of one it would leave the same behind), and
    can write no file larger than `largest_file` bytes.
    """
    with tempfile.TemporaryFile() as report:
        pid = _fork()
        if pid == 0:
            _be_the_child(lambda: _obey(cli, words, dies_at, largest_file), report.fileno())
        _, status = os.waitpid(pid, 0)
        report.seek(0)
        told = report.read()
    code = os.waitstatus_to_exitcode(status)
    if code == KILLED:
        return Ended(code, None, dies_at)
    done, transactions = pickle.loads(told)
    assert isinstance(done, Done), done
    return Ended(done.code, done, transactions)


def _fork() -> int:
    with warnings.catch_warnings():  # pytest-xdist has threads of its own; the child uses none of their locks
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _be_the_child(work: Callable[[], Any], report: int) -> None:
    try:
        told = work()
    except BaseException:
        told = (traceback.format_exc(), 0)
    os.lseek(report, 0, os.SEEK_SET)
    with os.fdopen(os.dup(report), "wb") as file:
        pickle.dump(told, file)
    os._exit(0)


def _obey(cli: Cli, words: tuple[str, ...], dies_at: int, largest_file: int) -> tuple[Done, int]:
    seen = 0

    def count(statement: str) -> None:
        nonlocal seen
        if statement == "BEGIN IMMEDIATE":
            seen += 1
            if seen == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)

    class Watched(sqlite3.Connection):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.set_trace_callback(count)

        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if "synchronous" in sql:  # what is killed leaves the disk's own memory alone: no test waits for the disk
                sql = "PRAGMA synchronous = OFF"
            return super().execute(sql, *values)

    sqlite3.connect = partial(sqlite3.connect, factory=Watched)  # of this process, which ends with it
    if largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))
    return cli(*words), seen
