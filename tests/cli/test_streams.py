"""Odd surroundings: outputs that take nothing, folders that are gone, interrupts before there is anything to keep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.pace import PATIENCE

PROGRAM = f"{sys.executable} -m replanctl"
EXPECTING = "goal: g\nsteps: [{id: 1, tool: t}]\nexpect: {status: completed}\n"
FULL = "replanctl: the output can't be written: No space left on device\n  make room, or write elsewhere\n"


@pytest.fixture
def at(cli: Cli, tmp_path: Path) -> Path:
    """A folder with a plan and a test in it; every command line is run there."""
    cli.files({"expecting.yaml": EXPECTING})
    return tmp_path


def shell(folder: Path, line: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A line of shell, in which REPLANCTL is the program, as a user would type it."""
    environment = {**os.environ, "REPLANCTL_STORE": str(folder / "store"), **environ}
    words = ["sh", "-c", line.replace("REPLANCTL", PROGRAM)]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)


# A line, how it ends, and what is complained about.
LINES: list[tuple[str, int, str]] = [
    ("REPLANCTL --help > /dev/full", 3, FULL),
    ("REPLANCTL run --help > /dev/full", 3, FULL),
    ("REPLANCTL --version > /dev/full", 3, FULL),
    ("REPLANCTL validate plan.yaml > /dev/full", 3, FULL),
    ("REPLANCTL run plan.yaml > /dev/full", 3, FULL),
    ("REPLANCTL test expecting.yaml > /dev/full", 3, FULL),
    ("REPLANCTL run plan.yaml -q -o /dev/full", 3, FULL.replace("the output", "/dev/full")),
    ("REPLANCTL run plan.yaml --format json -o /dev/full", 3, FULL.replace("the output", "/dev/full")),
    ("REPLANCTL --version >&-", 0, ""),
    ("REPLANCTL run plan.yaml >&-", 0, ""),
    ("REPLANCTL test expecting.yaml >&-", 0, ""),
    ("REPLANCTL run nope.yaml 2> /dev/full", 2, ""),
    ("REPLANCTL run plan.yaml --outcomes denied.yaml -q 2> /dev/full", 1, ""),
    ("REPLANCTL run nope.yaml 2>&-", 2, ""),
    ("mkdir gone; cd gone; rmdir ../gone; REPLANCTL run ../plan.yaml --tools os --no-store", 2, "replanctl: the w"),
    ("REPLANCTL test expecting.yaml --junit /dev/full", 3, FULL.replace("the output", "/dev/full")),
    ("REPLANCTL test expecting.yaml --junit .", 2, ".: error [unwritable] can't be written: Is a directory"),
    (f"REPLANCTL test {'x' * 300}", 2, f"replanctl: there is no {'x' * 300}\n  name plans with"),
    ("PYTHONOPTIMIZE=2 REPLANCTL explain patch", 0, ""),
    ("PYTHONOPTIMIZE=2 REPLANCTL schema result", 0, ""),
    ("mkdir gone; cd gone; rmdir ../gone; REPLANCTL test ../expecting.yaml", 2, "replanctl: the working folder"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code", "said"), LINES, ids=[line[:50] for line, _, _ in LINES])
def test_a_line_ends_with_its_code_and_no_traceback(at: Path, line: str, code: int, said: str) -> None:
    done = shell(at, line)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said), done
    assert "Traceback" not in done.stderr + done.stdout
    assert said or done.stderr == ""


def test_a_result_goes_into_a_pipe_by_name(at: Path) -> None:
    straight = shell(at, "REPLANCTL run plan.yaml --format json --no-store").stdout
    assert shell(at, "REPLANCTL run plan.yaml --format json --no-store -o /dev/stdout | cat").stdout == straight
    for name, log in (("/dev/stdout", ">>"), ("/dev/stderr", "2>>"), ("/dev/fd/7", "7>>"), ("/proc/self/fd/7", "7>>")):
        (at / "log").write_text("so far\n")
        assert shell(at, f"REPLANCTL run plan.yaml --format json --no-store -o {name} {log} log").returncode == 0
        assert (at / "log").read_text() == f"so far\n{straight}"
    assert shell(at, "REPLANCTL run plan.yaml --no-store -o /dev/fd/9").returncode == 2
    assert shell(at, "REPLANCTL run plan.yaml --format json --no-store -o /dev/stderr").stderr == straight


@pytest.mark.parametrize("how", ["complete_bash", "complete_zsh", "complete_fish", "source_bash", "nothing"])
def test_a_completion_that_no_shell_asks_for_is_no_bug(at: Path, how: str) -> None:
    done = shell(at, "REPLANCTL", _REPLANCTL_COMPLETE=how)
    assert done.returncode in (0, 1, 2)
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


def interruptible() -> None:
    """In a child: an interrupt is heard, whatever the parent made of it (nohup, a job in the background)."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def started(at: Path) -> Iterator[Any]:
    """Starts the program and interrupts it after so many seconds."""
    environment = {**os.environ, "REPLANCTL_STORE": str(at / "store")}

    def start(after: float) -> tuple[int, str]:
        # From our own first line on: what comes before it is Python's, and nobody can answer for it.
        code = (
            "import sys; sys.path[:0] = {!r}; import replanctl.__main__ as ours; "
            "ours._answering_at_once(); print('up', flush=True); ours.entry()"
        )
        words = [sys.executable, "-c", code.format(sys.path), "run", "plan.yaml", "-q"]
        process = subprocess.Popen(
            words, cwd=at, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=interruptible,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=PATIENCE)
        return process.returncode, complaint

    yield start


@pytest.mark.parametrize("milliseconds", range(0, 100, 5))
def test_an_early_interrupt_is_answered_in_a_line(started: Any, milliseconds: int) -> None:
    code, complaint = started(milliseconds / 1000)
    assert code in (0, 130)
    assert "Traceback" not in complaint
    if code:
        assert complaint.splitlines()[0] == "replanctl: interrupted"


def test_nothing_said_shows_what_there_is_to_say(cli: Cli) -> None:
    done = cli()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: replanctl [OPTIONS] COMMAND [ARGS]...")
    assert all(f"\n  {verb} " in done.err for verb in ("run", "diff", "init"))
