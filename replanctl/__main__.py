"""`python -m replanctl`, and the console script."""

from __future__ import annotations

import sys


def entry() -> None:
    """Run the command line; `--version` alone is answered without loading it."""
    if sys.argv[1:] == ["--version"]:
        from replanctl import __version__

        sys.stdout.write(f"replanctl {__version__}\n")
        return
    from replanctl.cli.app import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    entry()
