"""From files and streams to JSON values, one at a time: a document, the items of JSON lines, or a text that is neither.

`.gz` is known by its first bytes. Lines are read as they come, whatever the size of the whole.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from replanctl.errors import InputError, Problem
from replanctl.traces.content import ContentError, loads
from replanctl.traces.trace import Refused

STDIN = "-"
STDIN_NAME = "<stdin>"
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_CUT_OFF = "it may have been cut off or edited"
_PIECE = 1 << 20  # bytes read at once: a signal is heard in between
MOST = 1 << 29  # bytes of a line or a document, unpacked: what is held in memory at once
_PULSE = 1 << 18  # bytes between two looks at how far reading has come

Progress = Callable[[int], None]  # told the bytes read so far, of the file as it lies on the disk


class Item(msgspec.Struct, frozen=True):
    """One JSON value and where it stands; `text` instead of a value where the whole is no JSON."""

    place: str
    value: Any = None
    text: str | None = None


Read = Item | Refused


def items_of(source: str | Path | Iterable[Any], stdin: Any = None, progress: Progress | None = None) -> Iterator[Read]:
    """Everything a source holds, in its order. A source is a path, `-`, or lines (text, bytes, or values).

    Raises InputError where it can't be opened.
    """
    if isinstance(source, str | Path):
        with _opened(str(source), stdin) as (name, stream):
            yield from _items(name, _Counted(stream, progress))
    else:
        yield from _of_lines(source)


def _of_lines(lines: Iterable[Any]) -> Iterator[Read]:
    for number, line in enumerate(lines, start=1):
        if isinstance(line, str | bytes):
            yield from _line("<lines>", number, line.encode(errors="replace") if isinstance(line, str) else line)
        else:
            yield _plain(f"<lines>:{number}", line)


def _plain(place: str, value: Any) -> Read:
    """A value as JSON knows it."""
    try:
        return Item(place, loads(msgspec.json.encode(value)))
    except (TypeError, ValueError, RecursionError) as error:
        return Refused(place, f"this is no JSON value: {error}")


@contextmanager
def _opened(name: str, stdin: Any) -> Iterator[tuple[str, IO[bytes]]]:
    if name == STDIN:
        yield STDIN_NAME, getattr(stdin, "buffer", stdin)
        return
    try:
        with Path(name).open("rb") as stream:
            yield name, stream
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        hint = "check that the path is right and that you may use it"
        problem = Problem(name, 0, 0, "unreadable", f"can't be read: {why}", hint=hint)
        raise InputError([problem]) from None


class _Counted:
    """A stream's lines, unpacked where it is gzip; reading is told how far it has come."""

    def __init__(self, stream: IO[bytes], progress: Progress | None) -> None:
        head = stream.read(2)
        self._raw = _Pushed(stream, head, progress)
        packed = head == _GZIP
        self._lines = cast("IO[bytes]", gzip.GzipFile(fileobj=cast("IO[bytes]", self._raw)) if packed else self._raw)

    def readline(self) -> bytes:
        """The next line."""
        line = self._lines.readline(_PIECE)
        if len(line) < _PIECE or line.endswith(b"\n"):
            return line
        return _joined(line, lambda: self._lines.readline(_PIECE), line=True)

    def read(self) -> bytes:
        """What is left."""
        return _joined(b"", lambda: self._lines.read(_PIECE), line=False)


# A line may be as long as a device goes on, or as whoever packed it wishes: nobody waits for its end.
def _joined(data: bytes, more: Callable[[], bytes], *, line: bool) -> bytes:
    """This and the pieces that come after it, up to the end of its line or of all. Raises _TooLargeError."""
    pieces, size = [data], len(data)
    while not (line and pieces[-1].endswith(b"\n")) and (piece := more()):
        pieces.append(piece)
        size += len(piece)
        if size > MOST:
            raise _TooLargeError
    return b"".join(pieces)


class _TooLargeError(Exception):
    """A line or a document is longer than what may be held at once."""


class _Pushed:
    """A stream of which the first bytes were looked at already."""

    def __init__(self, stream: IO[bytes], head: bytes, progress: Progress | None) -> None:
        self._stream, self._head, self._progress = stream, head, progress
        self._count = self._told = 0

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return self._counted(head + self._stream.read(size if size < 0 else max(0, size - len(head))))

    def readline(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return self._counted(head if head.endswith(b"\n") else head + self._stream.readline(size))

    def _counted(self, data: bytes) -> bytes:
        self._count += len(data)
        if self._progress is not None and (self._count - self._told > _PULSE or not data):
            self._told = self._count
            self._progress(self._count)
        return data


def _items(name: str, stream: _Counted) -> Iterator[Read]:
    number = 0
    try:
        line, number = _first_line(stream)
        if not line:
            yield Refused(name, "it is empty")
        elif (value := _whole(line)) is not _NOTHING:
            yield from _lines(name, stream, number, value)
        else:
            yield from _document(name, line, number, stream)
    except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as error:
        yield Refused(name, f"it can't be unpacked to its end: {error}", "copy the file again")
    except _TooLargeError:
        yield Refused(name, f"it holds a line or a document of more than {MOST >> 20} MB", "write one trace a line")


_NOTHING = object()


def _first_line(stream: _Counted) -> tuple[bytes, int]:
    """The first line with something in it, and its number."""
    number = 0
    while line := stream.readline():
        number += 1
        line = line.removeprefix(_MARK) if number == 1 else line
        if not line.isspace():
            return line, number
    return b"", number


def _whole(line: bytes) -> Any:
    """What a line says, if it is a whole JSON value."""
    if line.lstrip()[:1] not in (b"{", b"["):
        return _NOTHING
    try:
        return loads(line)
    except ContentError:
        return _NOTHING


def _lines(name: str, stream: _Counted, number: int, first: Any) -> Iterator[Read]:
    """A line that is a JSON value, and those after it."""
    yield Item(f"{name}:{number}", first)
    while line := stream.readline():
        number += 1
        yield from _line(name, number, line)


def _line(name: str, number: int, line: bytes) -> Iterator[Read]:
    line = line.strip()
    if not line:
        return
    try:
        yield Item(f"{name}:{number}", loads(line))
    except ContentError as error:
        yield Refused(
            f"{name}:{number}:{(error.at or 0) + 1}",
            f"this line is no JSON: {error}",
            _CUT_OFF if line[:1] in (b"{", b"[") else "",
        )


def _document(name: str, line: bytes, number: int, stream: _Counted) -> Iterator[Read]:
    """The whole is one document, or, where its second line is a JSON value, JSON lines with a bad first one."""
    if line.lstrip()[:1] in (b"{", b"[") and len(line.strip()) > 2:
        # A pretty-printed document and JSON lines with a broken first line both begin with a bracket and don't end on
        # their first line; the second line tells them apart, for a line inside a document that is a mapping by itself
        # goes on with a comma.
        second = stream.readline()
        if (value := _whole(second)) is not _NOTHING and isinstance(value, dict):
            yield from _line(name, number, line)
            yield from _lines(name, stream, number + 1, value)
            return
        line += second
    data = line + stream.read()
    if line.lstrip()[:1] not in (b"{", b"["):
        yield _as_text(name, data)
        return
    try:
        yield Item(name, loads(data))
    except ContentError:
        text = _decoded(name, data)
        yield from [text] if isinstance(text, Refused) else _documents(name, text, number)


_DECODER = json.JSONDecoder(parse_constant=str)
_BLANK = re.compile(r"\s*")


def _documents(name: str, text: str, row: int) -> Iterator[Read]:
    """Documents of several lines, one after the other: what a console exporter prints. `row` is the first one's."""
    at = end = 0
    while (begins := _end_of_blank(text, end)) < len(text):
        row += text.count("\n", at, begins)
        at = begins
        try:
            end = _DECODER.raw_decode(text, at)[1]
            yield Item(f"{name}:{row}", loads(text[at:end]))
        except (ValueError, RecursionError) as error:
            yield _no_json(name, text, row, at, error)
            return


def _end_of_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _no_json(name: str, text: str, row: int, at: int, error: Exception) -> Refused:
    wrong = error.pos if isinstance(error, json.JSONDecodeError) else at
    row += text.count("\n", at, wrong)
    said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return Refused(f"{name}:{row}:{wrong - text.rfind(chr(10), 0, wrong)}", f"this is no JSON: {said}", _CUT_OFF)


def _row(data: bytes, at: int) -> tuple[int, int]:
    before = data[:at]
    return before.count(b"\n") + 1, at - before.rfind(b"\n")


# What a file that is no JSON begins with: what that is, and the way out.
_LOOKS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK", "it looks like a zip archive", "unpack it first"),
    (b"BZh", "it looks like bzip2", "unpack it first, or pack it as .gz"),
    (b"\xfd7zXZ", "it looks like xz", "unpack it first, or pack it as .gz"),
    (b"\x28\xb5\x2f\xfd", "it looks like zstd", "unpack it first, or pack it as .gz"),
    (b"\xff\xfe", "it looks like UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "it looks like UTF-16", "save it as UTF-8"),
    (b"SQLite", "it looks like a database", "export its traces as JSON"),
    (b"PAR1", "it looks like Parquet", "export it as JSON lines"),
    (b"<", "it looks like HTML or XML", "export the trace as JSON"),
)


def _as_text(name: str, data: bytes) -> Read:
    for start, what, way_out in _LOOKS:
        if data.lstrip().startswith(start):
            return Refused(name, what, way_out)
    text = _decoded(name, data)
    return text if isinstance(text, Refused) else Item(name, text=text)


def _decoded(name: str, data: bytes) -> str | Refused:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row, column = _row(data, error.start)
        return Refused(f"{name}:{row}:{column}", f"the byte 0x{data[error.start]:02X} is not UTF-8", "save it as UTF-8")
