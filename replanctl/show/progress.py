"""How far a sweep is: one line on a terminal, written over again and wiped at the end."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from replanctl.show.console import terminal_width
from replanctl.show.text import glyphs_for
from replanctl.show.words import number, seconds

EVERY = 0.1  # seconds between two drawings
BAR = 24  # columns


class Progress:
    """Counts sessions, and says on a terminal how many are done, how fast, and how long the rest takes.

    `clock` gives seconds. Where the stream is no terminal, or it is not to be `shown`, nothing is written.
    """

    def __init__(self, stream: TextIO, total: int, clock: Callable[[], float], *, shown: bool = True) -> None:
        self._stream, self._total, self._clock = stream, total, clock
        self._shown = shown and stream.isatty()
        self._began = self._drawn = clock()
        self._new = 0
        self.done = 0

    def tell(self, *, new: bool = True) -> None:
        """One more session is done; one that is not `new` was done before."""
        self.done += 1
        self._new += new
        if self._shown and (now := self._clock()) - self._drawn >= EVERY:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wipe the line, and say what it came to where all went well."""
        if not self._shown:
            return
        self._write("")
        spent = self._clock() - self._began
        said = f"  {number(self._new)} sessions in {spent:.1f}s, {number(self._new / max(spent, 1e-9))} a second\n"
        self._stream.write("\r" + (said if error is None and self._new else ""))
        self._stream.flush()
