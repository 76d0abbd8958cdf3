"""Every law bites: each of its mutants breaks it within a few sessions that are sound without it."""

from __future__ import annotations

from functools import cache

import pytest

from replanctl.files import Rehearsal
from tests.properties.bend import Bend
from tests.properties.laws import LAWS, Law
from tests.properties.mutants import MUTANTS
from tests.properties.rehearsals import of_seed
from tests.properties.run import run

SEEDS = 1500

CASES = [
    pytest.param(law, bend, id=f"{law.__name__}-{number}")
    for law in LAWS
    for number, bend in enumerate(MUTANTS.get(law, ()), 1)
]


@cache
def _rehearsal(seed: int) -> Rehearsal:
    return of_seed(seed)


def test_every_law_has_a_mutant() -> None:
    assert [law.__name__ for law in LAWS if not MUTANTS.get(law)] == []
    assert len(set(LAWS)) == len(LAWS)


@pytest.mark.parametrize(("law", "bend"), CASES)
def test_the_law_catches_its_mutant(law: Law, bend: Bend) -> None:
    assert any(_caught(law, bend, seed) for seed in range(SEEDS)), f"no session of {SEEDS} breaks {law.__name__}"


def _caught(law: Law, bend: Bend, seed: int) -> bool:
    """Whether the law complains of the bent session and of nothing else; one too bent to be asked about is no catch."""
    try:
        complaint = next(law(bend(_rehearsal(seed))), None)
    except (LookupError, AssertionError, StopIteration):
        return False
    return complaint is not None and next(law(run(_rehearsal(seed))), None) is None
