"""What may stand on either side of a `diff`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PLAN, SHAPE, Cli
from tests.cli.conftest import cli as cli

SIDES = [
    ("v1", "v2", "v1 → v2 patch, because step 2 failed (assumption): no price"),
    ("1", "2", "1:v1 → 2:v2"),
    ("-", "v2", "- → v2"),
    ("1", "-", "1:v1 → -"),
]


@pytest.mark.parametrize(("old", "new", "heading"), SIDES)
def test_runs_versions_and_standard_input(old: str, new: str, heading: str, cli: Cli) -> None:
    cli.files({"shape.yaml": SHAPE})
    cli("run", "plan.yaml")
    cli("run", "plan.yaml", "--outcomes", "shape.yaml")
    done = cli("diff", old, new, stdin=PLAN)
    lines = [line.strip() for line in done.out.splitlines()]
    first = lines.index("") + 1 if (old, new) == ("1", "2") else 0  # what two runs came to stands above
    assert (done.code, lines[first]) == (0, heading)


def test_a_run_that_is_not_there(cli: Cli) -> None:
    done = cli("diff", "9", "v1")
    assert (done.code, done.err.splitlines()[0]) == (2, "replanctl: there is no run 9 in store")
