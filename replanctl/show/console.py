"""The console everything is drawn on. Whether there is colour is the caller's word, never the environment's:
who calls has read it."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from replanctl.show.text import glyphs_for
from replanctl.show.words import number, plural, seconds

if TYPE_CHECKING:
    from rich.console import Console


NARROWEST, WIDEST = 20, 400
DEFAULT_WIDTH = 80


# Rich looks at the environment, guesses at the terminal, and colours numbers and paths it finds in a text. All of it is
# switched off: what is coloured and how wide a line may be is decided by who calls, so that the same input gives the
# same bytes.
def make_console(stream: TextIO, *, color: bool, width: int | None = None) -> Console:
    """A console on a stream. `width` in columns, by default the terminal's."""
    from rich.console import Console

    columns = terminal_width(stream) if width is None else width
    return Console(
        file=stream,
        width=min(max(columns, NARROWEST), WIDEST),
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},  # FORCE_COLOR, TERM, COLUMNS and the like have no say here
    )


def terminal_width(stream: TextIO) -> int:
    """The columns of the terminal a stream writes to; 80 where it is none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError, AttributeError):
        return DEFAULT_WIDTH


WORTH_IT = 1 << 20  # bytes of a file whose reading is shown
WIDTH = 30  # columns of the bar of a reading
EVERY = 0.1  # seconds between two drawings
BAR = 24  # columns


class _Line:
    """A line of a terminal that is written over again while something is under way."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wipe it."""
        self._end(well=error is None)

    def _end(self, *, well: bool) -> None:
        raise NotImplementedError


class Progress(_Line):
    """Counts sessions, and says on a terminal how many are done, how fast, and how long the rest takes.

    `clock` gives seconds. Where the stream is no terminal, or it is not to be `shown`, nothing is written. After the
    sessions whose numbers are in `pauses`, and after the last, a table may be written to the same terminal: by then the
    line is wiped.
    """

    def __init__(
        self,
        stream: TextIO,
        total: int,
        clock: Callable[[], float],
        *,
        shown: bool = True,
        pauses: Container[int] = (),
    ) -> None:
        self._stream, self._total, self._clock, self._pauses = stream, total, clock, pauses
        self._shown = shown and stream.isatty()
        self._began = self._drawn = clock()
        self._new = 0
        self.done = 0

    def tell(self, *, new: bool = True) -> None:
        """One more session is done; one that is not `new` was done before."""
        self.done += 1
        self._new += new
        if self._shown and (self.done in self._pauses or self.done >= self._total):
            self._wipe()
        # Not at each session: a terminal that is written to a thousand times a second is what would be waited for.
        elif self._shown and (now := self._clock()) - self._drawn >= EVERY:
            self._drawn = now
            self._write(self._line(now - self._began))

    def _line(self, spent: float) -> str:
        glyphs = glyphs_for(self._stream.encoding)
        full = BAR * self.done // max(self._total, 1)
        rate = self._new / spent if spent > 0 else 0.0
        left = f"{glyphs.dot} {seconds(round((self._total - self.done) / rate))} left" if rate else ""
        bar = glyphs.full * full + glyphs.empty * (BAR - full)
        return f"  {bar} {number(self.done)} of {number(self._total)} {glyphs.dot} {number(rate)} a second {left}"

    def _write(self, line: str) -> None:
        room = terminal_width(self._stream) - 1
        self._stream.write(f"\r{line[:room]:<{room}}")
        self._stream.flush()

    def _wipe(self) -> None:
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _end(self, *, well: bool) -> None:
        """Wipe the line, and say what it came to where all went well."""
        if not self._shown:
            return
        if self.done < self._total:  # behind the last session it is wiped, and a table stands there
            self._wipe()
        spent = self._clock() - self._began
        rate = number(self._new / max(spent, 1e-9))
        if well and self._new:
            self._stream.write(f"  {plural(self._new, 'session')} in {spent:.1f}s, {rate} a second\n")
        self._stream.flush()


class ReadingBar(_Line):
    """Says on a terminal how much of a file is read; the line is gone when reading is over.

    A file that is read at once, standard input (`-`), and one that is not to be `shown`, have none.
    """

    def __init__(self, stream: TextIO, file: str, *, shown: bool = True) -> None:
        self._stream = stream
        self._size = 0
        with suppress(OSError, ValueError):
            self._size = Path(file).stat().st_size if file != "-" else 0
        self.shown = shown and self._size > WORTH_IT and stream.isatty()
        self._drawn = -1

    def at(self, done: int) -> None:
        """So many bytes are read."""
        part = min(100, 100 * done // self._size)
        if part != self._drawn:
            self._drawn = part
            full = part * WIDTH // 100
            self._stream.write(f"\r  reading [{'#' * full}{'-' * (WIDTH - full)}] {part:3} %")
            self._stream.flush()

    def _end(self, *, well: bool) -> None:
        """Wipe the line."""
        if self._drawn >= 0:
            self._stream.write(f"\r{' ' * (WIDTH + 20)}\r")
            self._stream.flush()
