"""The command line, for what it writes is read here too."""

from tests.cli.conftest import cli

__all__ = ["cli"]
