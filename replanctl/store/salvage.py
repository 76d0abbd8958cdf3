"""Reading the pieces of a store without SQLite: the file is read from end to end, and every whole frame counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from replanctl.store.frames import LARGEST, MAGIC, Kind, Piece, frame_size, kind_and_run, read_frame
from replanctl.store.model import Head, decode_head

WINDOW = 1 << 20  # bytes that are held at a time

_MAGIC = re.compile(re.escape(MAGIC))


class _Spot(NamedTuple):
    """Where a frame was found."""

    path: Path
    at: int


class Salvage:
    """What can be found in the file of a store and in its log. Raises OSError where they can't be read."""

    def __init__(self, path: Path) -> None:
        self.heads: dict[int, Head] = {}
        self.runs: set[int] = set()  # every run of which something was found
        self._spots: dict[tuple[int, int], _Spot] = {}
        for file in (path, path.with_name(path.name + "-wal")):
            if file.is_file():
                for at, piece in _frames(file):
                    self._keep(file, at, piece)

    def _keep(self, file: Path, at: int, piece: Piece) -> None:
        kind, run = kind_and_run(piece.key)
        self.runs.add(run)
        if kind != Kind.HEAD:
            self._spots[piece.key, piece.turn] = _Spot(file, at)
        elif head := decode_head(piece.payload, run):
            known = self.heads.get(run)
            # A page that was given back still holds what was on it: of several heads of a run the newest counts.
            if known is None or (known.turn, known.edition) < (head.turn, head.edition):
                self.heads[run] = head

    def pieces(self, keys: Iterable[int], turn: int) -> Iterator[Piece]:
        """The pieces with these keys, in their order, up to the first that is not there."""
        for key in keys:
            spot = self._spots.get((key, turn))
            piece = spot and _read(spot)
            if not piece or piece.key != key:
                return
            yield piece

    def holds(self, first: int, last: int, turn: int) -> bool:
        """Whether there is any piece with a key in this range."""
        return any(first <= key <= last and of == turn for key, of in self._spots)


def _read(spot: _Spot) -> Piece | None:
    with spot.path.open("rb") as file:
        file.seek(spot.at)
        return read_frame(file.read(LARGEST))


def _frames(path: Path) -> Iterator[tuple[int, Piece]]:
    """Every whole frame of a file and where it begins. A frame inside another is a part of that one's payload."""
    end = 0
    with path.open("rb") as file:
        base, data = 0, file.read(WINDOW)
        while data:
            more = file.read(WINDOW)
            inside = len(data) if more else len(data) + LARGEST
            window = data + more[:LARGEST]
            for found in _MAGIC.finditer(window):
                at = base + found.start()
                if found.start() >= inside or at < end:
                    continue
                if piece := read_frame(window, found.start()):
                    end = at + frame_size(piece)
                    yield at, piece
            base, data = base + len(data), more
