"""A run, a version, or a version of a run, as a command line names them: `7`, `v2`, `7:v2`."""

from __future__ import annotations

import re

import msgspec

_POINT = re.compile(r"(?:([1-9][0-9]{0,17})(?::(v[1-9][0-9]{0,17}))?|(v[1-9][0-9]{0,17}))")


class Point(msgspec.Struct, frozen=True):
    """What was named; `run` None is the latest, `version` None whatever the verb takes by default."""

    run: int | None = None
    version: str | None = None


def point(text: str) -> Point:
    """`7`, `v2` or `7:v2`; raises ValueError for anything else."""
    found = _POINT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a run (7), a version (v2) or a version of a run (7:v2)")
    return Point(int(found[1]) if found[1] else None, found[2] or found[3])


def version(text: str) -> str:
    """`v2` or `2` as `v2`; raises ValueError for anything else."""
    named = text if text.startswith("v") else f"v{text}"
    if _POINT.fullmatch(named) is None:
        raise ValueError(f"{text!r} is not a version: v2 or 2")
    return named
