"""How far reading has come is told on a terminal only."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from replanctl.cli.app import main
from replanctl.cli.world import World
from tests.traces.making import run


class Terminal(io.StringIO):
    """A stream that says that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def told(tmp_path: Path, size: int, stderr: io.StringIO, *words: str) -> str:
    line = json.dumps(run(("look", {}, "x" * 1000)))
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{line}\n" * (size // len(line)))
    stdout = io.TextIOWrapper(io.BytesIO(), "utf-8")
    world = World(io.StringIO(), stdout, stderr, {}, lambda: "")
    main(["import", str(path), "-o", str(tmp_path / "out"), "--select", "it", *words], world)
    return stderr.getvalue()


def test_a_big_file_on_a_terminal(tmp_path: Path) -> None:
    said = told(tmp_path, 1_200_000, Terminal())
    assert "\r  reading [" in said
    assert "100 %" in said
    assert said.endswith("\r")
    assert "\n" not in said


@pytest.mark.parametrize("words", [("-q",), ("--format", "json")])
def test_not_where_nobody_asked(words: tuple[str, ...], tmp_path: Path) -> None:
    assert told(tmp_path, 1_200_000, Terminal(), *words) == ""


def test_not_in_a_file_or_for_a_small_one(tmp_path: Path) -> None:
    assert told(tmp_path, 1_200_000, io.StringIO()) == ""
    assert told(tmp_path, 5_000, Terminal()) == ""
