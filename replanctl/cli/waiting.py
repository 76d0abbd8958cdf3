"""Who waits for real tools or a planner sees for whom: a line at the bottom of the terminal.

It is drawn again every second, and is gone before anything else is printed.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr
from typing import TYPE_CHECKING, Any, TextIO, cast

import msgspec

from replanctl.cli.flags import Shared
from replanctl.cli.following import UNWATCHED, Unwatched
from replanctl.cli.world import World
from replanctl.show import Waits, glyphs_for, terminal_width

if TYPE_CHECKING:
    from replanctl.host import Asked
    from replanctl.run import Event
    from replanctl.store import Inputs


class Watch(Unwatched):
    """Shows on a `line` what a session waits for."""

    def __init__(self, line: TickingLine, encoding: str) -> None:
        self.on_wait = self._wait
        self._line = line
        self._glyphs = glyphs_for(encoding)
        self._waits = Waits()

    def following(self, on_event: Callable[[Event], object], inputs: Inputs) -> Callable[[Event], object]:
        """The same listener; the session, which came from these inputs, is watched on the way."""
        policy = inputs.amendments[-1].policy if inputs.amendments else None
        waits = self._waits = Waits(policy, inputs.planner_timeout)

        def told(event: Event) -> None:
            waits.event(event)
            on_event(event)

        return told

    def _wait(self, asked: Asked) -> AbstractContextManager[None]:
        waits, glyphs = self._waits, self._glyphs
        return self._line.showing(lambda spent, room: waits.line(asked, spent, room, glyphs))


@contextmanager
def watching(options: Shared, world: World) -> Iterator[tuple[Unwatched, World]]:
    """Watch what is waited for, on a terminal that can erase a line.

    Inside, what tools print through Python and what the world's standard error is told come on lines of their own.
    """
    if not _is_shown(options, world):
        yield UNWATCHED, world
        return
    stream = world.stderr
    line = TickingLine(stream, world.clock, lambda: terminal_width(stream))
    guarded = msgspec.structs.replace(world, stderr=cast("TextIO", Guarded(stream, line)))
    try:
        with redirect_stderr(cast("TextIO", Guarded(sys.stderr, line))):
            yield Watch(line, stream.encoding), guarded
    finally:
        line.close()


@contextmanager
def watching_tests(options: Shared, world: World, column: Callable[[], int]) -> Iterator[Unwatched]:
    """The same under pytest, which keeps what is printed: on a way to the terminal of its own, behind what stands in
    the line that pytest is writing, which is `column` columns long."""
    if not _is_shown(options, world):
        yield UNWATCHED
        return
    encoding = world.stderr.encoding
    with os.fdopen(os.dup(world.stderr.fileno()), "w", encoding=encoding, errors="backslashreplace") as stream:
        line = TickingLine(stream, world.clock, lambda: terminal_width(stream), column)
        try:
            yield Watch(line, encoding)
        finally:
            line.close()


def _is_shown(options: Shared, world: World) -> bool:
    return not options.quiet and world.stderr.isatty() and world.environ.get("TERM", "dumb") != "dumb"


FIRST = 0.4  # seconds until a line is drawn at all: what is answered sooner is not waited for
EVERY = 1.0  # seconds between two drawings, since seconds are what it counts
PATIENCE = 2.0  # seconds that the end waits for a terminal which takes nothing (Ctrl-S)

_ERASE = "\x1b[J"  # from the cursor on

Draw = Callable[[float, int], str]  # seconds waited, columns there are → the line


# The main thread is blocked in a tool while the line is drawn, so a thread of its own draws, and does nothing else: it
# never touches the session, and signals go to the main thread as ever. The lock is one that the main thread may take
# twice, for Ctrl-C can come at any moment and what is printed then takes it again.
#
# The cursor is left where the line begins, and what is erased is everything from there on. A window that gets narrower
# may fold the line: terminals differ in that, but in all of them the cursor stays at its beginning. So nothing of the
# line is left, and nothing above it is touched.
class TickingLine:
    """Draws a line on `stream` while something is waited for.

    `clock` gives seconds, `columns` how wide the terminal is now, `indent` behind how many columns the line begins,
    where others have begun it. A process that was forked off draws nothing.
    """

    def __init__(
        self,
        stream: TextIO,
        clock: Callable[[], float],
        columns: Callable[[], int],
        indent: Callable[[], int] = lambda: 0,
    ) -> None:
        self._stream, self._clock, self._columns, self._indent = stream, clock, columns, indent
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None
        self._draw: Draw | None = None
        self._since = 0.0
        self._shown: int | None = None  # behind how many columns the line stands now
        self._foreign = False  # somebody else's text stands in this line and is not ended
        self._closed = False
        self._process = os.getpid()

    @contextmanager
    def showing(self, draw: Draw) -> Iterator[None]:
        """Show what `draw` gives, from a moment on, until the inside is over."""
        with self._changed:
            self._draw, self._since = draw, self._clock()
            self._start()
            self._changed.notify()
        try:
            yield
        finally:
            if os.getpid() == self._process:
                with self._changed:
                    self._draw = None
                    self._erase()

    @contextmanager
    def aside(self, text: str) -> Iterator[None]:
        """The line is gone while this is printed. It comes again with the next second, but not in a line of others'
        that is not ended."""
        if os.getpid() != self._process:
            yield
            return
        with self._changed:
            self._erase()
            yield
            if text:
                self._foreign = not text.endswith("\n")

    def close(self) -> None:
        """Nothing is drawn any more."""
        with self._changed:
            self._closed, self._draw = True, None
            self._erase()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._tick, name="replanctl-waiting", daemon=True)
            self._thread.start()

    def _tick(self) -> None:
        with self._changed:
            while not self._closed:
                spent = self._clock() - self._since
                if self._draw is not None and spent >= FIRST:
                    self._write(self._draw, spent)
                self._changed.wait(self._until_next(spent) if self._draw is not None else None)

    def _until_next(self, spent: float) -> float:
        """Until the line says another second, or is drawn at first."""
        return FIRST - spent if spent < FIRST else EVERY - spent % EVERY + 0.01

    def _write(self, draw: Draw, spent: float) -> None:
        if self._foreign:
            return
        indent = self._indent()
        room = self._columns() - indent - 1
        if room > 0:
            self._say(f"{_to_column(indent)}{_ERASE}{draw(spent, room)}{_to_column(indent)}")
            self._shown = indent

    def _erase(self) -> None:
        if self._shown is not None:
            self._say(f"{_to_column(self._shown)}{_ERASE}")
            self._shown = None

    def _say(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # a terminal that is gone: nobody looks
            self._draw = None


def _to_column(columns: int) -> str:
    return f"\r\x1b[{columns}C" if columns else "\r"


class Guarded:
    """A stream on the same terminal as a ticking line, which is gone before anything is written to it."""

    def __init__(self, stream: TextIO, line: TickingLine) -> None:
        self._stream, self._line = stream, line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, and let it be seen before the line is drawn again."""
        with self._line.aside(text):
            written = self._stream.write(text)
            self._stream.flush()
        return written

    def writelines(self, lines: Any) -> None:
        """Write these lines."""
        for text in lines:
            self.write(text)
