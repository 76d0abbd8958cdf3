"""Being told to stop: at once, after something that must not be torn, or not at all."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from replanctl.host.signals import StoppedError, held_back, stop_signals

STOPS = [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.parametrize(("number", "code"), STOPS)
def test_a_stop_is_an_exception_with_its_exit_code(number: signal.Signals, code: int) -> None:
    with pytest.raises(StoppedError) as stopped, stop_signals():
        signal.raise_signal(number)
    assert stopped.value.exit_code == code


def test_what_nobody_is_to_hear_is_not_heard() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_signals(), held_back():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_that_is_held_back_comes_after(number: signal.Signals) -> None:
    done = []
    with pytest.raises((KeyboardInterrupt, StoppedError)), stop_signals():
        with held_back():
            signal.raise_signal(number)
            done.append("inside")
        done.append("behind")
    assert done == ["inside"]


def test_a_stop_that_is_held_back_outranks_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), held_back():
        signal.raise_signal(signal.SIGINT)
        raise ValueError
