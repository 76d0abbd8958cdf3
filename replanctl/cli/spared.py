"""What a result never overwrites: what it is made from, and the store it is kept in."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from replanctl.cli.flags import WRITTEN, Shared, flags_of
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.store import FILE_NAMES

STDIO = "-"  # standard input, and standard output


# What a flag names is read, where its value is written so in the help and it is none of `WRITTEN`: a new flag with a
# FILE is spared from the day it is declared, by every verb.
_READ = ("FILE", "PLAN", "CORPUS", "PATH")


def spare(options: Shared, world: World, found: Iterable[str | Path] = ()) -> None:
    """Raise UsageError where the result of these options would take the place of a file that is read, or of the store.

    Read is what the options name, and what was `found` from there: the outcomes beside a plan, the plans of a folder.
    """
    for field, flag in WRITTEN.items():
        target = getattr(options, field, None)
        if target is not None and (lost := taken_by(target, options, world, found)):
            raise UsageError(f"{flag} {target} would overwrite {lost}", hint="name another file")


def taken_by(target: Path, options: Shared, world: World, found: Iterable[str | Path] = ()) -> str:
    """What a file under this name would take the place of; empty where that is nothing of ours."""
    if str(target) == STDIO or _is_special(target):  # a terminal is read and written
        return ""
    for each in (*_given(options), *found):
        if _same(target, Path(each)):
            return f"{each}, which is read"
    return "the store" if any(_same(target, file) for file in _store_files(world, options.store)) else ""


def _given(options: Shared) -> Iterator[str | Path]:
    """The files that the options name, and those that what they start may be made of."""
    for field, flag in flags_of(type(options)).items():
        value = getattr(options, field)
        if flag.metavar in _READ and field not in WRITTEN and value is not None:
            yield from (each for each in (value if isinstance(value, tuple) else (value,)) if str(each) != STDIO)
    yield from started(getattr(options, "planner", None), getattr(options, "tools", None))


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
