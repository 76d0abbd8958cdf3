"""The face of the room: everything that others need is there, and they take it from there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import replanctl
from replanctl import files

PACKAGE = Path(replanctl.__file__).parent
OTHERS = [path for path in sorted(PACKAGE.rglob("*.py")) if "files" not in path.relative_to(PACKAGE).parts]


def test_every_name_is_there() -> None:
    assert sorted(files._HOME_OF) == sorted(files.__all__)
    assert all(getattr(files, name).__name__ == name for name in files.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'load_plans'"):
        _ = files.load_plans


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_other_rooms_come_in_by_it(path: Path) -> None:
    modules = [node.module for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    assert [module for module in modules if module and module.startswith("replanctl.files.")] == []
