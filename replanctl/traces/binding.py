"""Data flow: which value of a call's args came out of an earlier call. Every binding is inferred, and counted.

Text of four characters or more and numbers of four digits or more are remembered with their paths; the same value in
later args becomes a reference to the newest call that produced it. Inside longer text only whole words are bound, and
no plain word in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from replanctl.plan import Reference, follow, in_text, references, render

Path = tuple[str | int, ...]
_SHORTEST = 4  # characters or digits
_LONGEST = 300  # characters of a value that is looked up inside a longer text
# Values that many results hold and that say nothing about where they came from.
COMMON = frozenset(
    {
        "true", "false", "none", "null", "unknown", "success", "error", "failed", "completed", "string", "text",
        "json", "http", "https", "name", "type", "value", "default",
    }
)  # fmt: skip
_ESCAPED = re.compile(r"#E(?=[A-Za-z0-9])")
# A word, or a sign by itself: where a value may begin inside a longer text, and the key it is looked up by.
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w")
_PART = re.compile(r'[\w"-]')


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where a value stands: the call's number, the path in its result, and when the call had ended."""

    number: int
    path: Path
    ended: float


# Which of several equal values a later call took.
#
# The newest call before it that produced the value: an agent works with what it saw last, and an older source would
# make the step rest on work that a newer one has replaced. Within one result the path that ends in the arg's own name
# wins, because `order_id` more likely came from `order.id` than from an equal number elsewhere; else the first.
#
# A value that is short or common says nothing about where it came from. Four characters or digits are a compromise:
# less binds counts and flags by accident, more misses short ids.
class Values:
    """What the results of earlier calls held."""

    def __init__(self) -> None:
        self._sources: dict[tuple[type, Any], list[Source]] = {}
        self._numbers: dict[str, tuple[type, Any]] = {}  # numbers by how they read in text
        self._lengths: dict[str, set[int]] = {}  # of what may stand inside a longer text, by its first word
        self._results: dict[str, Any] = {}

    def remember(self, number: int, result: Any, ended: float) -> None:
        """Take in the result of a call that succeeded."""
        self._results[str(number)] = result
        for path, leaf in _leaves(result, ()):
            if not telling(leaf):
                continue
            key = (type(leaf), leaf)
            self._sources.setdefault(key, []).append(Source(number, path, ended))
            if not isinstance(leaf, str):
                # Inside a text a number is found by how it reads there, with the type it had.
                self._numbers[in_text(leaf)] = key
            self._index(in_text(leaf))

    def _index(self, text: str) -> None:
        """Note what may be found inside a longer text: all but a plain word in small letters, which says nothing."""
        first = _TOKEN.match(text)
        if first is not None and len(text) <= _LONGEST and not (text.isalpha() and text.islower()):
            self._lengths.setdefault(first[0], set()).add(len(text))

    def source(self, value: Any, began: float, name: str) -> Source | None:
        """The newest call that produced this value before `began`: at the path that ends in `name`, else the first."""
        newest: Source | None = None
        for source in reversed(self._sources.get((type(value), value), ())):
            if source.ended > began:
                continue
            if newest is not None and source.number != newest.number:
                break
            if newest is None or not _ends_in(newest.path, name) or _ends_in(source.path, name):
                newest = source
        return newest

    def within(self, text: str, start: int, word: str, began: float) -> tuple[int, Source] | None:
        """The longest value that stands as whole words where `word` begins in a text: its end, and its source."""
        for length in sorted(self._lengths.get(word, ()), reverse=True):
            end = start + length
            if end > len(text) or _joined(text, start, end):
                continue
            found = text[start:end]
            keys = ((str, found), self._numbers.get(found, (str, found)))
            sources = (self.source(value, began, "") for _, value in keys)
            newest = max((s for s in sources if s is not None), key=lambda s: s.number, default=None)
            if newest is not None:
                return end, newest
        return None

    def read(self, reference: Reference) -> Any:
        """What a reference comes to. Raises LookupError where it leads nowhere."""
        return follow(self._results[reference.step_id], reference.path)

    @property
    def known(self) -> Mapping[str, Any]:
        """The calls that may be referenced, by id."""
        return self._results


def telling(value: Any) -> bool:
    """Whether a value is long and rare enough to say where it came from."""
    kind = type(value)
    if kind is str:
        return len(value) >= _SHORTEST and value.lower() not in COMMON and not value.isspace()
    if kind is int or kind is float:
        return sum(map(str.isdigit, repr(value))) >= _SHORTEST
    return False


# A sign that joins two words to one: `AB-1-2` does not hold `AB-1`, and `1234.50` is not `1234` and something. Nor does
# `-1234` hold `1234`: it is another number.
_JOINTS = "-.@"


def _joined(text: str, start: int, end: int) -> bool:
    """Whether what stands between these two places is only a part of a word."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (
        _WORD.match(before[-1:]) is not None
        or _WORD.match(after) is not None
        or (before[-1:] in _JOINTS and len(before) == 2 and _WORD.match(before) is not None)
        or (before[-1:] == "-" and text[start].isdigit())
        or (after[:1] in _JOINTS and _WORD.match(after[1:]) is not None)
    )


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The values in a result that hold no others, with their paths; a result is no deeper than a plan file takes."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif kind is list:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _ends_in(path: Path, name: str) -> bool:
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    return bool(name) and (last == name or name.endswith(f"_{last}") or last.endswith(f"_{name}"))


class Binder:
    """Turns the args of one call into args with references; `bound` counts them, `needs` are the calls referenced."""

    def __init__(self, values: Values, began: float) -> None:
        self._values, self._began = values, began
        self.bound = 0
        self.needs: dict[int, None] = {}

    def args(self, args: dict[str, Any]) -> dict[str, Any]:
        """The args with what came out of earlier calls as references."""
        return {key: self._bind(item, key) for key, item in args.items()}

    def _bind(self, value: Any, name: str) -> Any:
        kind = type(value)
        if kind is dict:
            return {key: self._bind(item, key) for key, item in value.items()}
        if kind is list:
            return [self._bind(item, name) for item in value]
        if telling(value) and (source := self._values.source(value, self._began, name)) is not None:
            return self._reference(source, value)
        # Numbers are bound whole or not at all; only a text can hold something that came from elsewhere among words of
        # its own.
        return self._text(value) if kind is str else value

    def _reference(self, source: Source, value: Any) -> Any:
        text = render(str(source.number), source.path)
        # References are parsed by the same reader that a session uses; where the path has a key that can't be written
        # as one, the value stays literal.
        if not self._holds(text, value):
            return escaped(value) if isinstance(value, str) else value
        self._count(source)
        return text

    def _text(self, text: str) -> str:
        """Longer text with the words that came out of earlier calls as references."""
        pieces: list[str] = []
        used: list[Source] = []
        at = 0
        for start, end, source in self._words(text):
            reference = render(str(source.number), source.path)
            # A number sign before a reference would make it the escape for a text that reads like one.
            if start < at or text[start - 1 : start] == "#" or _runs_on(text[end : end + 2], reference):
                continue
            pieces += escaped(text[at:start]), reference
            used.append(source)
            at = end
        bound = "".join(pieces) + escaped(text[at:])
        # All or nothing for one text: a reference that reads differently would change the call, and the literal text
        # never does.
        if not used or not self._holds(bound, text):
            return escaped(text)
        for source in used:
            self._count(source)
        return bound

    def _words(self, text: str) -> Iterator[tuple[int, int, Source]]:
        for token in _TOKEN.finditer(text):
            found = self._values.within(text, token.start(), token[0], self._began)
            if found is not None:
                yield token.start(), *found

    def _holds(self, text: str, value: Any) -> bool:
        """Whether the text with references comes to the value again."""
        try:
            pieces = references.parse(text, self._values.known)
            if len(pieces) == 1 and isinstance(pieces[0], Reference):
                found = self._values.read(pieces[0])
                return type(found) is type(value) and bool(found == value)
            told = (in_text(self._values.read(p)) if isinstance(p, Reference) else p.text for p in pieces)
            return bool("".join(told) == value)
        except LookupError:
            return False

    def _count(self, source: Source) -> None:
        self.bound += 1
        self.needs[source.number] = None


def _runs_on(after: str, reference: str) -> bool:
    """Whether what follows in the text would be read as a part of the reference."""
    joins = "" if reference.endswith("]") else "-"
    return _WORD.match(after) is not None or (after[:1] in f".[{joins}" and _PART.match(after[1:]) is not None)


def escaped(text: str) -> str:
    """The text with every `#E…` escaped, so that nothing in it is read as a reference."""
    return _ESCAPED.sub("##E", text) if "#E" in text else text
