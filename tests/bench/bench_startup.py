"""How long it takes to say something: `--version` against an empty Python, `run` against a hello-world typer app.

Run it by itself: python tests/bench/bench_startup.py [ROUNDS]. The commands take turns, so that whatever else the
machine does falls on all of them; compiled modules are kept, as they are for a user.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HELLO = """
import typer

app = typer.Typer()

@app.command()
def hello(name: str = "world") -> None:
    print(f"Hello {name}")

app()
"""
STEPS = 10
PROMISED = 1.5


def commands(folder: Path) -> dict[str, list[str]]:
    """What is timed."""
    plan, hello = folder / "plan.yaml", folder / "hello.py"
    steps = "".join(f"  - {{id: {n}, tool: look, args: {{n: {n}}}}}\n" for n in range(1, STEPS + 1))
    plan.write_text(f"goal: time {STEPS} steps\nsteps:\n{steps}", encoding="utf-8")
    hello.write_text(HELLO, encoding="utf-8")
    program = str(Path(sys.executable).with_name("replanctl"))
    run = [program, "run", str(plan), "--format", "json", "--store", str(folder / "store")]
    return {
        "empty Python": [sys.executable, "-c", "pass"],
        "--version": [program, "--version"],
        "hello-world typer": [sys.executable, str(hello)],
        "run": run,
        "run --no-store": [*run, "--no-store"],
    }


def measure(timed: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The median of each command in milliseconds."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in timed}
    for at in range(rounds + 1):
        for name, command in timed.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)
            if at:  # the first round compiles
                taken[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    """Print medians and ratios."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:
        took = measure(commands(Path(folder)), rounds)
    for name, milliseconds in took.items():
        print(f"{name:<20} {milliseconds:7.1f} ms")
    for name, against in (
        ("--version", "empty Python"),
        ("run", "hello-world typer"),
        ("run --no-store", "hello-world typer"),
    ):
        print(f"{name} / {against}: {took[name] / took[against]:.2f} (promised: at most {PROMISED})")


if __name__ == "__main__":
    main()
