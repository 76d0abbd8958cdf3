"""One step says, two steps say; and an empty name is no folder."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

ONE = "goal: g\nsteps: [{id: 1, tool: a}]\n"
TWO = "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: a}]\n"


@pytest.mark.parametrize(("plan", "said"), [(ONE, "1 step says nothing"), (TWO, "2 steps say nothing")])
def test_how_many_steps_are_silent(plan: str, said: str, root_cli: Cli) -> None:
    assert root_cli("coupling", "-", stdin=plan).err == f"{said}: --write puts the answer into the file\n"


@pytest.mark.parametrize("words", [("--store", ""), ("--store=",)])
def test_an_empty_store_is_not_the_working_folder(words: tuple[str, ...], root_cli: Cli) -> None:
    done = root_cli("run", "-", *words, stdin=ONE)
    assert (done.code, done.err.splitlines()[0]) == (2, "replanctl: Invalid value for '--store': '' names no folder")
