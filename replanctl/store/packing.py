"""Lines of JSON as they lie on disk: packed, because events repeat each other; twenty times smaller, and faster so."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_LEVEL = 1  # more effort costs more time than it saves

DamagedError = zlib.error


def pack(lines: Sequence[bytes]) -> bytes:
    """The lines as one body, with a checksum in it."""
    return zlib.compress(b"\n".join(lines), _LEVEL)


def unpack(body: bytes) -> list[bytes]:
    """The lines of a body. Raises `DamagedError` when it is not what was packed."""
    return zlib.decompress(body).split(b"\n")
