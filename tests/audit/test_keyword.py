"""`test -k`: what is said when no name matches is another thing than what is said when there is no test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

PLAN = "goal: g\nsteps: [{id: 1, tool: a}]\n"


@pytest.mark.parametrize(
    ("plan", "words", "said"),
    [
        (f"{PLAN}expect: {{exit: 0}}\n", ["-k", "other"], "no rehearsal with an expect: block matches -k other"),
        (PLAN, [], "no rehearsal with an expect: block was found"),
    ],
)
def test_nothing_to_run(plan: str, words: list[str], said: str, root_cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(plan, encoding="utf-8")
    done = root_cli("test", file, *words)
    assert (done.code, done.err.splitlines()[0]) == (2, f"replanctl: {said}")
