"""What is told of a version against what comparing it with the one before finds, over random sessions."""

from __future__ import annotations

import pytest

from replanctl.plan.diff import diff_plans
from replanctl.run.events import PlanDiffed
from replanctl.run.fold import fold
from tests.properties.rehearsals import of_seed
from tests.properties.run import run


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_what_is_told_of_a_version_is_what_comparing_it_with_the_one_before_finds(first: int) -> None:
    for seed in range(first, first + 100):
        events = run(of_seed(seed)).events
        versions = {v.version: v.steps for v in fold(events).versions}
        told = [(e.from_, e.to, e.removed, e.added, e.revised, e.rewired) for e in events if isinstance(e, PlanDiffed)]
        found = [diff_plans(versions[old], versions[new]) for old, new, *_ in told]
        assert told == [
            (old, new, d.removed, d.added, d.revised, d.rewired) for (old, new, *_), d in zip(told, found, strict=True)
        ]
