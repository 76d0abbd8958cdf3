"""What `init` writes is a plan that runs, and a test that passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_the_example_is_a_test_that_passes(root_cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert root_cli("init", folder).code == 0
    assert root_cli("validate", "--strict", folder / "plan.yaml").code == 0
    assert root_cli("test", folder).code == 0


@pytest.mark.parametrize(("name", "schema"), [("plan.yaml", "plan"), ("plan.outcomes.yaml", "outcomes")])
def test_each_file_names_the_schema_that_lies_beside_it(root_cli: Cli, tmp_path: Path, name: str, schema: str) -> None:
    assert root_cli("init", tmp_path, "-q").code == 0
    first, *_ = (tmp_path / name).read_text(encoding="utf-8").splitlines()
    assert first == f"# yaml-language-server: $schema={schema}.schema.json"
    assert (tmp_path / f"{schema}.schema.json").read_text(encoding="utf-8") == root_cli("schema", schema).out


def test_the_schemas_are_no_plans(root_cli: Cli, tmp_path: Path) -> None:
    assert root_cli("init", tmp_path, "-q").code == 0
    assert root_cli("validate", tmp_path).out == "0 errors and 0 warnings in 1 file.\n"
