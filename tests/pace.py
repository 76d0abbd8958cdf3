"""How fast this machine is right now: bounds in seconds are promises about a quiet one, and hold on a busy one as well.

A processor that is shared, throttled or older makes the same work take longer, also by the processor's own clock: its
caches and its threads belong to others too. So a piece of work that never changes is timed just before and just after
what is measured, in the same process and by the same clock, and what was measured is told in the seconds of a machine
that does that piece in its nominal time. A faster machine is not held to less: the factor is never below one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

NOMINAL = 0.00125  # seconds that `_piece` takes on the machine the bounds were written on, when nobody else is there
PIECES = 9  # timed one after the other; their median forgives the one during which somebody else had the processor
TRIES = 3  # of work that seems too slow: what disturbs it comes and goes, and its own slowness stays
PATIENCE = 120.0  # seconds that a test waits for another process; only a test that fails ever waits so long

Clock = Callable[[], float]


class Spent:
    """What a stretch of work took; `seconds` are those of a quiet machine, and stand once the work has ended."""

    seconds: float = 0.0


@contextmanager
def paced(clock: Clock = time.process_time) -> Iterator[Spent]:
    """Time what is inside, by this clock. `time.monotonic` is for work that other processes do."""
    spent = Spent()
    before = slowness(clock)
    began = clock()
    try:
        yield spent
    finally:
        took = clock() - began
        spent.seconds = took / max(before, slowness(clock))


def seconds_of(work: Callable[[], object], most: float, clock: Clock = time.process_time) -> float:
    """The least that the work took, in seconds of a quiet machine; it is tried again only while that is over `most`."""
    least = float("inf")
    for _ in range(TRIES):
        with paced(clock) as spent:
            work()
        least = min(least, spent.seconds)
        if least < most:
            break
    return least


def slowness(clock: Clock = time.process_time) -> float:
    """How many times longer than on a quiet machine the piece of work takes at this moment; at least 1."""
    return max(1.0, median(_timed(clock) for _ in range(PIECES)) / NOMINAL)


def wait_until(there: Callable[[], bool]) -> None:
    """Look every 20 ms until it is so. Raises AssertionError when it never is."""
    until = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


def _timed(clock: Clock) -> float:
    began = clock()
    _piece()
    return clock() - began


def _piece() -> int:
    """What most of our work is made of: calls, small texts, mappings, lists, a sort. It holds less than a megabyte."""
    known: dict[str, list[int]] = {}
    for number in range(6000):
        known.setdefault(f"E{number * 7919 % 1009}", []).append(number)
    ordered = sorted(known.items(), key=_last)
    return len("".join(name for name, _ in ordered)) + sum(map(len, known.values()))


def _last(entry: tuple[str, list[int]]) -> int:
    return entry[1][-1]
