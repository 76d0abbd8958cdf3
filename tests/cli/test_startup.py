"""What a rehearsal drags in: counted, not timed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

HEAVY = {
    "rich",
    "typer",
    "click",
    "asyncio",
    "pydantic",
    "jsonschema",
    "importlib.metadata",
    "logging",
    "tempfile",
}

MOST_MODULES = 75  # of ours, that a run in which nothing fails may load

ROOT = Path(__file__).parent.parent.parent

COUNT = """
import sys
from pathlib import Path
from replanctl.cli.app import main
assert main(sys.argv[1:]) == 0
print("\\n".join(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--format", "json"], ["--format", "jsonl"], ["--format=json", "--no-store"]])
def test_a_run_in_json_loads_nothing_heavy(cli: Cli, words: list[str]) -> None:
    command = [sys.executable, "-c", COUNT, "run", "plan.yaml", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "replanctl.run.engine" in loaded
    assert loaded & HEAVY == set()
    assert not any(name.startswith("replanctl.traces") for name in loaded)


def test_a_run_without_a_failure_loads_few_of_our_modules(tmp_path: Path) -> None:
    steps = "".join(f"  - {{id: {n}, tool: look, args: {{n: {n}}}}}\n" for n in range(1, 11))
    (tmp_path / "ten.yaml").write_text(f"goal: take ten steps\nsteps:\n{steps}", encoding="utf-8")
    command = [sys.executable, "-c", COUNT, "run", str(tmp_path / "ten.yaml"), "--format", "json"]
    done = subprocess.run([*command, "--store", str(tmp_path / "runs")], capture_output=True, text=True, check=True)
    ours = [name for name in done.stderr.split() if name.partition(".")[0] == "replanctl"]
    assert len(ours) <= MOST_MODULES, f"{len(ours)} are loaded: {', '.join(sorted(ours))}"


def test_the_version_loads_next_to_nothing() -> None:
    code = (
        "import os, sys; sys.argv[1:] = ['--version']; os._exit = lambda code: sys.exit(print(*sys.modules) or code);"
        "from replanctl.__main__ import entry; entry()"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert {name for name in done.stdout.split() if name.startswith("replanctl.")} == {"replanctl.__main__"}
