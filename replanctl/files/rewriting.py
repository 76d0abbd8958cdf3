"""Keys put into the steps of a file, or values replaced by others, and nothing else in it changed: not a comment.

The places come from the parser's events. A library that writes a document back joins what a person broke into lines,
and closes the gaps that line things up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from replanctl.errors import InputError, Problem
from replanctl.files.events import GetEvent, begins_at, ends_at
from replanctl.files.faults import Path, raw_id
from replanctl.files.reader import Text, read
from replanctl.files.writing import flow

_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # what the parser takes for the end of a line
_BLOCK_SCALARS = ("|", ">")


class _Written(msgspec.Struct):
    """How a step is written: where its keys begin, and the end of the last value behind which there is room.

    `said` is where the value of the key stands, if the step has the key; `quoted` means that keys are as in JSON.
    """

    flow: bool
    column: int = 0
    end: int = 0
    said: tuple[int, int] | None = None
    quoted: bool = False


def say_in_steps(name: str, text: str, key: str, values: Mapping[str, str]) -> str:
    """The text of a sound plan file, with `key` said in each of these steps (by id) that does not say it, or null.

    Raises InputError where the file is written in a way that leaves no room for it.
    """
    value, source = read(name, text).value, Text(text)
    edits: list[tuple[int, int, str]] = []
    for step, written in zip(value["steps"], _steps(source.events(), key), strict=False):
        said = values.get(raw_id(step) or "")
        if said is not None and step.get(key) is None:
            step[key] = said
            start, end, words = _insertion(source.parsed, written, key, said)
            edits.append((source.place(start), source.place(end), words))
    # The only proof that the edit is right is to read the file again; where it is not, a person is asked to do it.
    changed = _changed(text, edits)
    if read(name, changed).value != value:
        raise InputError([Problem(name, 0, 0, "no-room", f"{key} can't be put into these steps: add it by hand")])
    return changed


def _changed(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with each stretch replaced by its words."""
    parts, kept = [], 0
    for start, end, words in edits:
        parts += [text[kept:start], words]
        kept = end
    return "".join([*parts, text[kept:]])


def _insertion(text: str, written: _Written, key: str, value: str) -> tuple[int, int, str]:
    """What to put from where to where: a value for a null, an entry behind the last one, or a line below it."""
    if written.said is not None:
        start, end = written.said
        return start, end, f" {value}" if text[start - 1] == ":" else value
    # In braces there is room behind the last entry only; in a block it gets a line of its own, as deep as its brothers.
    if written.flow:
        return written.end, written.end, f', "{key}": "{value}"' if written.quoted else f", {key}: {value}"
    here = _BREAK.search(text, written.end)
    at = here.start() if here else len(text)
    some = here or _BREAK.search(text)
    return at, at, f"{some[0] if some else ''}{' ' * written.column}{key}: {value}"


def _steps(get: GetEvent, key: str) -> Iterator[_Written]:
    """How each step of the document is written, in list order."""
    get(), get(), get()  # the stream, the document, the mapping
    while isinstance(name := get(), ScalarEvent):
        value = get()
        if name.value == "steps" and isinstance(value, SequenceStartEvent):
            while isinstance(start := get(), MappingStartEvent):
                yield _step(start, get, key)
            return
        end_of(value, get)


def _step(start: Any, get: GetEvent, key: str) -> _Written:
    name = get()
    column = (name if start.anchor else start).start_mark.column
    written = _Written(start.flow_style, column, quoted=getattr(name, "style", "") == '"')
    while not isinstance(name, MappingEndEvent):
        value = get()
        if getattr(name, "value", "") == key:
            written.said = begins_at(value), ends_at(value)
        written.end = end_of(value, get) or written.end
        name = get()
    return written


def end_of(event: Any, get: GetEvent) -> int:
    """Where a value ends, as far as something may stand behind it; 0 where nothing may."""
    if not isinstance(event, CollectionStartEvent):
        return 0 if getattr(event, "style", "") in _BLOCK_SCALARS else ends_at(event)
    last = 0
    while not isinstance(inner := get(), CollectionEndEvent):
        last = end_of(inner, get)
    return ends_at(inner) if event.flow_style else last


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
            start, end, words = _replacement(source.parsed, spans[path], value, in_json)
            edits.append((source.place(start), source.place(end), words))
    changed = text
    # From the back, so that earlier places stay right.
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


def _replacement(text: str, span: _Span, value: Any, in_json: bool) -> tuple[int, int, str]:
    words = msgspec.json.encode(value).decode() if in_json else flow(value)
    if span.key is not None:
        return text.index(":", span.key) + 1, span.end, f" {words}"
    bare = text[span.start - 1 : span.start] == ":"  # nothing stood behind the key
    ends_line = text[span.start : span.end].endswith("\n")
    return span.start, span.end, f"{' ' * bare}{words}{chr(10) * ends_line}"


# Paths are found by walking the events once, since a parser's marks are the only places that are right for every way
# YAML can be written.
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
