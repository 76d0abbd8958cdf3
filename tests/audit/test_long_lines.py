"""A plan on one long line: every fault is shown where it stands, with its surroundings and a caret."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

FAR = "goal: g\nsteps: [{id: 1, tool: a, args: {text: %s}, tol: b}]\n"


@pytest.mark.parametrize("length", [0, 40, 90, 105, 160, 500, 100_000])
def test_a_fault_far_to_the_right_is_shown(length: int, root_cli: Cli) -> None:
    done = root_cli("validate", "-", stdin=FAR % ("x" * length or "''"))
    place, line, caret, hint, _ = done.out.splitlines()
    column = max(length, 2) + 42
    assert place == f"<stdin>:2:{column}: error [unknown-key] tol is not known here"
    assert line[caret.index("^") :] == "tol: b}]"
    assert hint == "    hint: did you mean tool?"
