"""No test may ever keep a run in the folder it happens to be started from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from replanctl.cli.world import STORE_VARIABLE
from tests.cli.conftest import Cli

ROOT = Path(__file__).parent.parent

os.environ[STORE_VARIABLE] = ""  # an empty name is refused, also in what tests start as a process


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
