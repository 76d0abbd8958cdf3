"""What a person may ask about: a page a topic, and a few sentences on every word that replanctl uses.

Pages are the Markdown files beside this one, entries the headings of the files in `words/`. What a table or a schema
says already (a gate's row, a rule's depth, a key's description) is taken from there and put beside the entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.docs.looking_up import Entry, Found, entries_of, find, suggestion, words_by_kind
    from replanctl.docs.shelf import KINDS, Kind, page_names, page_text, page_title
else:
    __getattr__ = lazily(
        __name__,
        {
            "looking_up": ("Entry", "Found", "entries_of", "find", "suggestion", "words_by_kind"),
            "shelf": ("KINDS", "Kind", "page_names", "page_text", "page_title"),
        },
    )

__all__ = [
    "KINDS",
    "Entry",
    "Found",
    "Kind",
    "entries_of",
    "find",
    "page_names",
    "page_text",
    "page_title",
    "suggestion",
    "words_by_kind",
]
