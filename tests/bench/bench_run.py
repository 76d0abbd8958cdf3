"""What a whole `run` takes, as a process of its own, against reading the same file with PyYAML.

    python tests/bench/bench_run.py

Prints CPU time and peak memory a step at 10,000 and 100,000 steps, and the ratios. Rounds are interleaved, figures are
medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 3
READ = "import sys, yaml; yaml.load(open(sys.argv[1]), Loader=yaml.CSafeLoader)"


def write_plan(path: Path, steps: int) -> None:
    """A strict sequence, a line for each step."""
    with path.open("w") as file:
        file.write("goal: many\nsteps:\n")
        for i in range(1, steps + 1):
            after = f"[{i - 1}]" if i > 1 else "[]"
            file.write(f"  - {{id: {i}, action: look up {i}, tool: t, args: {{n: {i}}}, depends_on: {after}}}\n")


def measured(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and peak memory in KiB of one process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main() -> None:
    """Measure and print the table."""
    run = [sys.executable, "-m", "replanctl", "run", "--format", "json"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for steps in (10, 10_000, 100_000):
            write_plan(folder / f"{steps}.yaml", steps)
        commands = {
            "nothing": [*run, "--no-store", str(folder / "10.yaml")],
            "10k": [*run, "--no-store", str(folder / "10000.yaml")],
            "100k": [*run, "--no-store", str(folder / "100000.yaml")],
            "stored": [*run, "--store", str(folder / "store"), str(folder / "100000.yaml")],
            "read": [sys.executable, "-c", READ, str(folder / "100000.yaml")],
        }
        rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for key, command in commands.items():
                rounds[key].append(measured(command))
    seconds = {key: statistics.median(s for s, _ in values) for key, values in rounds.items()}
    memory = {key: statistics.median(m for _, m in values) for key, values in rounds.items()}
    per_step = {key: (seconds[key] - seconds["nothing"]) / steps * 1e6 for key, steps in SIZES.items()}
    kilobytes = (memory["100k"] - memory["nothing"]) / 100_000
    print(f"run, 100k steps              {per_step['100k']:8.1f} µs a step")
    print(f"memory                       {kilobytes:8.2f} KB a step (at most 4, aim 2)")
    print(f"100k / 10k, per step         {per_step['100k'] / per_step['10k']:8.2f}   (at most 1.6, aim 1.3)")
    print(f"run / yaml.load(CSafeLoader) {seconds['100k'] / seconds['read']:8.2f}   (at most 0.5, aim 0.25)")
    print(f"stored run / the same        {seconds['stored'] / seconds['read']:8.2f}")


SIZES = {"10k": 10_000, "100k": 100_000, "stored": 100_000}

if __name__ == "__main__":
    main()
