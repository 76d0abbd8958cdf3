"""Names for rehearsal files: a trace's own id, made safe for a file system, and numbered where two are alike."""

from __future__ import annotations

import re
from itertools import count

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 80


class NamesGiven:
    """Gives every trace a name of its own."""

    def __init__(self, stem: str) -> None:
        self._stem = safe(stem) or "trace"
        self._taken: set[str] = set()
        self._loose = 0

    def name(self, id_: str) -> str:
        """The name for a trace with this id; without one, the file's name and a number."""
        wanted = safe(id_)
        if not wanted:
            self._loose += 1
            wanted = self._stem if self._loose == 1 else f"{self._stem}-{self._loose}"
        return self._free(wanted)

    def _free(self, wanted: str) -> str:
        names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
        name = next(name for name in names if name.casefold() not in self._taken)
        self._taken.add(name.casefold())
        return name


def safe(id_: str) -> str:
    """An id without anything that means something in a path."""
    return _UNSAFE.sub("-", id_).strip("-")[:_LONGEST].strip("-")
