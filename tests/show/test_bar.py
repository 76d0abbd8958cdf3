"""How far reading, or a sweep, has come is told on a terminal only, and stands in nobody's way."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from replanctl.cli.app import main
from replanctl.cli.world import World
from replanctl.show import Progress
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


# -- a sweep -----------------------------------------------------------------------------------------------------------


def swept(total: int, *, pauses: tuple[int, ...] = (), fails_at: int | None = None) -> str:
    """What a bar writes while a table is written to the same terminal behind each pause, and behind the last session;
    the clock goes on by a second a session."""
    stream, ticks = Terminal(), count()
    with suppress(KeyboardInterrupt), Progress(stream, total, lambda: next(ticks), pauses=pauses) as bar:
        for done in range(1, total + 1):
            if done == fails_at:
                raise KeyboardInterrupt
            bar.tell()
            if done in pauses or done == total:
                stream.write("TABLE\n")
    return stream.getvalue()


def seen(written: str) -> list[str]:
    """The lines that a terminal shows in the end: what is written behind a carriage return covers what stood there."""
    lines = []
    for line in written.split("\n"):
        shown: list[str] = []
        for part in line.split("\r"):
            shown[: len(part)] = part
        lines.append("".join(shown).rstrip())
    return lines


def test_a_table_is_written_where_the_bar_stood_and_nothing_is_left_of_it() -> None:
    assert "1 of 3" in swept(3)
    assert seen(swept(3)) == ["TABLE", "  3 sessions in 3.0s, 1 a second", ""]
    assert seen(swept(4, pauses=(2,))) == ["TABLE", "TABLE", "  4 sessions in 3.0s, 1 a second", ""]
    assert seen(swept(1)) == ["TABLE", "  1 session in 1.0s, 1 a second", ""]


def test_a_sweep_that_is_stopped_leaves_no_bar() -> None:
    assert seen(swept(3, fails_at=3)) == [""]
