"""`python -m replanctl`, and the console script."""

from __future__ import annotations

import contextlib
import os
import sys

INTERRUPTED = 130


def entry() -> None:
    """Run the command line; `--version` alone is answered without loading it."""
    if sys.argv[1:] == ["--version"] and _told_version():
        return
    try:
        code = _run()
    except KeyboardInterrupt:  # before there was anything to keep, or behind the end of it
        with contextlib.suppress(Exception):
            os.write(2, b"replanctl: interrupted\n")
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


def _run() -> int:
    from replanctl.cli.app import main
    from replanctl.cli.world import World

    world = World.real()
    sys.stdout, sys.stderr = world.stdout, world.stderr  # what typer and pytest write fails like all else
    return main(sys.argv[1:], world)  # not flushed again: who is told to stop does not wait for a reader


if __name__ == "__main__":
    entry()
