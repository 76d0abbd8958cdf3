"""`python -m replanctl`, and the console script."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing costs more than everything `--version` needs
if TYPE_CHECKING:
    from typing import Any

INTERRUPTED = 130


def entry() -> None:
    """Run the command line; `--version` alone is answered without loading it."""
    if sys.argv[1:] == ["--version"] and _told_version():
        os._exit(0)  # as below: a tenth of the time that it takes to say it
    interrupts = _answering_at_once()
    try:
        code = _run(interrupts)
    except KeyboardInterrupt:  # behind the end of it
        code = INTERRUPTED
    # All is written and closed by now. Taking the interpreter down object by object would only cost time: a seventh
    # of a short run, and far more after a long one.
    os._exit(code)


def _told_version() -> bool:
    """Whether the version could be written; where it couldn't, the command line has the words for it."""
    from replanctl import __version__

    try:
        sys.stdout.write(f"replanctl {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # a full disk, or no standard output at all
        return False
    return True


def _answering_at_once() -> Any:
    """Until there is anything to keep, an interrupt ends the process where it is: imports that are torn raise whatever
    they like, and a module written in C may not survive it. Returns the module that gives the signal back."""
    signals: Any = __import__("_signal")  # the half of `signal` that costs nothing
    if signals.getsignal(signals.SIGINT) is signals.default_int_handler:
        signals.signal(signals.SIGINT, _end_here)
    return signals


def _end_here(number: int, frame: object) -> None:
    try:
        os.write(2, b"replanctl: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def _run(signals: Any) -> int:
    from replanctl.cli.app import main
    from replanctl.cli.world import World

    world = World.real()
    sys.stdout, sys.stderr = world.stdout, world.stderr  # what typer and pytest write fails like all else
    if signals.getsignal(signals.SIGINT) is _end_here:
        signals.signal(signals.SIGINT, signals.default_int_handler)
    return main(sys.argv[1:], world)  # not flushed again: who is told to stop does not wait for a reader


if __name__ == "__main__":
    entry()
