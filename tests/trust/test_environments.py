"""Whatever surrounds it, a session comes to the same: the same bytes in JSON, the same words in text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pexpect
import pytest

from replanctl.cli.world import STORE_VARIABLE
from tests.cli.conftest import Done
from tests.conftest import ROOT
from tests.pace import PATIENCE
from tests.trust import hostile
from tests.trust.conftest import WideCli
from tests.trust.hostile import PAYLOADS
from tests.trust.terminal import COLOUR, as_written, look
from tests.trust.test_hostile_text import SCREENS

PLAN = ROOT / "plans" / "chinese.yaml"
UTF8 = {"LC_ALL": "C.UTF-8"}
BARE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # or Python would use UTF-8 all the same

# What surrounds a command that writes to no terminal, and the encoding it writes in.
SURROUNDINGS = {
    "LC_ALL=C": ({"LC_ALL": "C"}, "utf-8"),
    "LC_ALL=C, ASCII": (BARE, "ascii"),
    "LC_ALL=POSIX": ({"LC_ALL": "POSIX"}, "utf-8"),
    "ascii": ({**UTF8, "PYTHONIOENCODING": "ascii"}, "ascii"),
    "ascii, strict": ({**UTF8, "PYTHONIOENCODING": "ascii:strict"}, "ascii"),
    "cp1252": ({**UTF8, "PYTHONIOENCODING": "cp1252"}, "cp1252"),
    "gbk": ({**UTF8, "PYTHONIOENCODING": "gbk"}, "gbk"),
    "utf-16": ({**UTF8, "PYTHONIOENCODING": "utf-16"}, "utf-16"),
    "NO_COLOR": ({**UTF8, "NO_COLOR": "1"}, "utf-8"),
    "CLICOLOR_FORCE": ({**UTF8, "CLICOLOR_FORCE": "1", "PY_COLORS": "1"}, "utf-8"),
    "FORCE_COLOR, NO_COLOR": ({**UTF8, "FORCE_COLOR": "1", "NO_COLOR": "1"}, "utf-8"),
    "FORCE_COLOR=0": ({**UTF8, "FORCE_COLOR": "0"}, "utf-8"),
    "GITHUB_ACTIONS": ({**UTF8, "GITHUB_ACTIONS": "true", "CI": "true"}, "utf-8"),
    "TERM=dumb": ({**UTF8, "TERM": "dumb"}, "utf-8"),
    "LINES": ({**UTF8, "LINES": "5"}, "utf-8"),
    "COLUMNS, no number": ({**UTF8, "COLUMNS": "-20"}, "utf-8"),
    "unbuffered": ({**UTF8, "PYTHONUNBUFFERED": "1"}, "utf-8"),
    "hash seed": ({**UTF8, "PYTHONHASHSEED": "7", "TZ": "Asia/Kathmandu"}, "utf-8"),
}
COMMANDS = {
    "json": ["run", str(PLAN), "--no-store", "--format", "json"],
    "text": ["run", str(PLAN), "--no-store"],
    "wrong": ["validate", "wrong.yaml"],
}
WRONG = "goal: 目标\nsteps: [{id: 1, tool: 查, 动作: 看, on_failure: 跳}]\n"


def environ(more: Mapping[str, str]) -> dict[str, str]:
    """An environment with nothing in it but what a process needs, and `more`."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ}
    return {**kept, STORE_VARIABLE: "store", **more}


def said(words: list[str], folder: Path, more: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """How a command ends and what it writes to two pipes."""
    command = [sys.executable, "-m", "replanctl", *words]
    done = subprocess.run(command, cwd=folder, env=environ(more), capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def stored(wide: WideCli) -> WideCli:
    """A command line with one stored run."""
    assert wide("run", PLAN, "-q").code == 0
    return wide


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, bytes, bytes]]:
    """What the commands say where everything is as usual."""
    folder = tmp_path_factory.mktemp("usual")
    (folder / "wrong.yaml").write_text(WRONG, encoding="utf-8")
    return {name: said(words, folder, UTF8) for name, words in COMMANDS.items()}


def test_the_usual(usual: dict[str, tuple[int, bytes, bytes]]) -> None:
    assert {name: code for name, (code, _, _) in usual.items()} == {"json": 0, "text": 0, "wrong": 1}
    assert json.loads(usual["json"][1])["goal"].startswith("比较三家")
    assert "查询厂商甲的单价" in usual["text"][1].decode()


@pytest.mark.parametrize(("more", "encoding"), SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_the_verdict_is_the_same(
    tmp_path: Path, usual: dict[str, tuple[int, bytes, bytes]], more: dict[str, str], encoding: str
) -> None:
    (tmp_path / "wrong.yaml").write_text(WRONG, encoding="utf-8")
    found = {name: said(words, tmp_path, more) for name, words in COMMANDS.items()}
    assert found["json"] == usual["json"]
    for name in ("text", "wrong"):
        code, out, err = found[name]
        assert (code, err) == (usual[name][0], b"")
        text, expected = out.decode(encoding), usual[name][1].decode()
        if encoding == "utf-8":
            assert text == expected
        assert b"\x1b" not in out and "Traceback" not in text
        assert text.count("\n") >= expected.count("\n")
        assert sum(map(text.count, "0123456789")) >= sum(map(expected.count, "0123456789"))


@pytest.mark.parametrize("columns", [20, 80, 400])
def test_columns_and_colour_that_are_asked_for_change_nothing_but_the_look(
    tmp_path: Path, usual: dict[str, tuple[int, bytes, bytes]], columns: int
) -> None:
    (tmp_path / "wrong.yaml").write_text(WRONG, encoding="utf-8")
    more = {**UTF8, "FORCE_COLOR": "1", "COLUMNS": str(columns)}
    found = {name: said(words, tmp_path, more) for name, words in COMMANDS.items()}
    assert found["json"] == usual["json"]
    seen = look(found["text"][1].decode(), columns)
    assert (found["text"][0], found["text"][2], set(seen.acts)) == (usual["text"][0], b"", {COLOUR})
    assert seen.widest <= columns
    if columns == 80:
        assert seen.text == as_written(usual["text"][1].decode())


@pytest.mark.parametrize("form", ["mermaid", "dot", "markdown"])
def test_what_others_read_is_written_in_utf_8(stored: WideCli, form: str) -> None:
    words = ["diff", "v1", "v2", "--format", form] if form == "markdown" else ["graph", "1", "--format", form]
    code, out, err = said(words, stored.folder, {**UTF8, "PYTHONIOENCODING": "ascii"})
    assert (code, out.decode(), err) == (0, stored(*words).out, b"")


# -- on a terminal ----------------------------------------------------------------------------------------------------


def on_terminal(words: list[str], folder: Path, columns: int, more: Mapping[str, str]) -> Done:
    """How a command ends and what it writes to a terminal of so many columns."""
    child = pexpect.spawn(
        sys.executable, ["-m", "replanctl", *words], cwd=str(folder), dimensions=(40, columns), timeout=PATIENCE,
        env=environ({**UTF8, "TERM": "xterm-256color", **more}), encoding="utf-8", codec_errors="strict",
    )  # fmt: skip
    out = child.read()
    child.close()
    return Done(child.exitstatus, out.replace("\r\n", "\n"), "")


LOOKED_AT = {
    "run": (["run", str(PLAN)], 0, {"✓": "green", "✗": "red"}),
    "diff": (["diff", "v2", "v1"], 0, {"+": "green", "~": "brown"}),
    "diff of files": (["diff", str(PLAN), str(ROOT / "plans" / "render.yaml")], 0, {"+": "green", "-": "red"}),
    "cost": (["cost", "--steps", "8", "--fail", "4"], 0, {"█": "blue", "░": "magenta"}),
}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(("words", "code", "colours"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_a_terminal_shows_the_text_in_colour(
    stored: WideCli, words: list[str], code: int, colours: dict[str, str], columns: int
) -> None:
    stored.columns = columns
    plain = stored(*words, "--color", "never").out.replace("run 2", "run 3")
    done = on_terminal(words, stored.folder, columns, {})
    seen = look(done.out, columns)
    assert (done.code, set(seen.acts)) == (code, {COLOUR})
    assert seen.text == as_written(plain)
    assert seen.widest <= columns
    for mark, colour in colours.items():
        assert colour in seen.colours_of(mark)
    assert seen.after == "default"  # nothing is left behind for the prompt


PLAIN = {
    "NO_COLOR": {"NO_COLOR": "1"},
    "NO_COLOR beats FORCE_COLOR": {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    "TERM=dumb": {"TERM": "dumb"},
}


@pytest.mark.parametrize("more", PLAIN.values(), ids=PLAIN)
def test_a_terminal_without_colour(stored: WideCli, more: dict[str, str]) -> None:
    done = on_terminal(["diff", "v1", "v2"], stored.folder, 80, more)
    assert done == stored("diff", "v1", "v2")


@pytest.mark.parametrize("more", [{"FORCE_COLOR": "0"}, {"GITHUB_ACTIONS": "true"}, {"COLUMNS": "x"}], ids=str)
def test_a_terminal_is_coloured_whatever_else_is_set(stored: WideCli, more: dict[str, str]) -> None:
    assert on_terminal(["diff", "v1", "v2"], stored.folder, 80, more) == stored("diff", "v1", "v2", "--color", "always")


# -- of any width -----------------------------------------------------------------------------------------------------


@pytest.fixture(params=["Chinese", "bidi", "emoji"])
def rehearsed(wide: WideCli, request: pytest.FixtureRequest) -> Iterator[WideCli]:
    """A command line with the hostile plan in its folder, and run 1 of it in its store."""
    wide.files(hostile.files(PAYLOADS[request.param].raw))
    assert wide("run", "plan.yaml", "-q").code == 1
    yield wide


@pytest.mark.parametrize("columns", [1, 20, 33, 400])
def test_no_screen_is_wider_than_the_terminal(rehearsed: WideCli, columns: int) -> None:
    rehearsed.columns = columns
    for line in SCREENS:
        done = rehearsed(*line.split())
        assert done.code in (0, 1)
        if not line.startswith(("prompt", "validate", "coupling", "replay")):
            assert look(done.out, 2_000).widest <= max(columns, 20), (line, done.out)
