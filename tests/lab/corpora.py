"""Random corpora for the lab: any rehearsals for a matrix, and such as a limit stops that would finish for tuning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

from replanctl.files import Recorded, Rehearsal
from replanctl.host import Case
from tests.lab.brute import GATES, Ran, cell, ran, replace
from tests.lab.brute_tune import limited
from tests.properties.rehearsals import of_seed


def corpus(seed: int, size: int) -> list[Case]:
    """Rehearsals that finish, under limits that stop some of them; every other corpus has one policy for all."""
    random, finishing = Random(seed), _finishing(seed * 1000)
    gates, together = [random.choice(GATES) for _ in range(2)], None
    found = []
    for number in range(size):
        of, one = next(finishing)
        solved = random.choice([None, True, False])
        if solved is not None:
            of = replace(of, recorded=Recorded(solved=solved))
        policy = of.policy
        for gate in gates if seed % 2 else gates[: random.choice([0, 1, 1, 1])]:
            policy = limited(policy, gate, _limit(random, one, gate))
        if seed % 2:
            policy = together = together or policy
        found.append(Case(f"c{number}", replace(of, policy=policy)))
    return found


def _finishing(start: int) -> Iterator[tuple[Rehearsal, Ran]]:
    """Rehearsals that come to their goal in more than two or three executions."""
    for seed in count(start):
        of = of_seed(seed)
        one = ran(of)
        if one.completed and len(one.doc["versions"]) + len(one.doc["history"]) > 3:
            yield of, one


def _limit(random: Random, one: Ran, gate: str) -> Any:
    """A limit between none and what the session spends."""
    spent, lines = cell(one), one.doc["ledger"]["lines"]
    top = {
        "per_step": 4,
        "max_replans": spent["replans"],
        "max_replan_tokens": int(sum(line["booked"] for line in lines if line["kind"] == "replan") * 1.1),
        "max_steps": spent["executions"],
        "max_tool_calls": spent["calls"],
        "max_tokens": spent["tokens"],
    }
    if gate == "max_seconds":
        return round(random.uniform(0, spent["seconds"]), random.choice([0, 1, 3]))
    return random.choice([1, 2]) if gate == "max_repeat" else random.randint(0, top[gate])
