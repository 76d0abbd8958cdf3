"""Where in its file a fault stands: a second pass over the events, which keeps only the places that are asked for."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from typing import Any

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from replanctl.errors import Problem
from replanctl.files.events import GetEvent, begins_at, line_of
from replanctl.files.faults import Fault, Path

EXCERPT = 160  # characters of a source line that are shown
_BREAK = re.compile(r"\r\n|\r|\n")
_Wanted = dict[Any, Any]  # the paths asked for, as a tree of keys and indices


class Places:
    """The characters at which values (and keys) of a document begin, for the paths asked for and those above them."""

    def __init__(self, get: GetEvent | None, paths: Iterable[Path]) -> None:
        self.values: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        wanted: _Wanted = {}
        for path in paths:
            below = wanted
            for key in path:
                below = below.setdefault(key, {})
        if get is not None:
            self.get = get
            get()
            get()
            self._node(get(), (), wanted)

    def of(self, fault: Fault) -> int:
        """The character a fault stands at."""
        return fault.index if fault.index is not None else self.find(fault.path, fault.on_key)

    def find(self, path: Path, on_key: bool = False) -> int:
        """Where this path begins, or what it is part of: an alias, or the nearest thing that is written down."""
        if on_key and path in self.keys:
            return self.keys[path]
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, 0)

    def _node(self, event: Any, path: Path, wanted: _Wanted | None) -> None:
        if wanted is not None:
            self.values.setdefault(path, begins_at(event))
        if isinstance(event, ScalarEvent | AliasEvent):
            return
        # Below what nobody asks for there is nothing to remember; most of a large file is that.
        if not wanted:
            self._skip()
        elif isinstance(event, MappingStartEvent):
            self._mapping(path, wanted)
        else:
            self._sequence(path, wanted)

    def _mapping(self, path: Path, wanted: _Wanted) -> None:
        while not isinstance(event := self.get(), MappingEndEvent):
            key = event.value if isinstance(event, ScalarEvent) else None
            inner = (*path, key or "")
            if key in wanted:
                self.keys.setdefault(inner, begins_at(event))
            self._node(event, inner, None)
            self._node(self.get(), inner, wanted.get(key))

    def _sequence(self, path: Path, wanted: _Wanted) -> None:
        at = 0
        while not isinstance(event := self.get(), SequenceEndEvent):
            self._node(event, (*path, at), wanted.get(at))
            at += 1

    def _skip(self) -> None:
        depth = 1
        get = self.get
        while depth:
            event = get()
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                depth += 1
            elif isinstance(event, MappingEndEvent | SequenceEndEvent):
                depth -= 1


def first_lines(get: GetEvent, asked: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """The lines that keys are in for the first time, by the character their mapping begins at and the key."""
    lines: dict[tuple[int, str], int] = {}
    open_: list[tuple[int, bool, list[int]]] = []  # where each begins, whether it is a mapping, and its nodes so far
    while (event := get()) is not None and len(lines) < len(asked):
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            open_.pop()
        elif isinstance(event, NodeEvent):
            if open_:
                start, mapping, nodes = open_[-1]
                if mapping and nodes[0] % 2 == 0 and (start, key := getattr(event, "value", "")) in asked:
                    lines.setdefault((start, key), line_of(event))
                nodes[0] += 1
            if not isinstance(event, ScalarEvent | AliasEvent):
                open_.append((begins_at(event), isinstance(event, MappingStartEvent), [0]))
    return lines


class Lines:
    """The lines of a text, as an editor counts them; from characters to lines and columns, both from 1.

    Faults are about the text as it was parsed; `written` leads from its characters to those of this text.
    """

    def __init__(self, text: str, written: Callable[[int], int] = lambda index: index) -> None:
        self.text = text
        self.written = written
        # four bytes a line: there may be as many lines as characters
        self.starts = array("I", chain((0,), (found.end() for found in _BREAK.finditer(text))))

    def place(self, index: int) -> tuple[int, int]:
        """Line and column of a character."""
        line = bisect_right(self.starts, index)
        return line, index - self.starts[line - 1] + 1

    def excerpt(self, line: int, column: int) -> tuple[str, int]:
        """A line without its end, and the column it begins at: of a very long one what is around this column."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        # A line of JSON may be the whole file: what is shown of it is centred on the fault.
        lead = max(column - EXCERPT // 2, 0) if end - start > EXCERPT else 0
        text = self.text[start + lead : min(end, start + lead + EXCERPT + 1)].rstrip("\r\n")
        return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…", lead + 1

    def problem(self, file: str, fault: Fault, places: Places) -> Problem:
        """The fault with its place in this text."""
        line, column = self.place(self.written(places.of(fault)))
        message = fault.message
        if fault.also is not None:
            message = f"{message}, first in line {self.place(self.written(places.find(fault.also)))[0]}"
        excerpt, begins = self.excerpt(line, column)
        return Problem(file, line, column, fault.rule, message, fault.severity, excerpt, fault.hint, begins)
