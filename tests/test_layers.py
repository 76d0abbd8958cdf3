"""The rooms: imports go up the list only, and each outside library has its one door."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "replanctl"
ROOMS = (
    "errors",
    "lazy",
    "kinds",
    "nearest",
    "plan",
    "schema",
    "cost",
    "money",
    "live",
    "replan",
    "run",
    "script",
    "files",
    "store",
    "host",
    "traces",
    "lab",
    "docs",
    "show",
    "report",
    "cli",
)

# Outside library → the rooms that may import it.
DOORS = {
    "yaml": {"files"},
    "sqlite3": {"store"},
    "rich": {"show", "cli"},
    "typer": {"cli"},
}
# What the core, from `plan` to `script`, has no business with: files, clocks, screens.
EDGES = {"os", "io", "pathlib", "time", "datetime", "random", "sys", "subprocess", "threading", "asyncio", "logging"}
GRANTED = {"replanctl.host.agent": {"time"}, "replanctl.host.functions": {"time"}}
CORE = {"plan", "cost", "replan", "run", "script"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: str) -> str:
    """The room of a module `replanctl.room.name`; empty for the package's own front doors."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else ""


def name_of(path: Path) -> str:
    return ".".join(("replanctl", *path.relative_to(PACKAGE).with_suffix("").parts))


def imports(path: Path) -> Iterator[str]:
    """Every module that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_up_only(path: Path) -> None:
    room = room_of(name_of(path))
    if not room:  # `__init__` re-exports and `__main__` starts: they stand above all rooms
        return
    found = {room_of(name) for name in imports(path) if name.startswith("replanctl.")} - {""}
    assert {other for other in found if ROOMS.index(other) > ROOMS.index(room)} == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_room_is_entered_through_its_face(path: Path) -> None:
    room = room_of(name_of(path))
    if not room:
        return
    for name in imports(path):
        other = room_of(name)
        if other and other != room and (PACKAGE / other / "__init__.py").is_file():
            face = import_module(f"replanctl.{other}")
            _, _, inner, *rest = name.split(".")
            assert not rest, f"{name} goes around the face of {other}"
            assert inner in face.__all__, f"{name} is not on the face of {other}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_each_library_has_its_door(path: Path) -> None:
    room = room_of(name_of(path))
    outside = {name.split(".")[0] for name in imports(path)}
    assert {name for name in outside & DOORS.keys() if room not in DOORS[name]} == set()
    assert room not in CORE or not outside & EDGES


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_core_prints_and_opens_nothing(path: Path) -> None:
    if room_of(name_of(path)) not in CORE:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called & {"print", "open", "input"} == set()


def test_every_room_is_there() -> None:
    assert {room_of(name_of(path)) for path in MODULES} == {*ROOMS, ""}
