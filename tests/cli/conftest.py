"""The command line in a world of its own: no terminal, a fixed clock, a store of this test alone."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from replanctl.cli.app import main
from replanctl.cli.world import STORE_VARIABLE, World

NOW = "2026-01-02T03:04:05Z"

PLAN = """\
goal: find the price
steps:
  - {id: 1, tool: look, args: {at: a}}
  - {id: 2, tool: look, args: {at: b}}
  - {id: 3, action: write it up, tool: write, args: {text: "#E2"}}
"""
# Step 2 is replanned once; with this the session of PLAN completes, as it does without.
SHAPE = """\
outcomes:
  - match: {step: 2}
    returns: [{status: shape, message: no price, cause: sold by quote}, {status: ok, value: 7}]
"""
# Nobody may look at b: the session of PLAN is handed to a person.
DENIED = "outcomes: [{match: {step: 2}, returns: [denied]}]\n"


class Done(NamedTuple):
    """How a command line ended and what it said."""

    code: int
    out: str
    err: str


class Cli:
    """Obeys command lines in `folder`. The fields may be changed before a call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = folder / "store"
        self.environ: dict[str, str] = {STORE_VARIABLE: str(self.store)}
        self.now: Callable[[], str] = lambda: NOW
        self.stdout: Callable[[], io.BytesIO] = io.BytesIO

    def __call__(self, *words: str | Path, stdin: str = "") -> Done:
        out, err = self.stdout(), io.BytesIO()
        given = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
        streams = [io.TextIOWrapper(each, "utf-8", newline="\n", write_through=True) for each in (out, err)]
        code = main([str(word) for word in words], World(given, *streams, self.environ, self.now))
        return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def files(self, texts: Mapping[str, str]) -> list[Path]:
        """Write these files into the folder."""
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        return [self.folder / name for name in texts]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """A command line in a folder with PLAN in it."""
    monkeypatch.chdir(tmp_path)
    cli = Cli(Path())
    cli.files({"plan.yaml": PLAN, "shape.yaml": SHAPE, "denied.yaml": DENIED})
    yield cli
