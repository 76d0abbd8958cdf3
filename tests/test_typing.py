"""A user's project that is checked strictly: README's Python examples, each a module of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_every_python_example_is_strictly_typed(tmp_path: Path) -> None:
    examples = EXAMPLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(examples) >= 4
    for number, text in enumerate(examples):
        (tmp_path / f"example_{number}.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(ROOT)})
    assert (done.stdout.splitlines()[-1], done.stderr) == (
        f"Success: no issues found in {len(examples)} source files",
        "",
    ), done.stdout
