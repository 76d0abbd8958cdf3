"""What a screen says of a session that was handed to a person and taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

PLAN = """\
goal: make tea
steps:
  - {id: 1, tool: boil, depends_on: []}
  - {id: 2, tool: pour, args: {water: "#E1"}}
  - {id: 3, tool: drink, args: {tea: "#E2"}}
outcomes:
  - {match: {step: 2}, returns: [{status: denied, message: no rights}]}
"""

# A command after `run PLAN` and `resume 1 --outcomes allowed.yaml`, and a line that it says.
SAID = [
    ("show", "  v2 taken up again, to run 2 3 once more"),
    ("show", "  ✓ Goal met without a replan: 4s of session time, 1,060 tokens, 180 of them to"),
    ("show", "  Next: replanctl why 2 · replanctl show --variables"),
    ("why 2", "  v2 taken up again"),
    ("diff v1 v2", "  v1 → v2 taken up again"),
]


@pytest.mark.parametrize(("command", "line"), SAID)
def test_a_version_to_go_on_with_is_no_replan(command: str, line: str, root_cli: Cli, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed.yaml"
    allowed.write_text("outcomes: []\n", encoding="utf-8")
    assert root_cli("run", "-", "-q", stdin=PLAN).code == 1
    assert root_cli("resume", "1", "-q", "--outcomes", allowed).code == 0
    assert line in root_cli(*command.split()).out.splitlines()
