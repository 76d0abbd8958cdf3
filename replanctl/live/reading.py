"""With which ids a text is read: a reference is read once, and an id born later changes no older text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import msgspec

from replanctl.plan import IdBook, NewIds


class Reading(msgspec.Struct, frozen=True, gc=False):
    """With which ids a step's text is read: those known up to the version it was written in, and those that were put
    into it since, when references followed a step that went. An id born later changes no older text."""

    upto: int = 1
    also: frozenset[str] = frozenset()


class Ids(dict[str, int]):
    """Every id ever used, and the version it was born in."""

    def __init__(self) -> None:
        super().__init__()
        self._youngest = 0  # the last version that brought an id
        self._book: IdBook | None = None  # the numbers that ids ever had, once somebody asked

    def add(self, id_: str, version: int) -> None:
        """A step of this id is in this version; only the first of its name is a birth."""
        if id_ not in self:
            self[id_] = self._youngest = version
            if self._book is not None:
                self._book.note(id_)

    def new(self, own: Iterable[str] = ()) -> NewIds:
        """New ids for a draft, whose `own` ids count as used."""
        if self._book is None:
            self._book = IdBook(self)
        return NewIds(self._book, own)

    def read(self, reading: Reading) -> Container[str]:
        """The ids that are references in a text."""
        return self if reading.upto >= self._youngest else Known(self, reading)


class Known:
    """The ids of one reading, looked up among all and the versions they were born in."""

    def __init__(self, known: Mapping[str, int], reading: Reading) -> None:
        self._known, self._reading = known, reading

    def __contains__(self, id_: object) -> bool:
        if id_ in self._reading.also:
            return True
        return isinstance(id_, str) and self._known.get(id_, self._reading.upto + 1) <= self._reading.upto
