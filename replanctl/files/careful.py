"""Values from YAML events for files that hold something unusual: every fault is noted, with its place.

It accepts what `quick` accepts, with the same values, and anchors and aliases besides. What it refuses it
replaces by the next best thing and goes on, so that one run shows everything that is wrong.
"""

from __future__ import annotations

from typing import Any

import msgspec
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from replanctl.files.faults import Fault, Faults, StopReadingError
from replanctl.files.quick import MAX_DEPTH, GetEvent
from replanctl.files.scalars import TooLargeError, resolve

MAX_GROWTH = 10  # how many times its own nodes a file may grow to when its aliases are written out
MAX_LETTERS = 64 * 1024 * 1024  # and how many characters its texts may hold then: as many as a file


class _Anchored(msgspec.Struct, gc=False):
    """What an anchor names: its nodes (`size`, 0 while it is still being read), characters and levels."""

    value: Any = None
    size: int = 0
    letters: int = 0
    height: int = 0


class Careful:
    """One pass over the events. `faults` are filled; `value` is what could be made of the document."""

    def __init__(self, get: GetEvent, faults: Faults) -> None:
        self.get = get
        self.faults = faults
        self.anchors: dict[str, _Anchored] = {}
        self.own = 0  # nodes as written
        self.grown = 0  # nodes with every alias written out
        self.letters = 0  # characters, likewise
        self.deepest = 0
        self.grown_at: list[tuple[int, int, int]] = []  # nodes and characters so far, and the alias that brought them
        self.lines: dict[str, list[int]] = {}
        self.items: list[int] = []  # the lines of the top-level list being read

    def document(self) -> Any:
        """The value of the one document. Raises StopReadingError when there is no use in one."""
        self.get()
        if not isinstance(self.get(), DocumentStartEvent):
            self._fault("empty-file", "the file is empty", 0, "a plan needs goal: and steps:")
            raise StopReadingError
        value = self._node(self.get(), 1)
        self.get()
        if isinstance(event := self.get(), DocumentStartEvent):
            self._fault(
                "several-documents", "a second document begins here", _start(event), "one file holds one document"
            )
        self._check_growth()
        return value

    def _fault(self, rule: str, message: str, index: int, hint: str = "") -> None:
        self.faults.note(Fault(rule, message, hint, index=index))

    def _check_growth(self) -> None:
        limit = self.own * MAX_GROWTH
        if index := next((at for grown, _, at in self.grown_at if grown > limit), 0):
            size = f"{MAX_GROWTH} times its own {self.own} nodes"
        elif index := next((at for _, letters, at in self.grown_at if letters > MAX_LETTERS), 0):
            size = f"{MAX_LETTERS:,} characters"
        else:
            return
        hint = "write the repeated part out, or repeat less of it"
        self._fault("alias-bomb", f"aliases grow the file to more than {size}", index, hint)
        raise StopReadingError

    def _node(self, event: Any, depth: int) -> Any:
        if isinstance(event, AliasEvent):
            return self._alias(event, depth)
        self._check_tag(event)
        self.own += 1
        if event.anchor is None:
            self.grown += 1
            return self._content(event, depth)
        anchored = self.anchors[event.anchor] = _Anchored()
        before, letters, above = self.grown, self.letters, self.deepest
        self.grown += 1
        self.deepest = depth - 1
        anchored.value = self._content(event, depth)
        anchored.size, anchored.letters = self.grown - before, self.letters - letters
        anchored.height = self.deepest - depth + 1
        self.deepest = max(above, self.deepest)
        return anchored.value

    def _content(self, event: Any, depth: int) -> Any:
        if isinstance(event, ScalarEvent):
            self.letters += len(event.value)
            return self._scalar(event)
        self._check_depth(depth, event)
        self.deepest = max(self.deepest, depth)
        return self._mapping(depth) if isinstance(event, MappingStartEvent) else self._sequence(depth)

    def _check_depth(self, depth: int, event: Any) -> None:
        if depth > MAX_DEPTH:
            self._fault("too-deep", f"nested deeper than {MAX_DEPTH} levels", _start(event))
            raise StopReadingError

    def _check_tag(self, event: Any) -> None:
        if event.tag is not None:
            self._fault(
                "tag",
                f"tags such as {_tag(event.tag)} are not read",
                _start(event),
                "leave the tag out; quote a text that begins with !",
            )

    def _alias(self, event: Any, depth: int) -> Any:
        anchored = self.anchors.get(event.anchor)
        if anchored is None or not anchored.size:
            rule, why = (
                ("unknown-alias", "no anchor before it has this name")
                if anchored is None
                else ("recursive-alias", "it stands inside what it repeats")
            )
            self._fault(
                rule, f"*{event.anchor} can't be followed: {why}", _start(event), "quote a text that begins with *"
            )
            return None
        deepest = depth - 1 + anchored.height
        self._check_depth(deepest, event)
        self.deepest = max(self.deepest, deepest)
        self.grown += anchored.size
        self.letters += anchored.letters
        self.grown_at.append((self.grown, self.letters, _start(event)))
        return anchored.value

    def _scalar(self, event: Any) -> Any:
        if event.style:
            return event.value
        try:
            return resolve(event.value)
        except TooLargeError:
            self._fault(
                "number-too-large",
                f"{_short(event.value)} does not fit into 64 bits",
                _start(event),
                f'write it as text: "{_short(event.value)}"',
            )
            return event.value

    def _mapping(self, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        first: dict[str, int] = {}
        while not isinstance(event := self.get(), MappingEndEvent):
            key, good = self._key(event, depth)
            value = self._value(key, depth)
            if not good:
                continue
            if key in result:
                self._fault(
                    "duplicate-key",
                    f"{_short(key)} is here for the second time, first in line {first[key]}",
                    _start(event),
                    "keep one of the two",
                )
                continue
            first[key] = event.start_mark.line + 1
            result[key] = value
        return result

    def _value(self, key: Any, depth: int) -> Any:
        event = self.get()
        if depth == 1 and isinstance(key, str):
            self.lines[key] = self.items = []
        return self._node(event, depth + 1)

    def _key(self, event: Any, depth: int) -> tuple[Any, bool]:
        if isinstance(event, ScalarEvent) and not event.style and event.value == "<<":
            self._check_tag(event)
            self._fault("merge-key", "merge keys (<<) are not read", _start(event), "write the keys out")
            return None, False
        key = self._node(event, depth + 1)
        if isinstance(key, str):
            return key, True
        shown = _short(event.value) if isinstance(event, ScalarEvent) else ""
        what, hint = (f"the key {shown}", f'quote it: "{shown}"') if shown else ("this key", "a key is text")
        self._fault("non-text-key", f"{what} is not text", _start(event), hint)
        return None, False

    def _sequence(self, depth: int) -> list[Any]:
        result: list[Any] = []
        while not isinstance(event := self.get(), SequenceEndEvent):
            if depth == 2:
                self.items.append(event.start_mark.line + 1)
            result.append(self._node(event, depth + 1))
        return result


def _start(event: Any) -> int:
    index: int = event.start_mark.index
    return index


def _tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
