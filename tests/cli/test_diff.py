"""`diff` across several versions: what a new step stands in for is a step of the other side."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli

# Step 1 fails three times; each tail lists 2 and 3 again under new ids, and step 3 goes for good in the end.
TAILS = """
goal: g
steps:
  - {id: 1, tool: ask, granularity: tail}
  - {id: 2, tool: sum}
  - {id: 3, tool: write}
planner:
  - when: {error: third}
    steps: [{id: 1, tool: ask}, {id: 20, tool: sum}, {id: 21, tool: send}]
  - otherwise: template
outcomes:
  - match: {step: 1}
    returns: [{status: shape, message: first}, {status: shape, message: second}, {status: shape, message: third}, ok]
"""

SIDES = [
    ("v1", "v2", {"4": "2", "5": "3"}),
    ("v1", "v3", {"6": "2", "7": "3"}),
    ("v2", "v3", {"6": "4", "7": "5"}),
    ("v1", "v4", {"20": "2", "21": None}),
    ("v2", "v4", {"20": "4", "21": None}),
    ("v4", "v1", {"2": None, "3": None}),
]


@pytest.mark.parametrize(("old", "new", "ancestors"), SIDES)
def test_an_added_step_names_its_ancestor_on_the_other_side(
    old: str, new: str, ancestors: dict[str, str | None], cli: Cli
) -> None:
    cli.files({"tails.yaml": TAILS})
    cli("run", "tails.yaml")
    changes = json.loads(cli("diff", old, new, "--format", "json").out)["changes"]
    assert {c["id"]: c["new"]["replaces"] for c in changes if c["kind"] == "+"} == ancestors
    said = cli("diff", old, new).out
    again = re.search(r"(\d+) listed again", said)  # the others are told in one line
    assert said.count("instead of") + int(again[1] if again else 0) == sum(
        id_ is not None for id_ in ancestors.values()
    )
