"""How far a long reading has come, on a terminal only."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from replanctl.cli.world import World

WORTH_IT = 1 << 20  # bytes
WIDTH = 30  # columns


class Bar:
    """A line on standard error that says how much of a file is read; it is gone when reading is over."""

    def __init__(self, world: World, file: str, *, quiet: bool) -> None:
        self._stream = world.stderr
        self._name = file
        self._size = 0
        with suppress(OSError, ValueError):
            self._size = Path(file).stat().st_size if file != "-" else 0
        self.shown = not quiet and self._size > WORTH_IT and world.stderr.isatty()
        self._drawn = -1

    def at(self, done: int) -> None:
        """So many bytes are read."""
        part = min(100, 100 * done // self._size)
        if part != self._drawn:
            self._drawn = part
            full = part * WIDTH // 100
            self._stream.write(f"\r  reading [{'#' * full}{'-' * (WIDTH - full)}] {part:3} %")
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wipe the line."""
        if self._drawn >= 0:
            self._stream.write(f"\r{' ' * (WIDTH + 20)}\r")
            self._stream.flush()
