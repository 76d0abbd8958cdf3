"""Random sessions obey every law, and between them they see everything there is.

REPLANCTL_SESSIONS sets how many there are; `python -m tests.properties.sweep SEED` writes one down as a plan file.
"""

from __future__ import annotations

import pytest

from tests.properties.rehearsals import of_seed
from tests.properties.seen import Tally, table
from tests.properties.sweep import KNOWN, held, sessions_asked_for, sweep_everywhere


@pytest.fixture(scope="module")
def tally() -> Tally:
    """One sweep for all of this module."""
    return sweep_everywhere(sessions_asked_for())


def test_every_session_obeys_every_law(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{table(tally)}")
    assert tally.sessions > 0
    assert not tally.broken, "\n\n".join(tally.broken)


@pytest.mark.parametrize("seed", KNOWN)
def test_a_known_fault_is_still_one(seed: int) -> None:
    """What is mended leaves the list of what the sweep passes over."""
    assert held(of_seed(seed))[1] != []


def test_the_sweep_sees_every_rule_gate_reason_and_all_the_rest(tally: Tally) -> None:
    if tally.sessions < 10_000:
        pytest.skip("too few sessions to see everything")
    assert tally.missing() == []
