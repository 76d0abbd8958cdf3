"""What `init` writes is a plan that runs, and a test that passes."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli


def test_the_example_is_a_test_that_passes(root_cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert root_cli("init", folder).code == 0
    assert root_cli("validate", "--strict", folder / "plan.yaml").code == 0
    assert root_cli("test", folder).code == 0
