"""README is short, and its tour is walked as a reader would: in a shell, in a copy of the example plans."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.pages import README

TEXT = README.read_text(encoding="utf-8")
WORDS = 1500
# What README says that a command finds: the line's beginning, and words of what it prints.
FOUND = {
    "replanctl matrix": "the same call takes effect up to 4 times refund under lost: taken for idempotent",
    "replanctl tune": "Wrote policy.yaml: max_replans 3 (on 5 sessions)",
    "replanctl compare plans": "5 better, 0 worse",
}
SECTIONS = ("Ten minutes with a recorded run", "From nothing", "In CI")


def section(title: str) -> str:
    """What stands under a heading of README."""
    return TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def commands(title: str) -> list[str]:
    """The command lines of a section, in order: those of its shell blocks and those of a job's steps."""
    text = section(title)
    lines = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
    return lines + re.findall(r"^- run: (.*)$", text, re.MULTILINE)


def walk(lines: list[str], folder: Path) -> list[tuple[str, int, str]]:
    """Each line in a shell of its own, with its exit code and what it said."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "REPLANCTL_STORE": str(folder / "store")}
    done = [
        subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
        for line in lines
    ]
    return [(line, each.returncode, each.stdout + each.stderr) for line, each in zip(lines, done, strict=True)]


def test_readme_is_short() -> None:
    assert len(TEXT.split()) <= WORDS


def test_the_tour_goes_from_a_trace_to_ci(tmp_path: Path) -> None:
    """Every line ends as README says, so that no line rests on one that failed."""
    shutil.copytree(ROOT / "plans", tmp_path / "plans")
    lines = [line for title in SECTIONS for line in commands(title)]
    walked = walk(lines, tmp_path)
    expected = [int(found[1]) if (found := re.search(r"# exit (\d+)$", line)) else 0 for line in lines]
    assert [code for _, code, _ in walked] == expected, "\n".join(f"$ {line}\n{said}" for line, _, said in walked)
    for line, needle in FOUND.items():
        assert needle in " ".join(next(said for each, _, said in walked if each.startswith(line)).split())


def test_the_tour_meets_the_verbs_of_a_first_day() -> None:
    lines = [line for title in SECTIONS for line in commands(title)]
    verbs = [line.split()[1] for line in lines if line.startswith("replanctl ")]
    firsts = list(dict.fromkeys(verbs))
    assert [verb for verb in firsts if verb in ("import", "run", "test", "matrix", "tune", "compare")] == [
        "import",
        "run",
        "test",
        "matrix",
        "tune",
        "compare",
    ]
    assert "init" in verbs


def test_a_line_that_fails_is_noticed(tmp_path: Path) -> None:
    (line, code, said), (_, good, _) = walk(["replanctl run nowhere.yaml", "replanctl init there"], tmp_path)
    assert (line, code, good) == ("replanctl run nowhere.yaml", 2, 0)
    assert "nowhere.yaml" in said
