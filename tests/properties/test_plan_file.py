"""Every random rehearsal can be written down as a plan file, and the file does the same."""

from __future__ import annotations

import msgspec
import pytest

from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from tests.properties.plan_file import plan_file
from tests.properties.rehearsals import of_seed
from tests.properties.run import run


def read(text: str, rehearsal: Rehearsal) -> Rehearsal:
    """The rehearsal as it is read from the file, with what the command line would add."""
    found = parse_rehearsal([Source("seed.yaml", Role.PLAN, text)])
    routing = msgspec.structs.replace(found.policy.routing, force=rehearsal.policy.routing.force)
    rules = tuple(msgspec.structs.replace(rule, line=line) for line, rule in enumerate(found.outcomes, 1))
    policy = msgspec.structs.replace(found.policy, routing=routing)
    return msgspec.structs.replace(found, policy=policy, outcomes=rules, warnings=(), sources=())


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_the_file_of_a_seed_means_the_same(first: int) -> None:
    for seed in range(first, first + 50):
        rehearsal = of_seed(seed)
        again = read(plan_file(rehearsal), rehearsal)
        assert again == rehearsal, f"seed {seed}"
        assert run(again).events == run(rehearsal).events, f"seed {seed}"
