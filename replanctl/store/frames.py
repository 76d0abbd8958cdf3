"""What a row of the store holds: a frame that says by itself what it is and whether it is whole.

SQLite finds rows through pages that many runs share: its header, its schema, the inner pages of its trees. One flipped
bit there hides every row behind it, although the rows are as they were. So nothing rests on those pages alone. A body
is cut into pieces that fit on one page each, every piece has its run, its place, its length and a checksum in front of
it, and `store/salvage.py` finds the pieces by reading the file from end to end when SQLite can't.

    magic 4 · checksum 4 · key 8 (kind, run, number) · turn 4 · length 2 · last 1 · payload

Lines of JSON are packed before they are cut, because events repeat each other: twenty times smaller, and faster so.
`turn` counts how often the run was taken up again: what an earlier turn left on free pages is told from what holds.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

MAGIC = b"\xb6RP2"
PAYLOAD = 4000  # bytes: with its frame and SQLite's own words a piece fits on a page of 4096
MOST_RUNS = (1 << 24) - 1
MOST_PIECES = (1 << 36) - 1  # of one kind in one run

_LEVEL = 1  # more effort costs more time than it saves

DamagedError = zlib.error

_HEAD = struct.Struct(">4sIQIHB")
_SUMMED = 8  # the checksum covers what comes behind it


class Kind(IntEnum):
    """What a piece belongs to. The value is stored."""

    HEAD = 0
    INPUTS = 1
    EVENTS = 2
    EFFECTS = 3
    RESULT = 4
    GOAL = 5


class Piece(NamedTuple):
    """One piece of a body; `last` says that the body ends with it."""

    key: int
    turn: int
    last: bool
    payload: bytes


def key(kind: Kind, run: int, number: int = 0) -> int:
    """Where a piece stands: all pieces of one kind and run are neighbours, in their order."""
    return kind << 60 | run << 36 | number


def kind_and_run(key: int) -> tuple[int, int]:
    """What a key says of its piece."""
    return key >> 60, key >> 36 & MOST_RUNS


def framed(piece: Piece) -> bytes:
    """The row of a piece."""
    head = _HEAD.pack(MAGIC, 0, piece.key, piece.turn, len(piece.payload), piece.last)
    tail = head[_SUMMED:] + piece.payload
    return MAGIC + zlib.crc32(tail).to_bytes(4, "big") + tail


def read_frame(data: object, at: int = 0) -> Piece | None:
    """The piece whose frame begins here; None where it is not whole, or is no frame."""
    if not isinstance(data, bytes) or len(data) < at + _HEAD.size:
        return None
    magic, checksum, key, turn, length, last = _HEAD.unpack_from(data, at)
    body = data[at + _SUMMED : at + _HEAD.size + length]
    if magic != MAGIC or len(body) != _HEAD.size - _SUMMED + length or zlib.crc32(body) != checksum:
        return None
    return Piece(key, turn, bool(last), body[_HEAD.size - _SUMMED :])


def frame_size(piece: Piece) -> int:
    """How many bytes the frame of a piece takes."""
    return _HEAD.size + len(piece.payload)


LARGEST = _HEAD.size + PAYLOAD


def cut(body: bytes, kind: Kind, run: int, first: int, turn: int) -> list[Piece]:
    """A body in pieces, numbered from `first`."""
    starts = range(0, max(len(body), 1), PAYLOAD)
    return [
        Piece(key(kind, run, number), turn, start == starts[-1], body[start : start + PAYLOAD])
        for number, start in enumerate(starts, first)
    ]


def joined(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The bodies that these pieces make. What is left without its last piece is dropped."""
    parts: list[bytes] = []
    for piece in pieces:
        parts.append(piece.payload)
        if piece.last:
            yield b"".join(parts)
            parts.clear()


def pack(lines: Sequence[bytes]) -> bytes:
    """The lines as one body, with a checksum in it."""
    return zlib.compress(b"\n".join(lines), _LEVEL)


def unpack(body: bytes) -> list[bytes]:
    """The lines of a body. Raises `DamagedError` when it is not what was packed."""
    return zlib.decompress(body).split(b"\n")
