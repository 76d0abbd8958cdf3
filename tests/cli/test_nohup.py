"""Where a shell ignores signals for us (nohup, a job in the background), they stay so, and nothing waits for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.pace import PATIENCE, wait_until

DEAF = (signal.SIGINT, signal.SIGHUP)
STEPS = "[{id: 2, tool: ask}, {id: 3, tool: write}]"


def ignoring() -> None:
    for number in DEAF:
        signal.signal(number, signal.SIG_IGN)


def deaf(*words: str) -> subprocess.Popen[bytes]:
    """A command line whose parent ignores interrupts and hang-ups."""
    return subprocess.Popen(
        [sys.executable, "-m", "replanctl", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=ignoring, env={**os.environ, "REPLANCTL_STORE": "store"},
    )  # fmt: skip


@pytest.mark.parametrize("number", DEAF)
def test_a_run_in_the_background_goes_on(cli: Cli, number: int) -> None:
    cli.files({"planner.sh": f"touch asked\nsleep 1\necho '{STEPS}'\n"})
    process = deaf("run", "plan.yaml", "--outcomes", "shape.yaml", "--planner", "sh planner.sh", "-q")
    wait_until(Path("asked").exists)
    process.send_signal(number)
    out, complaint = process.communicate(timeout=PATIENCE)
    assert (process.returncode, complaint) == (0, b"")
    assert out.startswith(b"Goal met")


def test_a_job_in_the_background_can_be_terminated(cli: Cli) -> None:
    cli.files({"planner.sh": "touch asked\nsleep 30\n"})
    process = deaf("run", "plan.yaml", "--outcomes", "shape.yaml", "--planner", "sh planner.sh", "-q")
    wait_until(Path("asked").exists)
    process.terminate()
    _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert complaint.startswith(b"replanctl: terminated\n")
