"""The faces of the rooms: every name that is promised there is there."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOMS = ["docs", "files", "host", "lab", "live", "plan", "replan", "report", "run", "schema", "show", "store", "traces"]


# Importing a module puts it into its package under its own name: a function of that name, loaded lazily, would be the
# function or the module, whichever came last.
@pytest.mark.parametrize("room", ROOMS)
def test_nothing_that_is_loaded_late_has_the_name_of_its_module(room: str) -> None:
    path = Path(str(import_module(f"replanctl.{room}").__file__))
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    tables = [call.args[1] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "lazily"]
    late = {name for table in tables for names in ast.literal_eval(table).values() for name in names}
    assert late & {each.stem for each in path.parent.glob("*.py")} == set()


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_on_a_face_is_there(room: str) -> None:
    face = import_module(f"replanctl.{room}")
    assert len(set(face.__all__)) == len(face.__all__)
    for name in face.__all__:
        try:
            getattr(face, name)
        except AttributeError:  # a module of the room, entered by its name
            import_module(f"replanctl.{room}.{name}")
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_this_name'"):
        _ = face.nothing_of_this_name
