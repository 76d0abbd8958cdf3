"""A user's project that is checked strictly: the Python examples of all pages, each a module of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.pages import PAGES, blocks


def test_every_python_example_is_strictly_typed(tmp_path: Path) -> None:
    examples = [block.text for page in PAGES for block in blocks(page) if block.language == "python"]
    assert len(examples) >= 9
    for number, text in enumerate(examples):
        (tmp_path / f"example_{number}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(ROOT)})
    assert (done.stdout.splitlines()[-1], done.stderr) == (
        f"Success: no issues found in {len(examples)} source files",
        "",
    ), done.stdout
