"""Who waits for real tools or a planner sees for whom, on a terminal: how a verb shows it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr
from typing import TYPE_CHECKING, TextIO, cast

import msgspec

from replanctl.cli.flags import Shared
from replanctl.cli.following import UNWATCHED, Unwatched
from replanctl.cli.ticking import Guarded, TickingLine
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
