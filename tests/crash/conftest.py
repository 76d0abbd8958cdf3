"""The same command line in a world of its own as the verbs' tests have."""

from tests.cli.conftest import cli as cli
