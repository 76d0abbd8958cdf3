"""Being told to stop: the signals that would end the process at once become exceptions, so that the store is told."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

_STOPS = ("SIGTERM", "SIGHUP")


class StoppedError(BaseException):
    """The process was told to stop; not an Exception, so that nothing but the top swallows it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def stop_signals() -> Iterator[None]:
    """Raise StoppedError for SIGTERM and SIGHUP inside; outside the main thread signals are left alone."""
    with _handled(_STOPS, _stop):
        yield


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise StoppedError(number)


@contextmanager
def held_back() -> Iterator[None]:
    """Being told to stop takes effect only after what is inside; outside the main thread signals are left alone."""
    heard: list[int] = []
    try:
        with _handled(("SIGINT", *_STOPS), lambda number, frame: heard.append(number)):
            yield
    finally:
        if heard:
            signal.raise_signal(heard[0])


@contextmanager
def _handled(names: Iterable[str], handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """These signals go to this handler inside, but for those that nobody is to hear (nohup)."""
    numbers = [number for name in names if (number := getattr(signal, name, None))]
    # Under nohup SIGHUP is ignored on purpose; a handler would make the run end with the terminal after all.
    before = {number: known for number in numbers if (known := signal.getsignal(number)) not in (None, signal.SIG_IGN)}
    with suppress(ValueError):
        for number in before:
            signal.signal(number, handler)
    try:
        yield
    finally:
        with suppress(ValueError):
            for number, known in before.items():
                signal.signal(number, known)
