"""Markup, and the one door through which foreign text gets into it.

A text is foreign unless it is `Html`: whatever is put into an element passes `escape`, so that nobody can forget to.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as _escaped

from replanctl.show import clean

_ALONE = frozenset({"meta"})  # elements without an end


# Why a type and not a rule. A page is full of texts that others wrote: goals, args, results of tools, messages of
# errors. Escaping each where it is put in works until somebody forgets one. So what is markup already says so by its
# type, everything else is escaped by whatever takes it in, and forgetting is not possible: a plain `str` is always
# foreign. The price is that markup can't be cut or joined as text, for a slice of an `Html` is a `str` again and would
# be escaped twice.
class Html(str):
    """Markup that is whole: every element in it is closed, every foreign text in it escaped."""

    __slots__ = ()


def escape(text: str) -> Html:
    """A text as markup that shows it: one line, nothing of it acts, and nothing of it hides."""
    # `clean` first, which is the screens' own door: what acts on a terminal (ESC, bidi overrides) also misleads whoever
    # copies a text out of a page.
    return text if isinstance(text, Html) else Html(_escaped(clean(text), quote=True))


def escape_lines(text: str) -> Html:
    """The same for a text of several lines, which stay lines."""
    return Html("\n".join(map(escape, text.split("\n"))))


def tag(name: str, *inside: str, **attributes: str | None) -> Html:
    """An element. `class_` is its `class`, other underscores are hyphens; an attribute that is None is left out."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(clean(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{said}>" if name in _ALONE else f"<{name}{said}>{joined(inside)}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Parts side by side; those that are no markup are escaped."""
    return Html(escape(between).join(map(escape, parts)))


def each(name: str, texts: Iterable[str]) -> Html:
    """An element of this name around each of these texts."""
    return joined(tag(name, text) for text in texts)
