"""What a result never overwrites: what it is made from, and the store it is kept in."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.store import FILE_NAMES


def spare(
    flag: str, target: Path | None, inputs: Iterable[str | Path | None], world: World, store: Path | None
) -> None:
    """Raise UsageError where a result under this name would take the place of one of these files, or of the store."""
    if target is None or _is_special(target):  # a terminal is read and written
        return
    for each in inputs:
        if each is not None and _same(target, Path(each)):
            raise UsageError(f"{flag} {target} would overwrite {each}, which is read", hint="name another file")
    for file in _store_files(world, store):
        if _same(target, file):
            raise UsageError(f"{flag} {target} would overwrite the store", hint="name another file")


def started(planner: str | None, tools: str | None) -> Iterator[Path]:
    """The files that a planner command and Python tools may be made of."""
    with suppress(ValueError):  # a quote that is never closed: who starts the command says so
        yield from map(Path, shlex.split(planner or ""))
    # The tools were imported to be looked at by now, so their file is known without looking for it.
    module = sys.modules.get((tools or "").partition(":")[0])
    if file := getattr(module, "__file__", None):
        yield Path(file)


def _store_files(world: World, store: Path | None) -> list[Path]:
    try:
        folder = world.store_folder(store)
    except UsageError:  # there is none
        return []
    return [folder / name for name in FILE_NAMES]


def _is_special(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _same(target: Path, other: Path) -> bool:
    try:
        # By name for files that are not there yet, by the file itself for links and for names that differ in case.
        return os.path.realpath(target) == os.path.realpath(other) or target.samefile(other)
    except (OSError, ValueError):  # one of them is not there, or can't be
        return False
