"""No test may ever keep a run in the folder it happens to be started from."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from replanctl.cli.world import STORE_VARIABLE
from tests.cli.conftest import Cli

ROOT = Path(__file__).parent.parent

os.environ[STORE_VARIABLE] = ""  # an empty name is refused, also in what tests start as a process

# How wide and colourful a screen is, is the test's to say, also of what it starts as a process.
for _name in (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "GITHUB_ACTIONS",
    "PYTHONOPTIMIZE",
):
    os.environ.pop(_name, None)

# The same examples each time, so that a test that fails fails again, and however slow the machine is.
settings.register_profile("anywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anywhere")


@pytest.fixture(autouse=True)
def heard_signals() -> Iterator[None]:
    """Signals are heard in a test and in what it starts, also where the shell told the suite to ignore them (nohup).

    The suite itself goes on when its terminal is closed: its own handler for that does nothing.
    """
    handlers: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler, signal.SIGHUP: lambda number, frame: None
    }  # fmt: skip
    ignored = [number for number in handlers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, handlers[number])
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(autouse=True)
def store_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of this test alone."""
    folder = tmp_path / "store"
    monkeypatch.setenv(STORE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def root_cli(store_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line in the project's own folder, with the store of this test."""
    monkeypatch.chdir(ROOT)
    cli = Cli(Path())
    cli.environ[STORE_VARIABLE] = str(store_folder)
    return cli
