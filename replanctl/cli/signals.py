"""Being told to stop: the signals that would end the process at once become exceptions, so that the store is told."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn


class StoppedError(BaseException):
    """The process was told to stop; not an Exception, so that nothing but the top swallows it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def stop_signals() -> Iterator[None]:
    """Raise StoppedError for SIGTERM and SIGHUP inside; outside the main thread signals are left alone."""
    numbers = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
    before = {}
    with suppress(ValueError):
        before = {number: signal.signal(number, _stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise StoppedError(number)
