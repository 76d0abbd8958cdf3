"""New ids: one more than the highest number a text ever had, so that no id is given another meaning.

An id's number is a trailing run of at most three digits (`s3`), or the whole of an id of up to 18 digits (`3`); a
longer run is a year, a port or a hash, and no number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from replanctl.plan.model import ID_LENGTH

_BARE = 18  # digits up to which an id that is nothing else counts
_FIRST = 2  # what a text without a number goes on with: `summarise`, `summarise_2`
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,3}\Z")


@lru_cache(maxsize=16_384)  # every session that replans looks at every id of its plan
def split(id_: str) -> tuple[str, int | None]:
    """An id's text and number; None where it has no number."""
    if id_.isdecimal() and len(id_) <= _BARE:
        return "", int(id_)
    found = _NUMBER.search(id_)
    return (id_[: found.start()], int(found.group())) if found else (id_, None)


# Ids are never used twice in a session, not even those of steps that went long ago: lessons, rules, the ledger and a
# person's notes name steps by them. The highest number is kept for each text, so that a new id takes a look-up and not
# a search through all that were ever used.
class IdBook:
    """The highest number each text had among the ids ever used. `known` is only looked into, never changed."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        self._highest: dict[str, int] = {}
        self._free: dict[tuple[str, bool], int] = {}  # a number below which all above the highest are known to be taken
        for id_ in known:
            self.note(id_)

    def note(self, id_: str) -> None:
        """This id is used from now on."""
        text, number = split(id_)
        if number is not None and number > self._highest.get(text, -1):
            self._highest[text] = number

    def highest(self, text: str) -> int:
        """The highest number this text ever had; -1 where it had none."""
        return self._highest.get(text, -1)

    def free(self, text: str, start: int, *, bare: bool) -> int:
        """The first number above the highest, and not below `start`, that no known id has."""
        # An id with a longer number (`s1000`) has none by the rule above, and may stand in the way all the same.
        n = max(start, self._free.get((text, bare), 0))
        while _numbered(text, n, bare=bare) in self.known:
            n += 1
        if start == self._after_highest(text, bare=bare):
            self._free[text, bare] = n
        return n

    def _after_highest(self, text: str, *, bare: bool) -> int:
        highest = self.highest(text)
        return highest + 1 if highest >= 0 else _FIRST if bare else 0


class NewIds:
    """New ids for the steps of one draft, given out in its order. The draft's `own` ids count as used."""

    def __init__(self, book: IdBook, own: Iterable[str] = ()) -> None:
        self._book = book
        self._taken = set(own)
        self._own = IdBook(self._taken)
        self._next: dict[tuple[str, bool], int] = {}

    def after(self, id_: str) -> str:
        """The next id after this one."""
        text, number = split(id_)
        bare = number is None  # the number is set off from a text that had none
        text = f"{text}_" if bare else text
        n = max(self._start(text, bare=bare), self._next.get((text, bare), 0))
        new, known, taken = _numbered(text, n, bare=bare), self._book.known, self._taken
        while new in known or new in taken:
            n = self._book.free(text, n if new in known else n + 1, bare=bare)
            new = _numbered(text, n, bare=bare)
        self._next[text, bare] = n + 1
        taken.add(new)
        self._own.note(new)
        return new

    def _start(self, text: str, *, bare: bool) -> int:
        highest = max(self._book.highest(text), self._own.highest(text))
        return highest + 1 if highest >= 0 else _FIRST if bare else 0


def _numbered(text: str, number: int, *, bare: bool) -> str:
    """The text with its number, cut where the id would be too long."""
    tail = f"_{number}" if bare else str(number)
    return (text[:-1] if bare else text)[: ID_LENGTH - len(tail)] + tail
