"""The edges of the command line, passed in: streams, environment, clock. Nothing else looks at them."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec

from replanctl.cli.flags import Color
from replanctl.cli.output import OutputError
from replanctl.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from replanctl.show import Paper

STORE_VARIABLE = "REPLANCTL_STORE"
DEFAULT_STORE = Path(".replanctl")
_DIGITS = 10  # of a width: what is longer is no width but a slip


# Everything outside that a verb may touch comes in as one value. So a test runs any verb in its own process with
# streams of its own, a clock that stands still and an empty environment, and two verbs can't disagree about where the
# store lies.
class World(msgspec.Struct, frozen=True):
    """Where a verb reads and writes. `now` gives the wall-clock time in UTC, ISO 8601."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    now: Callable[[], str]
    clock: Callable[[], float] = time.monotonic  # seconds, for what is told of a long wait

    @classmethod
    def real(cls) -> World:
        """The streams, the environment and the clocks of this process."""
        return cls(sys.stdin, patient(sys.stdout), patient(sys.stderr, forgiving=True), os.environ, utc_now)

    def says_color(self, when: Color, stream: TextIO) -> bool:
        """Whether to colour a stream: the command line decides, then NO_COLOR, then FORCE_COLOR, then the terminal."""
        if when is not Color.AUTO:
            return when is Color.ALWAYS
        # By no-color.org any text but an empty one counts. Rich and typer would each read these variables in their own
        # way (Rich colours under `FORCE_COLOR=0`, typer under `GITHUB_ACTIONS`), so it is decided once and they are
        # told.
        if self.environ.get("NO_COLOR"):
            return False
        forced = self.environ.get("FORCE_COLOR", "0") not in ("", "0")
        return forced or (stream.isatty() and self.environ.get("TERM") != "dumb")

    def paper(self, stream: TextIO, when: Color) -> Paper:
        """A paper on a stream, with colour and width as the flags and the environment say."""
        from replanctl.show import Paper, make_console

        return Paper(make_console(stream, color=self.says_color(when, stream), width=self._columns()))

    def columns(self, stream: TextIO) -> int | None:
        """How wide a line may be; None where nobody says so: in a file, or for another program."""
        from replanctl.show import NARROWEST, terminal_width

        if (asked := self._columns()) is None and not stream.isatty():
            return None
        return max(asked or terminal_width(stream), NARROWEST)

    def _columns(self) -> int | None:
        """The width that COLUMNS asks for; None where it says no number above 0."""
        asked = self.environ.get("COLUMNS", "")
        return int(asked) or None if asked.isascii() and asked.isdecimal() and len(asked) < _DIGITS else None

    def store_folder(self, given: Path | None) -> Path:
        """Where runs are kept. Raises UsageError when the environment says explicitly: nowhere."""
        if given is not None:
            return given
        named = self.environ.get(STORE_VARIABLE)
        # An empty variable is a way to say that nothing may be written by default, as tests do: it must not quietly
        # mean the working folder.
        if named == "":
            raise UsageError(f"{STORE_VARIABLE} is empty: there is no default store", hint="name one with --store")
        return Path(named) if named else DEFAULT_STORE


def utc_now() -> str:
    """The wall-clock time in UTC, ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def patient(stream: TextIO | None, *, forgiving: bool = False) -> TextIO:
    """A stream that goes on without a reader, and spells what its encoding can't say instead of failing.

    A `forgiving` one does not fail either where nothing can be written: what is said on the side decides nothing.
    """
    if stream is None:  # closed by the caller
        return Path(os.devnull).open("w", encoding="utf-8")
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED leaves the buffer out
    if not isinstance(raw, io.FileIO):
        return stream  # a test's own
    writer = io.BufferedWriter(_Pipe(raw, forgiving=forgiving), buffer_size=1 << 16)
    return io.TextIOWrapper(writer, stream.encoding, "backslashreplace", line_buffering=stream.isatty())


@contextmanager
def failing_at_the_end(stream: TextIO) -> Iterator[None]:
    """A stream that can't be written fails after what is inside, and not in the middle of it. Raises OutputError."""
    pipe = getattr(getattr(stream, "buffer", None), "raw", None)
    if not isinstance(pipe, _Pipe):  # a test's own
        yield
        return
    pipe.forgiving = True
    try:
        yield
        stream.flush()
    finally:
        pipe.forgiving = False
    if pipe.error is not None:
        raise OutputError("the output", pipe.error) from pipe.error


# `replanctl run … | head` closes the pipe early. The session has to come to its end all the same, since it may have
# called real tools and its run is being stored; so what nobody reads any more is dropped.
class _Pipe(io.RawIOBase):
    """A file that takes and drops what comes after its reader went, or after it failed once."""

    def __init__(self, raw: io.FileIO, *, forgiving: bool) -> None:
        self.forgiving = forgiving
        self.error: OSError | None = None
        self._raw = raw
        self._gone = False

    def write(self, data: ReadableBuffer, /) -> int:
        if not self._gone:
            try:
                return self._raw.write(data) or 0
            except BrokenPipeError:
                self._gone = True
            except OSError as error:
                self._gone, self.error = True, error
                if not self.forgiving:
                    raise OutputError("the output", error) from error
        return memoryview(data).nbytes

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._raw.isatty()

    def fileno(self) -> int:
        return self._raw.fileno()
