"""The faces of the rooms: every name that is promised there is there."""

from __future__ import annotations

from importlib import import_module

import pytest

ROOMS = ["cost", "files", "host", "lab", "live", "plan", "replan", "report", "run", "schema", "show", "store", "traces"]


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
