"""With which ids a text is read: a reference is read once, and an id born later changes no older text."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Reading(msgspec.Struct, frozen=True, gc=False):
    """With which ids a step's text is read: those known up to the version it was written in, and those that were put
    into it since, when references followed a step that went. An id born later changes no older text."""

    upto: int = 1
    also: frozenset[str] = frozenset()


class Known:
    """The ids of one reading, looked up among all and the versions they were born in."""

    def __init__(self, known: Mapping[str, int], reading: Reading) -> None:
        self._known, self._reading = known, reading

    def __contains__(self, id_: object) -> bool:
        if id_ in self._reading.also:
            return True
        return isinstance(id_, str) and self._known.get(id_, self._reading.upto + 1) <= self._reading.upto
