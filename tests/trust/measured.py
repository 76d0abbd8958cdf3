"""A command line in a process of its own, with what it took: `python -m tests.trust.measured FIGURES WORDS…`.

The seconds are the processor's, as a quiet machine would spend them (`tests.pace`), and do not count the start of
Python. Nothing may take more than two gigabytes or two minutes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.pace import paced

_ROOT = Path(__file__).parents[2]
MEGABYTE = 1 << 20
_LIMITS = {resource.RLIMIT_AS: 2048 * MEGABYTE, resource.RLIMIT_CPU: 120}


class Figures(msgspec.Struct):
    """What a command line took. `megabytes` is the most memory it held at once; 0 where the system does not say."""

    code: int
    seconds: float
    megabytes: float


class Measured(NamedTuple):
    """How a command line ended, what it complained about, and what it took."""

    code: int
    err: str
    figures: Figures


def measured(figures: Path, *words: str | Path, stdin: bytes = b"") -> Measured:
    """Obey a command line in a process of its own. Its output is dropped, for it may be large."""
    command = [sys.executable, "-m", "tests.trust.measured", figures, *words]
    environ = {**os.environ, "PYTHONPATH": str(_ROOT)}
    done = subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environ)
    err = done.stderr.decode()
    assert figures.exists(), err
    return Measured(done.returncode, err, msgspec.json.decode(figures.read_bytes(), type=Figures))


def peak_megabytes() -> float:
    """The most memory this process ever held; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 / MEGABYTE for line in lines if line.startswith("VmHWM")), 0.0)


def main(figures: str, *words: str) -> int:
    """Obey the words and write down what it took."""
    from replanctl.cli.app import main as obey
    from replanctl.cli.world import World

    for what, most in _LIMITS.items():
        resource.setrlimit(what, (most, most))
    with paced() as spent:
        code = obey(list(words), World.real())
    Path(figures).write_bytes(msgspec.json.encode(Figures(code, spent.seconds, peak_megabytes())))
    return code


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main(*sys.argv[1:]))  # as the command itself ends, without taking down what it holds
