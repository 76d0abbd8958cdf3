"""Whole screens as files, compared byte for byte. With REPLANCTL_BLESS=1 they are written instead."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

from replanctl.show.console import make_console
from replanctl.show.paper import Paper

GOLDEN = Path(__file__).parent / "golden"


def drawn(draw: Callable[[Paper], object], *, width: int = 80, color: bool = False, encoding: str = "utf-8") -> str:
    """What a drawing comes to on a console of this width."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    draw(Paper(make_console(stream, color=color, width=width)))
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


def assert_golden(name: str, text: str) -> None:
    """The text equals the file of that name."""
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("REPLANCTL_BLESS"):
        file.write_text(text, encoding="utf-8", newline="\n")
    assert text == file.read_text(encoding="utf-8")
