"""What is wrong with a document, before its place in the file is known: a fault names a path or a character."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files.names import Names

_COMPARED = 500  # names a misspelt one is compared with; a large plan full of errors must not take minutes
Path = tuple[str | int, ...]


class Fault(msgspec.Struct, frozen=True, gc=False):
    """One fault, at a `path` into the document's value (at its key, where `on_key`) or at the character `index`.

    `also` is a second place the message is about: its line is put at the end of the message.
    """

    rule: str
    message: str
    hint: str = ""
    severity: str = "error"
    path: Path = ()
    on_key: bool = False
    index: int | None = None
    also: Path | None = None


class At(msgspec.Struct, frozen=True, gc=False):
    """Where a reader stands in a document; what it finds wrong there goes to the document's `faults`.

    `names` are the plan's, where there is a plan to hold things against.
    """

    faults: list[Fault]
    names: Names | None = None
    path: Path = ()
    on_key: bool = False

    def __getitem__(self, key: str | int) -> At:
        return At(self.faults, self.names, (*self.path, key))

    def key(self, key: str) -> At:
        """The key itself, instead of what stands behind it."""
        return At(self.faults, self.names, (*self.path, key), True)

    def error(self, rule: str, message: str, hint: str = "", *, also: Path | None = None) -> Any:
        """Note an error; the answer is UNSET, which means that there is no value to go on with."""
        self.faults.append(Fault(rule, message, hint, "error", self.path, self.on_key, also=also))
        return UNSET

    def warning(self, rule: str, message: str, hint: str = "") -> None:
        """Note something doubtful."""
        self.faults.append(Fault(rule, message, hint, "warning", self.path, self.on_key))


def did_you_mean(word: object, names: Collection[str], *, few: int = 12) -> str:
    """The nearest of the names as a hint, or all of them where none is near and they are no more than `few`."""
    if len(names) > _COMPARED:
        return ""
    from difflib import get_close_matches  # only a file that is wrong pays for it

    known = sorted(names)
    if near := get_close_matches(str(word), known, n=1, cutoff=0.6):
        return f"did you mean {near[0]}?"
    return f"known here: {', '.join(known)}" if 0 < len(known) <= few else ""
