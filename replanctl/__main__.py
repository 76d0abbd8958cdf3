"""`python -m replanctl`, and the console script."""

from __future__ import annotations

import os
import sys


def entry() -> None:
    """Run the command line; `--version` alone is answered without loading it."""
    if sys.argv[1:] == ["--version"]:
        from replanctl import __version__

        sys.stdout.write(f"replanctl {__version__}\n")
        return
    from contextlib import suppress

    from replanctl.cli.app import main
    from replanctl.cli.world import World

    world = World.real()  # held here to the end: letting go of it would wait for a reader who may have left
    code = main(sys.argv[1:], world)
    with suppress(OSError, AttributeError):
        sys.stdout.flush()
    # All is written and closed by now. Taking the interpreter down object by object would only cost time: a seventh
    # of a short run, and far more after a long one.
    os._exit(code)


if __name__ == "__main__":
    entry()
