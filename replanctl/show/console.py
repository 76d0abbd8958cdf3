"""The console everything is drawn on. Whether there is colour is the caller's word, never the environment's:
who calls has read it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST, WIDEST = 20, 400
DEFAULT_WIDTH = 80


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
