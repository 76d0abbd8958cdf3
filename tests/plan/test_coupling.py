"""The coupling test: whose failure takes everything with it, and whose leaves most of the plan alive."""

from __future__ import annotations

import pytest

from replanctl.plan.coupling import CouplingRow, coupling
from replanctl.plan.model import Step, sequenced


def plan(text: str) -> tuple[Step, ...]:
    """Steps given as `3:1,2` (after 1 and 2), `3:` (independent) or `3` (after the step before it)."""
    return sequenced(_step(*word.partition(":")) for word in text.split())


def _step(id_: str, given: str, after: str) -> Step:
    return Step(id_, "t", depends_on=tuple(filter(None, after.split(","))) if given else None)


# plan -> step: dependents, paralysed, coupling, on_failure
PLANS: dict[str, dict[str, tuple[int, int, str, str]]] = {
    "1": {"1": (0, 0, "strong", "replan")},  # nobody rests on it
    "1 2 3": {
        "1": (2, 2, "strong", "replan"),
        "2": (1, 1, "strong", "replan"),
        "3": (0, 0, "strong", "replan"),
    },
    # two sources and a summary: it goes on with what is left
    "1: 2: 3:1,2": {"1": (1, 0, "weak", "defer"), "2": (1, 0, "weak", "defer"), "3": (0, 0, "strong", "replan")},
    # half alive is not more than half
    "1: 2: 3:1 4:1,2": {
        "1": (2, 1, "mixed", "replan"),
        "2": (1, 0, "weak", "defer"),
        "3": (0, 0, "strong", "replan"),
        "4": (0, 0, "strong", "replan"),
    },
    # paralysis goes on through what it paralysed: 3, then 5, which has nothing else; 4 and 6 live
    "1: 2: 3:1 4:1,2 5:3 6:4": {
        "1": (4, 2, "mixed", "replan"),
        "2": (2, 0, "weak", "defer"),
        "3": (1, 1, "strong", "replan"),
        "4": (1, 1, "strong", "replan"),
        "5": (0, 0, "strong", "replan"),
        "6": (0, 0, "strong", "replan"),
    },
    # a diamond: both branches die, so does what joins them
    "1: 2:1 3:1 4:2,3": {
        "1": (3, 3, "strong", "replan"),
        "2": (1, 0, "weak", "defer"),
        "3": (1, 0, "weak", "defer"),
        "4": (0, 0, "strong", "replan"),
    },
    # two of three alive
    "1: 2: 3:1 4:1,2 5:4": {
        "1": (3, 1, "weak", "defer"),
        "2": (2, 0, "weak", "defer"),
        "3": (0, 0, "strong", "replan"),
        "4": (1, 1, "strong", "replan"),
        "5": (0, 0, "strong", "replan"),
    },
    # the list order is not the order of the graph
    "3:1,2 1: 2:": {"3": (0, 0, "strong", "replan"), "1": (1, 0, "weak", "defer"), "2": (1, 0, "weak", "defer")},
    # a dependency named twice is one
    "1: 2:1,1": {"1": (1, 1, "strong", "replan"), "2": (0, 0, "strong", "replan")},
}


@pytest.mark.parametrize(("text", "rows"), PLANS.items(), ids=PLANS)
def test_the_test(text: str, rows: dict[str, tuple[int, int, str, str]]) -> None:
    assert coupling(plan(text)) == tuple(CouplingRow(id_, *row) for id_, row in rows.items())  # type: ignore[arg-type]
