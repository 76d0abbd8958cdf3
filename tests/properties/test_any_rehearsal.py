"""The same laws over rehearsals that hypothesis chooses, so that what breaks one shrinks to its core."""

from __future__ import annotations

from hypothesis import HealthCheck, find, given, note, settings
from hypothesis import strategies as st

from replanctl.files import Rehearsal
from replanctl.replan.gates import GateLimits
from tests.properties.dice import Dice
from tests.properties.plan_file import plan_file
from tests.properties.rehearsals import random_rehearsal
from tests.properties.sweep import held


@st.composite
def rehearsals(draw: st.DrawFn) -> Rehearsal:
    """Whatever the generator makes of the choices that hypothesis draws."""
    return random_rehearsal(Dice(lambda n: draw(st.integers(0, n - 1))))


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rehearsals())
def test_any_rehearsal_obeys_every_law(rehearsal: Rehearsal) -> None:
    note(plan_file(rehearsal))
    _, wrong = held(rehearsal)
    assert wrong == []


def test_what_is_found_shrinks_to_its_core() -> None:
    """The smallest session with a failure that is replanned has one step, and not much else."""
    quiet = settings(max_examples=2000, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    smallest = find(rehearsals(), _replans, settings=quiet)
    assert (len(smallest.plan.steps), smallest.interruptions, smallest.policy.gates) == (1, (), GateLimits())


def _replans(rehearsal: Rehearsal) -> bool:
    session, _ = held(rehearsal)
    return session is not None and any("@" in version.cause for version in session.result.versions)
