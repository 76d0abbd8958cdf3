"""A command line on a terminal of any width, in a folder of its own."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Cli


class _Sized(io.BytesIO):
    """What is written is kept; asked for its size, it answers like the terminal it points to."""

    def __init__(self, terminal: int) -> None:
        super().__init__()
        self._terminal = terminal

    def fileno(self) -> int:
        return self._terminal


class WideCli(Cli):
    """A command line whose output is `columns` wide; 80 when nothing is said."""

    def __init__(self, folder: Path, terminal: int) -> None:
        super().__init__(folder)
        self._terminal = terminal
        self.stdout = lambda: _Sized(terminal)
        self.columns = 80

    @property
    def columns(self) -> int:
        return self._columns

    @columns.setter
    def columns(self, columns: int) -> None:
        self._columns = columns
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))


CELLS = "text cells checked"  # the property in which a test records how many texts it looked at on a screen


@pytest.fixture
def looked_at(request: pytest.FixtureRequest) -> Callable[[int], None]:
    """Record how many texts a test looked at; pytest's own `record_property` warns when a JUnit report is written."""
    return lambda cells: request.node.user_properties.append((CELLS, cells))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many texts were looked at in all."""
    reports = terminalreporter.getreports("passed")
    cells = sum(value for report in reports for name, value in report.user_properties if name == CELLS)
    if cells:
        terminalreporter.write_line(f"{CELLS}: {cells:,}")


@pytest.fixture
def wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WideCli]:
    """Such a command line."""
    monkeypatch.chdir(tmp_path)
    master, slave = pty.openpty()
    yield WideCli(Path(), slave)
    os.close(master)
    os.close(slave)
