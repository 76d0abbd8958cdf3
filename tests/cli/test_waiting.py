"""What a terminal shows while real tools and a planner are waited for, and that nothing of it is left."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.cli.conftest import Cli

PYTHON = sys.executable
PATIENCE = 60.0  # seconds until a test gives up

# Each tool waits until the test has seen enough: it goes on when there is a file with its name.
TOOLS = """
import logging, subprocess, time
from pathlib import Path

logging.basicConfig(format="%(message)s")

def until(name):
    while not Path(name).exists():
        time.sleep(0.01)

def look(at):
    until(f"look-{at}")
    if at == "b":
        raise KeyError(at)
    return at

def write(text):
    print("printed", text)
    until("unfinished")
    print("half a line", end="")
    until("more")
    print(" and the rest")
    logging.warning("logged")
    until("write")
    return text

def ask(who):
    until("ask")
    return who
"""
PLANNER = """
import time
from pathlib import Path
while not Path("plan").exists():
    time.sleep(0.01)
print("- {id: 2, action: ask sales, tool: ask, args: {who: 1}}")
print("- {id: 3, tool: ask, args: {who: '#E2'}}")
"""
EXPECTING = """\
goal: 查价格
steps: [{id: 1, action: 查一下, tool: look, args: {at: a}}]
expect: {status: completed}
"""


class Terminal:
    """A program on a terminal, and what stands there."""

    def __init__(self, folder: Path, line: str, columns: int, **environ: str) -> None:
        self._folder = folder
        self.screen = pyte.Screen(columns, 40)
        self._stream = pyte.ByteStream(self.screen)
        words = ["-c", line.replace("REPLANCTL", f"{PYTHON} -m replanctl").replace("PYTHON", PYTHON)]
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        environment = kept | {"TERM": "xterm", "REPLANCTL_STORE": "store", "LC_ALL": "C.UTF-8"} | environ
        self.child = pexpect.spawn("/bin/sh", words, cwd=str(folder), env=environment, dimensions=(40, columns))
        self.raw = b""

    @property
    def lines(self) -> list[str]:
        """What stands on it, line by line, without the empty ones. pyte gives a wide character a second, empty cell."""
        return [line.rstrip() for line in self.screen.display if line.strip()]

    def until(self, what: Callable[[list[str]], bool]) -> list[str]:
        """Read on until the terminal looks so."""
        end = time.monotonic() + PATIENCE
        while not what(self.lines):
            assert time.monotonic() < end, self.lines
            self._read()
        return self.lines

    def shows(self, pattern: str) -> list[str]:
        """Read on until one of its lines matches."""
        return self.until(lambda lines: any(re.search(pattern, line) for line in lines))

    def go(self, name: str) -> None:
        """Let a tool go on."""
        (self._folder / name).touch()

    def resize(self, columns: int) -> None:
        """Make the window as narrow, or as wide."""
        self.screen.resize(columns=columns)
        self.child.setwinsize(40, columns)

    def end(self) -> int:
        """Read on to the end; how the program ended."""
        end = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < end, self.lines
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus)

    def _read(self) -> bool:
        try:
            data = self.child.read_nonblocking(1 << 16, 0.05)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True


@pytest.fixture
def on_terminal(cli: Cli, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts a line of shell on a terminal; what is left of it is ended."""
    cli.files({"mine.py": TOOLS, "planner.py": PLANNER, "expecting.yaml": EXPECTING})
    begun: list[Terminal] = []

    def begin(line: str, columns: int = 80, **environ: str) -> Terminal:
        begun.append(Terminal(tmp_path, line, columns, **environ))
        return begun[-1]

    yield begin
    for each in begun:
        each.child.close(force=True)


RUN = "REPLANCTL run plan.yaml --tools mine"


def test_a_run_says_whom_it_waits_for_and_leaves_nothing_of_it(on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal(f"{RUN} --planner 'PYTHON planner.py' --max-tool-calls 5")
    terminal.shows(r"^  waiting [1-9]s for step 1, look · 0 of 3 done$")
    terminal.go("look-a")
    terminal.shows(r"^  waiting \ds for step 2, look · 1 of 3 done$")
    terminal.go("look-b")
    terminal.shows(r"^  waiting \ds \(of 1m\) for the planner, step 2 failed · 1 of 3 done$")
    terminal.go("plan")
    terminal.shows(r"^  waiting \ds for step 2, ask sales · 1 of 3 done$")
    terminal.go("ask")
    assert terminal.end() == 0
    assert not any("waiting" in line for line in terminal.lines)
    assert re.search(r"^  v1$", "\n".join(terminal.lines), re.MULTILINE)


def test_the_same_when_it_is_taken_up_again(on_terminal: Callable[..., Terminal]) -> None:
    first = on_terminal(f"{RUN} --max-steps 1")
    first.go("look-a")
    assert first.end() == 1
    terminal = on_terminal("REPLANCTL resume --tools mine --max-steps 3")
    terminal.shows(r"^  waiting \ds for step 2, look · 1 of 3 done · near limit: steps 2/3$")
    terminal.go("look-b")
    assert terminal.end() == 1
    assert not any("waiting" in line for line in terminal.lines)


def test_planning_takes_session_time(on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal(f"{RUN} --planner 'PYTHON planner.py' --format jsonl > events")
    for name in ("look-a", "look-b", "ask"):
        terminal.go(name)
    terminal.shows(r"waiting [1-9]s \(of 1m\) for the planner")
    terminal.go("plan")
    assert terminal.end() == 0
    told = Path("events").read_text().splitlines()
    at = {json.loads(line)["type"]: json.loads(line)["at"] for line in told}
    assert at["plan.draft"] - at["route"] > 0.9  # a second was shown, which began a moment before the planner did


def test_what_a_tool_prints_has_lines_of_its_own(on_terminal: Callable[..., Terminal]) -> None:
    Path("mine.py").write_text(TOOLS.replace('if at == "b"', "if False"))
    terminal = on_terminal(RUN, 60)
    for name in ("look-a", "look-b"):
        terminal.go(name)
    terminal.shows(r"^printed b$")
    terminal.shows(r"^  waiting \ds for step 3, write it up · 2 of 3 done$")
    terminal.go("unfinished")
    terminal.shows(r"^half a line$")  # and nothing is drawn into it
    terminal.go("more")
    lines = terminal.shows(r"^  waiting \ds for step 3, write it up · 2 of 3 done$")
    at = lines.index("printed b")
    assert lines[at : at + 3] == ["printed b", "half a line and the rest", "logged"]
    terminal.go("write")
    assert terminal.end() == 0
    assert not any("waiting" in line for line in terminal.lines)


@pytest.mark.parametrize("how", ["json", "jsonl"])
def test_a_document_is_the_same_bytes(on_terminal: Callable[..., Terminal], tmp_path: Path, how: str) -> None:
    terminal = on_terminal(f"{RUN} --format {how} --no-store > out")
    terminal.shows("waiting")
    for name in ("look-a", "look-b"):
        terminal.go(name)
    assert terminal.end() == 1
    assert b"\x1b" not in (out := (tmp_path / "out").read_bytes())
    assert b"waiting" not in out
    assert terminal.lines == []


SILENT = {
    "quiet": (f"{RUN} -q", {}),
    "piped": (f"{RUN} 2>&1 | cat", {}),
    "standard error in a file": (f"{RUN} 2> err", {}),
    "dumb": (RUN, {"TERM": "dumb"}),
    "scripted": ("REPLANCTL run plan.yaml", {}),
}


@pytest.mark.parametrize("how", SILENT)
def test_nothing_is_drawn(on_terminal: Callable[..., Terminal], tmp_path: Path, how: str) -> None:
    line, environ = SILENT[how]
    (tmp_path / "mine.py").write_text(
        "import time\ndef look(at):\n    time.sleep(0.8)\n    raise KeyError(at)\ndef write(text): ...\n"
    )
    terminal = on_terminal(line, **environ)
    assert terminal.end() in (0, 1)
    assert b"waiting" not in terminal.raw
    if (err := tmp_path / "err").exists():
        assert err.read_text() == ""


def test_an_interrupt_is_answered_at_once(on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal(f"exec {RUN}")  # or the shell would hear it too
    terminal.shows("waiting")
    terminal.child.sendintr()
    assert terminal.end() == 130
    assert "replanctl: interrupted" in terminal.lines
    assert not any("waiting" in line for line in terminal.lines)


def test_a_narrower_window_loses_nothing(on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal(RUN, 100)
    terminal.shows(r"waiting \ds for step 1, look · 0 of 3 done")
    assert terminal.screen.cursor.x == 0  # where the line begins: so it can be erased however a terminal folds it
    terminal.resize(30)
    terminal.shows(r"^  waiting \ds for step 1 · 0…$")
    terminal.go("look-a")
    terminal.shows(r"^  waiting \ds for step 2 · 1…$")
    assert any(line.startswith("  find the price") for line in terminal.lines)
    terminal.go("look-b")
    assert terminal.end() == 1
    assert not any("waiting" in line for line in terminal.lines)


def test_a_test_says_whom_it_waits_for_behind_what_pytest_has_written(on_terminal: Callable[..., Terminal]) -> None:
    terminal = on_terminal("REPLANCTL test expecting.yaml plan.yaml --tools mine")
    terminal.shows(r"  waiting \ds for step 1, .* · 0 of 1 done$")
    terminal.go("look-a")
    assert terminal.end() == 0
    assert any(re.search(r"\.\s+\[100%\]$", line) for line in terminal.lines)
    assert not any("waiting" in line for line in terminal.lines)
