"""What was measured is told in a quiet machine's seconds, whatever the clock says."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.pace import NOMINAL, TRIES, _piece, paced, seconds_of, slowness


def at_pace(times: float) -> Callable[[], float]:
    """The clock of a machine that takes so many times its nominal time for any work."""
    began = time.process_time()
    _piece()
    rate = NOMINAL / (time.process_time() - began)
    return lambda: time.process_time() * times * rate


def work() -> None:
    for _ in range(40):
        _piece()


def test_a_slow_machine_spends_no_more_seconds() -> None:
    assert slowness(at_pace(30)) > 5
    assert seconds_of(work, 80 * NOMINAL, at_pace(30)) < 80 * NOMINAL


def test_a_fast_machine_is_not_held_to_less() -> None:
    clock = at_pace(0.1)
    assert slowness(clock) == 1
    with paced(clock) as spent:
        work()
    assert spent.seconds < 30 * NOMINAL


@pytest.mark.parametrize(("most", "times"), [(-1, TRIES), (60, 1)])
def test_only_what_seems_too_slow_is_done_again(most: float, times: int) -> None:
    done = []
    assert seconds_of(lambda: done.append(1), most) >= 0
    assert len(done) == times
