"""What a rehearsal shows of a recording's values: all, their types and sizes, or their equalities.

Args and results are changed alike, and inside a text word by word, so that what flowed from one call to another still
does. Keys of mappings stay, unless they hold a digit: ids stand there, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from hashlib import blake2s
from typing import Any

from replanctl.plan import Reference, references, render

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]+")


class Shown(StrEnum):
    """How much of the values is shown."""

    KEEP = "keep"
    SHAPE = "shape"
    HASH = "hash"


# Word by word and the same everywhere, because data flow is equality of words: an id in a result, in a later arg and
# inside a sentence has to become the same word three times. A value that was changed as a whole would no longer be
# found inside the text around it.
class Disguise:
    """Shows values as they are, or keeps only their shape or their equalities, as `shown` says."""

    def __init__(self, shown: Shown = Shown.KEEP) -> None:
        self._word: Callable[[str], str] | None = {Shown.KEEP: None, Shown.SHAPE: _shape, Shown.HASH: _hash}[shown]

    def text(self, text: str) -> str:
        """The text as it is shown, changed word by word."""
        word = self._word
        return text if word is None else _WORD.sub(lambda found: word(found[0]), text)

    def value(self, value: Any) -> Any:
        """A value of args or results; booleans and null stay."""
        if self._word is None or isinstance(value, bool) or value is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float):
            return self._number(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return dict(zip(self._keys(value), map(self.value, value.values()), strict=True))

    def _number(self, number: int | float) -> int | float:
        assert self._word is not None
        text = repr(number)
        # An exponent is no data, and another one would take the number out of what a float can hold.
        kept, exponent, power = text.partition("e")
        word = self._word
        told = _NUMBER.sub(lambda found: word(found[0]), kept)
        return type(number)(told + exponent + power)

    def _keys(self, mapping: Mapping[str, Any]) -> list[str]:
        """The keys of a mapping, in their order, no two alike."""
        keys: dict[str, None] = {}
        for key in mapping:
            # Keys are the tool's own words, and contracts name them; those with digits are mostly ids that were used as
            # keys.
            shown = self.text(key) if any(map(str.isdigit, key)) else key
            number, name = 1, shown
            while name in keys:
                number += 1
                name = f"{shown}-{number}"
            keys[name] = None
        return list(keys)

    def args(self, args: dict[str, Any], results: Mapping[str, Any]) -> dict[str, Any]:
        """Args in which references stand: they stay references, along the keys that the results have now."""
        if self._word is None:
            return args
        shown: dict[str, Any] = self._args(args, results)
        return shown

    def _args(self, value: Any, results: Mapping[str, Any]) -> Any:
        if isinstance(value, dict):
            return dict(zip(self._keys(value), (self._args(item, results) for item in value.values()), strict=True))
        if isinstance(value, list):
            return [self._args(item, results) for item in value]
        if not isinstance(value, str) or "#E" not in value:
            return self.value(value)
        pieces = references.parse(value, results)
        return "".join(
            self._reference(p, results) if isinstance(p, Reference) else self.text(p.text).replace("#E", "##E")
            for p in pieces
        )

    def _reference(self, reference: Reference, results: Mapping[str, Any]) -> str:
        # A path follows the keys as they are written now, so each is looked up by its place among the keys it had.
        value = results[reference.step_id]
        path: list[str | int] = []
        for part in reference.path:
            path.append(part if isinstance(part, int) else self._keys(value)[list(value).index(part)])
            value = value[part]
        return render(reference.step_id, tuple(path))


def _shape(word: str) -> str:
    """A word of the same length: a letter stands for letters, a digit for digits."""
    return "".join("1" if char.isdigit() else "X" if char.isupper() else "x" for char in word)


def _hash(word: str) -> str:
    """A word that is the same wherever this one stands; one of digits becomes one of digits."""
    digest = blake2s(word.encode("utf-8", "surrogatepass")).hexdigest()
    if not (word.isascii() and word.isdigit()):
        return f"h{digest[:8]}"
    number = str(int(digest[:10], 16) % 10**6)
    # A leading zero would not survive as a number, and a trailing one would be lost behind a point.
    return f"{int(number[0]) or 7}{number[1:].ljust(5, '3').removesuffix('0')}1"
