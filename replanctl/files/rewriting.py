"""Values of a file replaced by others, and nothing else in it changed: not a comment, a break or a space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from yaml.events import CollectionStartEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

from replanctl.errors import InputError, Problem
from replanctl.files.events import GetEvent, begins_at, ends_at
from replanctl.files.faults import Path
from replanctl.files.insert import end_of
from replanctl.files.reader import Text, read
from replanctl.files.writing import flow

_BREAK = "\n"


class _Span(msgspec.Struct, frozen=True):
    """Where a value is written; `key` is the end of its key where it begins on a line of its own."""

    start: int
    end: int
    key: int | None = None


def replaced(name: str, text: str, values: Mapping[Path, Any]) -> str:
    """The text of a sound file with these values, by their paths, in the places of those that are there.

    Raises InputError where the file is written in a way that leaves no room for them.
    """
    source, wanted = Text(text), read(name, text).value
    spans = _Spans(source.events(), values).found
    in_json = text.lstrip().startswith("{")
    edits = []
    for path, value in values.items():
        if path in spans:
            _put(wanted, path, value)
            start, end, words = _edit(source.parsed, spans[path], value, in_json)
            edits.append((source.place(start), source.place(end), words))
    changed = text
    for start, end, words in sorted(edits, reverse=True):
        changed = f"{changed[:start]}{words}{changed[end:]}"
    # The only proof that the edit is right is to read the file again; where it is not, a person is asked to do it.
    if len(edits) < len(values) or read(name, changed).value != wanted:
        raise InputError([Problem(name, 0, 0, "no-room", "what was found can't be put into this file: do it by hand")])
    return changed


def _put(value: Any, path: Path, new: Any) -> None:
    *above, last = path
    for key in above:
        value = value[key]
    value[last] = new


def _edit(text: str, span: _Span, value: Any, in_json: bool) -> tuple[int, int, str]:
    words = msgspec.json.encode(value).decode() if in_json else flow(value)
    if span.key is not None:
        return text.index(":", span.key) + 1, span.end, f" {words}"
    bare = text[span.start - 1 : span.start] == ":"  # nothing stood behind the key
    ends_line = text[span.start : span.end].endswith("\n")
    return span.start, span.end, f"{' ' * bare}{words}{_BREAK * ends_line}"


class _Spans:
    """The spans of the values at these paths of a document."""

    def __init__(self, get: GetEvent, paths: Mapping[Path, Any]) -> None:
        self._get, self._paths = get, paths
        self.found: dict[Path, _Span] = {}
        get(), get()  # the stream, the document
        self._node(get(), (), None)

    def _node(self, event: Any, path: Path, key: int | None) -> None:
        if path in self._paths:
            block = isinstance(event, CollectionStartEvent) and not event.flow_style
            end = ends_at(event) if isinstance(event, ScalarEvent) else end_of(event, self._get)
            self.found[path] = _Span(begins_at(event), end or ends_at(event), key if block else None)
        elif isinstance(event, MappingStartEvent):
            while not isinstance(name := self._get(), MappingEndEvent):
                self._node(self._get(), (*path, getattr(name, "value", "")), ends_at(name))
        elif isinstance(event, CollectionStartEvent):
            at = 0
            while not isinstance(item := self._get(), SequenceEndEvent):
                self._node(item, (*path, at), None)
                at += 1
