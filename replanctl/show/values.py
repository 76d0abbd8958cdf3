"""Values of any size in a few columns: small ones whole, large ones by what they are and how long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from replanctl.show.text import Glyphs, cut, width
from replanctl.show.words import compact, number, plural

LEAST_TEXT = 12  # columns of a text that are worth showing
_UNITS = ("kB", "MB", "GB")


def brief(value: Any, columns: int, glyphs: Glyphs) -> str:
    """The value as JSON where it fits, else its keys, its length or its beginning, and its size.

    `{id, …} 3.1 kB`, `[4 items] 189 B`, `"I typed 'list of…" 2.3 kB`
    """
    text = compact(value)
    if len(text) <= columns and width(text) <= columns:
        return text
    # A result may be a page of JSON. What it is and how large tells a person whether to look at it; the beginning of
    # the page rarely does.
    size = size_in_words(len(text.encode("utf-8", "replace")))
    if isinstance(value, dict):
        return f"{{{_names(map(str, value), columns - len(size) - 3, glyphs)}}} {size}"
    if isinstance(value, list | tuple):
        items = f"[{plural(len(value), 'item')}] {size}"
        return items if len(items) <= columns else f"[{glyphs.ellipsis}] {size}"
    room = columns - len(size) - 2
    said = cut(text, room, glyphs) if room >= LEAST_TEXT else f'"{glyphs.ellipsis}'
    end = '"' if text.startswith('"') else ""
    return f"{said}{end} {size}"


def _names(keys: Iterable[str], columns: int, glyphs: Glyphs) -> str:
    """As many keys as fit, and an ellipsis for the others."""
    shown: list[str] = []
    left = columns - width(glyphs.ellipsis)
    for key in keys:
        left -= width(key) + 2
        if left < 0:
            return ", ".join([*shown, glyphs.ellipsis])
        shown.append(key)
    return ", ".join(shown)


def size_in_words(octets: int) -> str:
    """`812 B`, `3.1 kB`, `12 MB`: bytes of UTF-8, in thousands."""
    size, unit = float(octets), "B"
    for larger in _UNITS:
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if unit != "B" and size < 10 else f"{number(size)} {unit}"
