"""README and the pages can't drift: their commands, transcripts, plans and Python are run.

Each page is read from top to bottom in a folder of its own with the example plans in it. `REPLANCTL_BLESS=1` writes
the transcripts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.pages import PAGES, README, Block, blocks

SET_UP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install --quiet -e \S+ && \.venv/bin/(.*)")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line in a folder that looks like the project's."""
    folder = tmp_path / "replanctl"
    shutil.copytree(ROOT / "plans", folder / "plans")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return Cli(Path())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, cli: Cli) -> None:
    for block in blocks(page):
        RUN[block.language](block, cli)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_says_what_it_is(page: Path) -> None:
    """A block without a language would be run by nobody."""
    fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(list(blocks(page)))


def run_shell(block: Block, cli: Cli) -> None:
    for line in block.text.splitlines():
        expected = int(found[1]) if (found := re.search(r"# exit (\d+)$", line)) else 0
        words = shlex.split(found[1] if (found := SET_UP.fullmatch(line)) else line, comments=True)
        if words[:1] == ["pytest"]:
            continue  # this very suite
        if words[:1] == ["cat"]:  # a line or two added to a file by the shell
            subprocess.run(["bash", "-c", line], check=True)
            continue
        assert words[0] == "replanctl", line
        done = cli(*globbed(words[1:]))
        assert done.code == expected, f"{line}\n{done.out}{done.err}"


def run_transcript(block: Block, cli: Cli) -> None:
    lines = [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
    said = "".join(said_by(line, cli) for line in lines)
    if os.environ.get("REPLANCTL_BLESS"):
        text = block.page.read_text(encoding="utf-8")
        block.page.write_text(text.replace(block.text, said), encoding="utf-8")
    else:
        assert said == block.text


def said_by(line: str, cli: Cli) -> str:
    """A command line and what it says, as a terminal shows them."""
    _, *words = shlex.split(line)
    done = cli(*globbed(words))
    return f"$ {line}\n{done.out}{done.err}"


def run_python(block: Block, cli: Cli) -> None:
    """A block that is a file is for the commands that follow; any other is run."""
    if block.file is not None:
        Path(block.file).write_text(block.text, encoding="utf-8")
        return
    exec(compile(block.text, block.page.name, "exec"), {"__name__": "readme"})


def check_yaml(block: Block, cli: Cli) -> None:
    """A plan that is no file of its own has nothing wrong with it; one that is, is for the commands that follow."""
    if block.file is not None:
        Path(block.file).write_text(block.text, encoding="utf-8")
    else:
        done = cli("validate", "--strict", "-", stdin=block.text)
        assert done.code == 0, done.out


def globbed(words: list[str]) -> list[str]:
    """The words with `*` expanded, as a shell does."""
    return [part for word in words for part in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]


RUN = {
    "sh": run_shell,
    "console": run_transcript,
    "python": run_python,
    "yaml": check_yaml,
    "text": lambda block, cli: None,
}


def test_it_opens_with_two_commands_that_a_new_machine_can_run() -> None:
    first, second = [block for block in blocks(README) if block.language == "sh"][:2]
    found = [SET_UP.fullmatch(line) for block in (first, second) for line in block.text.splitlines()]
    assert [match and match[1] for match in found] == ["replanctl run plans/vendors.yaml", "pytest -n auto"]
