"""The door that all foreign text passes, and how many columns it takes.

Foreign text is what plans, tools, planners and lessons say. A terminal must never act on it: control codes and
characters that can't be seen are spelled out, line breaks and tabs become a space.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import msgspec


class Glyphs(msgspec.Struct, frozen=True, gc=False):
    """The marks a screen is drawn with, in what its stream can encode."""

    done: str
    failed: str
    skipped: str
    notice: str
    ellipsis: str
    arrow: str
    dot: str
    dash: str
    times: str
    full: str
    empty: str
    escape: str


UNICODE = Glyphs("✓", "✗", "○", "!", "…", "→", "·", "–", "×", "█", "░", "⟨U+%04X⟩")
ASCII = Glyphs("ok", "x ", "- ", "! ", "...", "->", "|", "-", "x", "#", ".", "<U+%04X>")


def glyphs_for(encoding: str | None) -> Glyphs:
    """The marks that a stream of this encoding can print."""
    try:
        "".join(msgspec.structs.astuple(UNICODE)).encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


GLUE = "\u00a0"  # a space at which a line does not fold
_BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_KEPT_SPACES = GLUE + "\u3000"  # the second is two columns wide
JOINER = "\u200d"  # makes one emoji of two
_TAKEN_IN = re.compile(f"[{JOINER}\U0001f3fb-\U0001f3ff]")  # what may take no columns of its own
_PRESENTATION = "\ufe0e\ufe0f"  # ask for an emoji or a text glyph, which changes its width: dropped
# Letters and marks by category, but nothing to be seen: fillers, joiners, variation selectors.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def encodable(text: str, encoding: str) -> str:
    """The text with what an encoding can't say spelled out."""
    if text.isascii():
        return text
    parts = (part.encode(encoding, "backslashreplace") for part in text.split(GLUE))
    return GLUE.join(part.decode(encoding) for part in parts)


# The door for foreign text.
#
# What plans, tools, planners and lessons say reaches a terminal that obeys some of it: ESC moves the cursor and sets
# the title, C1 codes do the same in one byte, bidi overrides turn the order of a line around, and a zero-width space
# makes two ids look alike. Rich passes all of these through, in `Text` too. So every string goes through here on its
# way to paper, and what acts or hides is spelled out by its number, where a person can see it.
#
# Whether a character can be seen is not what `isprintable` says alone: fillers and variation selectors are letters and
# marks by category, and show nothing.
def clean(text: str, glyphs: Glyphs = UNICODE) -> str:
    """The text as it may be printed: one line, nothing that a terminal acts on, nothing that hides."""
    # Nearly all text ends here: the slow way is for what has something to spell out.
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        return text
    text = text.replace("\r\n", "\n")
    return "".join(char if char == JOINER and _joins(text, at) else _seen(char, glyphs) for at, char in enumerate(text))


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between two emoji: anywhere else it would only hide."""
    before = at - 2 if text[at - 1 : at] in tuple(_PRESENTATION) else at - 1
    return before >= 0 and at + 1 < len(text) and _is_emoji(text[before]) and _is_emoji(text[at + 1])


def _is_emoji(char: str) -> bool:
    return char > "\u203b" and unicodedata.category(char) in ("So", "Sk", "Sm")


def _seen(char: str, glyphs: Glyphs) -> str:
    if char in _BREAKS:
        return " "
    if char in _PRESENTATION:
        return ""
    if (char.isprintable() and not _UNSEEN.match(char)) or char in _KEPT_SPACES:
        return char
    return " " if unicodedata.category(char) == "Zs" else glyphs.escape % ord(char)


def width(text: str) -> int:
    """The columns a text takes; combining marks take none, East Asian wide characters and emoji two."""
    if text.isascii():
        return len(text)
    if not _TAKEN_IN.search(text):
        return sum(map(_columns, text))
    return sum(_columns(char) for at, char in enumerate(text) if not _is_joined(text, at))


def _is_joined(text: str, at: int) -> bool:
    """Whether a character is drawn into the emoji before it, as terminals do: behind a joiner, or a skin colour."""
    if at == 0:
        return False
    before = text[at - 1]
    return before == JOINER or (_is_skin(text[at]) and _is_emoji(before) and not _is_skin(before))


@lru_cache(4096)
def _columns(char: str) -> int:
    # Marks are drawn over the letter before them; the vowels and finals of Hangul are drawn into its first letter.
    if char == JOINER or unicodedata.category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, columns: int, glyphs: Glyphs = UNICODE) -> str:
    """The text cleaned, and cut with an ellipsis where it takes more than so many columns."""
    read = text[: max(columns, 0) * 8 + 64]  # a long text is not read to its end to be cut
    shown = clean(read, glyphs)
    if width(shown) <= columns and len(read) == len(text):
        return shown
    head, _ = split(shown, max(columns - width(glyphs.ellipsis), 0))
    return head.rstrip() + glyphs.ellipsis if columns >= width(glyphs.ellipsis) else ""


def middle(text: str, columns: int, glyphs: Glyphs = UNICODE) -> str:
    """The text cleaned; where it takes more than so many columns, its middle becomes an ellipsis."""
    most = max(columns, 0) * 8 + 64  # of a long text only both ends are read
    ends = text if len(text) <= 2 * most else text[:most] + text[-most:]
    shown = clean(ends, glyphs)
    if width(shown) <= columns:
        return shown
    room = max(columns - width(glyphs.ellipsis), 0)
    head, rest = split(shown, room - room // 2)
    while width(rest) > room // 2:
        rest = split(rest, max(width(rest) - room // 2, 2))[1]
    return head.rstrip() + glyphs.ellipsis + rest.lstrip()


def split(text: str, columns: int) -> tuple[str, str]:
    """The longest head of at most so many columns, and the rest.

    What is seen as one character is kept whole: a combining mark stays with its letter, and an emoji of several code
    points on its line, unless it takes more than that.
    """
    if text.isascii():
        return text[: max(columns, 0)], text[max(columns, 0) :]
    taken = begin = 0
    for at, char in enumerate(text):
        begin = begin if _continues(text, at) else at
        taken += 0 if _is_joined(text, at) else _columns(char)
        if taken > columns:
            return text[: begin or at], text[begin or at :]
    return text, ""


def _continues(text: str, at: int) -> bool:
    """Whether a character is seen as one with those before it: joined, a skin colour, the second half of a flag."""
    if at == 0:
        return False
    char = text[at]
    if _is_half_a_flag(char):
        halves = at
        while halves and _is_half_a_flag(text[halves - 1]):
            halves -= 1
        return (at - halves) % 2 == 1
    return char == JOINER or _is_joined(text, at) or _is_skin(char)


def _is_skin(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _is_half_a_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text with spaces up to so many columns, behind it or (`right`) before it."""
    space = " " * (columns - width(text))
    return space + text if right else text + space


def cell(text: str, columns: int, glyphs: Glyphs = UNICODE) -> str:
    """The text in exactly so many columns: cleaned, cut or padded."""
    return pad(cut(text, columns, glyphs), columns)
