"""References that YAML takes for comments: `q: #E1` is null and `q: find #E1 x` is `find`, in every YAML library."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from replanctl.files.faults import Fault
from replanctl.files.quick import GetEvent
from replanctl.plan import ID_LENGTH, Reference, parse

_MARK = re.compile(r"#E[A-Za-z0-9][A-Za-z0-9_-]*")
_FLOW_END = re.compile(r"[,\]}]")
_REST = re.compile(r"[^\r\n]*")
_HEAD = len("#E") + ID_LENGTH + 1  # characters of a mark that say which step a reference means
_SHOWN = 400  # characters of a comment that are looked at for what it says
_ID = re.compile(r"""\bid["']?\s*:\s*["']?([A-Za-z0-9][A-Za-z0-9_-]{0,63})""")


def unquoted_references(text: str, events: Callable[[str], GetEvent], known: Collection[str]) -> Iterable[Fault]:
    """A fault for every comment that begins with a known reference where a value, or more text, was meant."""
    known = known or frozenset(_ID.findall(text))  # a file that is no YAML still shows its ids
    means = cache(lambda mark: _reference(mark, known))
    marks = [found.start() for found in _MARK.finditer(text) if means(found[0][:_HEAD])]
    return _Comments(text, marks).faults(events, known) if marks else ()


def _rest(text: str, at: int) -> str:
    found = _REST.match(text, at)
    return found.group() if found else ""


def _reference(text: str, known: Collection[str]) -> Reference | None:
    first = parse(text, known)[0]
    return first if isinstance(first, Reference) and first.known else None


class _Open:
    """A collection that is being read: how far it is indented, and whether its last node was a key."""

    def __init__(self, event: Any) -> None:
        self.flow = bool(event.flow_style)
        self.column: int = event.start_mark.column
        self.mapping = isinstance(event, MappingStartEvent)
        self.nodes = 0

    @property
    def at_key(self) -> bool:
        return self.mapping and self.nodes % 2 == 1


class _Comments:
    """One pass over the events, which says of every mark whether it stands in a scalar or in a comment."""

    def __init__(self, text: str, marks: list[int]) -> None:
        self.text = text
        self.marks = marks[::-1]
        self.open: list[_Open] = []
        self.last: Any = None

    def faults(self, events: Callable[[str], GetEvent], known: Collection[str]) -> Iterator[Fault]:
        try:
            get = events(self.text)
            while self.marks and (event := get()) is not None:
                yield from self._comments_before(event.start_mark.index, known)
                self._enter(event)
        except (yaml.YAMLError, ValueError) as error:
            mark: Any = getattr(error, "problem_mark", None)
            yield from self._comments_before(mark.index if mark else 0, known)

    def _comments_before(self, index: int, known: Collection[str]) -> Iterator[Fault]:
        while self.marks and self.marks[-1] < index:
            at = self.marks.pop()
            rest = _rest(self.text, at)
            while self.marks and self.marks[-1] < at + len(rest):
                self.marks.pop()
            rest = rest[:_SHOWN]
            reference = _reference(rest, known)
            if reference is not None and (before := self._meant(at)) is not None:
                meant = _FLOW_END.split(rest)[0] if self.open and self.open[-1].flow else rest
                yield _fault(at, before, reference.text, meant.rstrip())

    def _enter(self, event: Any) -> None:
        self._pass_over(event)
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            self.open.pop()
        elif isinstance(event, ScalarEvent | AliasEvent | MappingStartEvent | SequenceStartEvent):
            if self.open:
                self.open[-1].nodes += 1
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                self.open.append(_Open(event))
        self.last = event

    def _pass_over(self, event: Any) -> None:
        end = _end(event) if isinstance(event, ScalarEvent) else 0
        while self.marks and self.marks[-1] < end:
            self.marks.pop()

    def _meant(self, at: int) -> str | None:
        """The text before a comment that was meant to go on, perhaps empty; None where it is just a comment."""
        line = self.text.rfind("\n", 0, at) + 1
        line = max(line, self.text.rfind("\r", line, at) + 1)
        before = self.text[line:at].rstrip()
        if self.last is None or "#" in self.text[max(line, _end(self.last)) : at]:
            return None  # inside of a comment that began before it
        if not before:
            return self._continued(at - line) if self.open else None
        text_before = isinstance(self.last, ScalarEvent) and not self._at_key()
        if text_before and self.last.value and _end(self.last) == line + len(before):
            return self.text[self.last.start_mark.index : _end(self.last)]
        return "" if before[-1] in ":-?,[{" and before != "---" else None

    def _at_key(self) -> bool:
        return bool(self.open) and self.open[-1].at_key

    def _continued(self, column: int) -> str | None:
        """The same for a comment on a line of its own: deeper than what it follows, or an item of a `[` list."""
        inner = self.open[-1]
        if inner.flow:
            return None if inner.mapping else ""
        plain = isinstance(self.last, ScalarEvent) and not self.last.style and not inner.at_key
        return str(self.last.value) if plain and column > inner.column else None


def _end(event: Any) -> int:
    index: int = event.end_mark.index
    return index


def _fault(at: int, before: str, reference: str, meant: str) -> Fault:
    text = f"{before.strip(chr(34) + chr(39))} {meant}".strip()
    shown = text if len(text) <= 80 else f"{text[:79]}…"
    message = f"{reference} is a comment here: YAML reads nothing after an unquoted #"
    return Fault("unquoted-reference", message, f'quote it: "{shown}"', index=at)
