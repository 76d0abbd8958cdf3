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


def test_the_version_loads_next_to_nothing() -> None:
    code = (
        "import sys; sys.argv[1:] = ['--version']; from replanctl.__main__ import entry; entry(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert {name for name in done.stdout.split() if name.startswith("replanctl.")} == {"replanctl.__main__"}
