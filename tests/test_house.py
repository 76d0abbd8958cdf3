"""The house stays easy to read: short modules and functions, comments that say why, and nothing that nobody uses."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "replanctl"
MODULES = sorted(PACKAGE.rglob("*.py"))

LONGEST_MODULE = 300  # lines
LONGEST_FUNCTION = 40  # lines behind its signature and docstring

# Comment lines in 100 lines of code, at the least: in all, and in any one room, so that none lives on the others.
IN_ALL, IN_A_ROOM = 5.0, 4.5
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def name_of(path: Path) -> str:
    names = ("replanctl", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(names).removesuffix(".__init__")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_function_is_long(path: Path) -> None:
    lengths = {f.name: body_lines(f) for f in ast.walk(parsed(path)) if isinstance(f, ast.FunctionDef)}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


def body_lines(function: ast.FunctionDef) -> int:
    """The lines of a function that do something: a signature with a line a parameter and a docstring are read apart."""
    own = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - own[0].lineno + 1 if own else 0


def counted(path: Path) -> tuple[int, int]:
    """The lines of code of a module, and its comment lines. Docstrings and empty lines are neither."""
    text = path.read_text(encoding="utf-8")
    docs = {line for node in ast.walk(ast.parse(text)) for line in docstring_lines(node)}
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    alone = {t.start[0] for t in tokens if t.line.lstrip().startswith("#")}
    lines = enumerate(text.splitlines(), start=1)
    code = sum(1 for number, line in lines if line.strip() and number not in docs | alone)
    return code, sum(1 for token in tokens if says_something(token.string))


def docstring_lines(node: ast.AST) -> range:
    if isinstance(node, Documented) and ast.get_docstring(node, clean=False) is not None:
        return range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    return range(0)


def says_something(comment: str) -> bool:
    """Whether a comment is one for a reader: no banner, no word to a tool, no empty line between two paragraphs."""
    text = comment.lstrip("# ")
    return bool(text) and not text.startswith(("--", "noqa", "type: ignore", "fmt:"))


def density(paths: Iterable[Path]) -> float:
    code, comments = map(sum, zip(*map(counted, paths), strict=True))
    return 100 * comments / code


def test_comments_say_why() -> None:
    assert density(MODULES) >= IN_ALL


@pytest.mark.parametrize("room", ROOMS)
def test_comments_say_why_in_every_room(room: str) -> None:
    assert density((PACKAGE / room).rglob("*.py")) >= IN_A_ROOM


# How a module comes to be loaded: imported by name, by the table of a face (`lazily`), by a table that is read late
# (`Later`, the package's own `_HOMES`), as a verb, or by whoever runs or installs the package.
STARTED = {"replanctl", "replanctl.__main__", "replanctl.cli.plugin"}


def loads(path: Path) -> Iterator[str]:
    """Every module that a module may load, by name. What is no module among them does no harm."""
    name = name_of(path)
    room = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("lazily", "Later"):
            words = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            yield from (f"{room}.{word}" for word in words if isinstance(word, str))


def test_no_module_is_left_over() -> None:
    from replanctl.cli.app import VERBS

    verbs = {f"replanctl.cli.verbs.{'import_' if verb == 'import' else verb}" for verb in VERBS}
    used = STARTED | verbs | {name for path in MODULES for name in loads(path) if name != name_of(path)}
    assert {name_of(path) for path in MODULES if path.name != "__init__.py"} - used == set()


def test_no_two_modules_of_a_room_import_each_other_in_a_circle() -> None:
    names = {name_of(path) for path in MODULES}
    # What is imported inside a function or for types alone is no part of loading; a face knows all of its room.
    loaded = {name_of(path): set(loaded_at_once(parsed(path))) & names for path in MODULES}
    inner = {name: {other for other in found if not is_face(other)} for name, found in loaded.items()}
    waits = Counter({name: len(found) for name, found in inner.items()})
    ready = [name for name in inner if not waits[name]]
    while ready:
        done = ready.pop()
        del waits[done]
        for name, found in inner.items():
            if done in found:
                waits[name] -= 1
                if not waits[name]:
                    ready.append(name)
    assert sorted(waits) == []


def is_face(name: str) -> bool:
    return (PACKAGE.parent.joinpath(*name.split(".")) / "__init__.py").is_file()


def loaded_at_once(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))
