"""Values from YAML events, for files that hold nothing unusual: no positions, no aliases, nothing to report.

It gives up at the first thing that needs a second look; `careful` then reads the same text and says what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from replanctl.files.scalars import CONSTANTS, STARTERS, TooLargeError, resolve

MAX_DEPTH = 64

GetEvent = Callable[[], Any]
Hook = Callable[[Any], Any]


class UnusualError(Exception):
    """The text holds something that only the careful reader knows what to do with."""


class Quick:
    """One pass over the events. `hooks` turn the items of a top-level list into something smaller as they come."""

    def __init__(self, get: GetEvent, hooks: dict[str, Hook]) -> None:
        self.get = get
        self.hooks = hooks
        self.keys: dict[str, str] = {}
        self.marked: list[str] = []  # texts that hold "#E"
        self.lines: dict[str, list[int]] = {}

    def document(self) -> Any:
        """The one document of the stream."""
        get = self.get
        if get().__class__ is not StreamStartEvent or get().__class__ is not DocumentStartEvent:
            raise UnusualError
        try:
            value = self._root(get())
        except TooLargeError:
            raise UnusualError from None
        if get().__class__ is not DocumentEndEvent or get().__class__ is not StreamEndEvent:
            raise UnusualError
        return value

    def _root(self, event: Any) -> dict[str, Any]:
        if event.__class__ is not MappingStartEvent or event.anchor is not None or event.tag is not None:
            raise UnusualError
        result: dict[str, Any] = {}
        while (event := self.get()).__class__ is ScalarEvent:
            key = self._key(event)
            if key in result:
                raise UnusualError
            event = self.get()
            if event.__class__ is SequenceStartEvent and event.anchor is None and event.tag is None:
                result[key] = self._items(key)
            else:
                result[key] = self._node(event, 2)
        if event.__class__ is not MappingEndEvent:
            raise UnusualError
        return result

    def _items(self, key: str) -> list[Any]:
        hook = self.hooks.get(key)
        items: list[Any] = []
        lines = self.lines[key] = []
        get, node = self.get, self._node
        while (event := get()).__class__ is not SequenceEndEvent:
            if hook is None:
                lines.append(event.start_mark.line + 1)
                items.append(node(event, 3))
            else:
                items.append(hook(node(event, 3)))
        return items

    def _node(self, event: Any, depth: int) -> Any:
        kind = event.__class__
        if event.anchor is not None or event.tag is not None:
            raise UnusualError
        if kind is ScalarEvent:
            return self._scalar(event)
        return self._mapping(depth) if kind is MappingStartEvent else self._sequence(depth)

    def _scalar(self, event: Any) -> Any:
        value = event.value
        if not event.style and value[:1] in STARTERS:
            return resolve(value)
        if "#E" in value:
            self.marked.append(value)
        return value

    def _key(self, event: Any) -> str:
        """A key that is text, the same object each time; one that is known needs no second look at what it means."""
        key: str = event.value
        plain = not event.style
        if event.anchor is not None or event.tag is not None or (plain and (key == "<<" or resolve(key) is not key)):
            raise UnusualError
        if "#E" in key:
            self.marked.append(key)
            return key
        return self.keys.setdefault(key, key) if plain or (key.isidentifier() and key not in CONSTANTS) else key

    def _mapping(self, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            raise UnusualError
        get, known = self.get, self.keys
        result: dict[str, Any] = {}
        while (event := get()).__class__ is ScalarEvent:
            key = known.get(event.value)
            if key is None or event.anchor is not None or event.tag is not None:
                key = self._key(event)
            if key in result:
                raise UnusualError
            event = get()
            kind = event.__class__
            if event.anchor is not None or event.tag is not None:
                raise UnusualError
            if kind is ScalarEvent:
                value = event.value
                if not event.style and value[:1] in STARTERS:
                    value = resolve(value)
                elif "#E" in value:
                    self.marked.append(value)
                result[key] = value
            else:
                result[key] = self._mapping(depth + 1) if kind is MappingStartEvent else self._sequence(depth + 1)
        if event.__class__ is not MappingEndEvent:
            raise UnusualError
        return result

    def _sequence(self, depth: int) -> list[Any]:
        if depth > MAX_DEPTH:
            raise UnusualError
        get = self.get
        result: list[Any] = []
        while (event := get()).__class__ is not SequenceEndEvent:
            kind = event.__class__
            if event.anchor is not None or event.tag is not None:
                raise UnusualError
            if kind is ScalarEvent:
                value = event.value
                if not event.style and value[:1] in STARTERS:
                    value = resolve(value)
                elif "#E" in value:
                    self.marked.append(value)
                result.append(value)
            else:
                result.append(self._mapping(depth + 1) if kind is MappingStartEvent else self._sequence(depth + 1))
        return result
