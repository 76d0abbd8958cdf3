"""README can't drift: its commands, transcripts, plans and Python are run, and nothing a user can meet is missing.

Each `##` section runs in a folder of its own with the example plans in it. `REPLANCTL_BLESS=1` writes the transcripts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import replanctl
from replanctl.cli.app import VERBS, load_verb
from replanctl.cli.flags import flags_of, option_name
from replanctl.cost import Coefficients
from replanctl.replan.gates import REASONS
from replanctl.replan.routing import RULE_NAMES
from replanctl.replan.signal import ErrorType, Status
from replanctl.run import result
from replanctl.run.events import AnyEvent
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.test_cases import PLANS

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
SET_UP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install --quiet -e \S+ && \.venv/bin/(.*)")


class Block(NamedTuple):
    """A fenced block: its section's heading, its language, and what is in it."""

    section: str
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that the block is to be, if it names one in its first line."""
        found = re.match(r"# file: (\S+)\n", self.text)
        return found[1] if found else None


def blocks(text: str) -> Iterator[Block]:
    section = ""
    for found in re.finditer(r"^## ([^\n]*)$|^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if found[1]:
            section = found[1]
        else:
            yield Block(section, found[2], found[3])


BLOCKS = list(blocks(TEXT))
SECTIONS = {name: list(group) for name, group in groupby(BLOCKS, key=lambda block: block.section)}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line in a folder that looks like the project's."""
    folder = tmp_path / "replanctl"
    shutil.copytree(ROOT / "plans", folder / "plans")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return Cli(Path())


@pytest.mark.parametrize("section", SECTIONS)
def test_section(section: str, cli: Cli) -> None:
    for block in SECTIONS[section]:
        RUN[block.language](block, cli)


def run_shell(block: Block, cli: Cli) -> None:
    for line in block.text.splitlines():
        expected = int(found[1]) if (found := re.search(r"# exit (\d+)$", line)) else 0
        words = shlex.split(found[1] if (found := SET_UP.fullmatch(line)) else line, comments=True)
        if words[:1] == ["pytest"]:
            continue  # this very suite
        assert words[0] == "replanctl", line
        done = cli(*globbed(words[1:]))
        assert done.code == expected, f"{line}\n{done.out}{done.err}"


def run_transcript(block: Block, cli: Cli) -> None:
    lines = [line.removeprefix("$ ") for line in block.text.splitlines() if line.startswith("$ ")]
    said = "".join(said_by(line, cli) for line in lines)
    if os.environ.get("REPLANCTL_BLESS"):
        README.write_text(README.read_text(encoding="utf-8").replace(block.text, said), encoding="utf-8")
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
    exec(compile(block.text, "README.md", "exec"), {"__name__": "readme"})


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


# -- nothing a user can meet is missing -------------------------------------------------------------------------------


def described(section: str) -> str:
    """The text of a section."""
    return re.split(r"^## ", TEXT.split(f"\n## {section}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def codes(text: str) -> set[str]:
    """Everything written as code in running text and tables, whole and in words."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {word for code in re.findall(r"`([^`]+)`", text) for word in (code, *re.split(r"[ :,|/\\]+", code))}


def first_cells(section: str) -> list[list[str]]:
    """The codes in the first two cells of each row of a section's tables."""
    rows = re.findall(r"^\|([^|]*)\|([^|]*)\|", described(section), re.MULTILINE)
    return [re.findall(r"`([^`]+)`", first + second) for first, second in rows]


def test_it_opens_with_two_commands_that_a_new_machine_can_run() -> None:
    found = [SET_UP.fullmatch(line) for block in BLOCKS[:2] for line in block.text.splitlines()]
    assert [match and match[1] for match in found] == ["replanctl run plans/vendors.yaml", "pytest -n auto"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_flag_is_documented_and_shown(verb: str) -> None:
    assert re.search(rf"^\| `{verb}\b", described("Commands"), re.MULTILINE)
    assert re.search(rf"^(\$ )?replanctl {verb}\b", TEXT, re.MULTILINE)
    options = {option_name(field) for field, flag in flags_of(load_verb(verb).options).items() if not flag.positional}
    mentioned = codes(described("Commands")) | codes(described("Gates"))
    gates = {option_name(name) for name in REASONS}
    assert options - mentioned - gates - {"--quiet", "--output"} == set()


def test_every_verb_of_the_table_exists() -> None:
    assert sorted(cell[0].split()[0] for cell in first_cells("Commands") if cell) == sorted(VERBS)


def test_statuses_and_their_types() -> None:
    assert {code for row in first_cells("Scripted outcomes") for code in row} >= set(Status)
    assert set(ErrorType) - {ErrorType.GOAL_CHANGED} <= codes(TEXT)


def test_the_routing_table_is_the_code_s() -> None:
    rows = [row for row in first_cells("Failure, signal, route") if row]
    assert tuple(row[0] for row in rows) == RULE_NAMES


def test_the_table_of_gates_is_the_code_s() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\w+)` \|$", described("Gates"), re.MULTILINE)
    assert rows == [*REASONS.items()]  # in the order in which they are asked


def test_every_event_and_key_of_the_result_is_documented() -> None:
    known = {key.rstrip("[]{}") for key in codes(described("The result"))}
    events = {kind.__struct_config__.tag for kind in AnyEvent.__args__}
    assert events - known == set()
    parts = [part for part in vars(result).values() if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    assert {field for part in parts for field in part.__struct_encode_fields__} - known == set()


def test_exit_codes_and_coefficients() -> None:
    exits = re.findall(r"^\| ([\d, ]+) \|", described("The result"), re.MULTILINE)
    assert [int(code) for cell in exits for code in cell.split(",")] == [0, 1, 2, 3, 4, 70, 130, 143]
    stated = dict(re.findall(r"`(\w+)`\s(\d+)", described("Tokens")))
    assert {name: int(value) for name, value in stated.items()} == {
        name: getattr(Coefficients(), name) for name in Coefficients.__struct_fields__
    }


def test_every_example_plan_is_listed() -> None:
    listed = codes(described("Example plans"))
    plans = {str(plan.relative_to(ROOT)) for plan in PLANS}
    patterns = [pattern for pattern in listed if "*" in pattern]
    assert {plan for plan in plans if not any(fnmatch(plan, pattern) for pattern in patterns)} - listed == set()


def test_public_names_exist() -> None:
    named = re.findall(r"`([A-Za-z_]+)`", described("Python").split("\n\n")[0])
    assert [name for name in named if not hasattr(replanctl, name)] == []
    assert named
