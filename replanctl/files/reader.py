"""YAML text to plain values: YAML 1.2 scalars, no surprises, and the place of whatever is wrong.

The values are built from the events of PyYAML's C parser (`builder`). JSON is YAML but for one thing: it writes what
lies outside the first 65,536 characters as two escapes, where YAML wants one. So such a text is read with the two made
one, and what is found in it has its place in the text as it was.
"""

from __future__ import annotations

import gc
import io
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import yaml
from msgspec import UNSET
from yaml.events import ScalarEvent

from replanctl.errors import InputError, Problem
from replanctl.files.builder import Builder, Hook
from replanctl.files.events import GetEvent, begins_at, ends_at
from replanctl.files.faults import At, Fault, Faults, Names, StopReadingError

_LARGE = 1 << 20  # bytes of a text from which on it is parsed in pieces
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NotYamlError = (yaml.YAMLError, ValueError)  # the parser in Python raises what `chr` does; no surrogate can be encoded

# Two escapes that are one character, behind an even number of backslashes; and the one escape they become.
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPE = re.compile(r"\\U[0-9A-F]{8}")
_SHORTER = len(r"\ud83d\ude00") - len(r"\U0001F600")


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic collection inside: it costs half of a big load, and a load makes no cycles. Afterwards as before."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class _InPieces(io.BytesIO):
    """A text that is given to the parser piece by piece by a method in Python.

    Between two of them it can be interrupted; a single scalar of 60 MB would else keep it busy for more than a second.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(size)


class Text:
    """A text as it was and as it is parsed, and the way from a character of the one to the other."""

    def __init__(self, written: str) -> None:
        self.written = written
        self.pairs: list[tuple[int, str]] = []  # where an escape made of two begins in the parsed text, and what it was
        self.parsed = self._joined(written) if "\\ud" in written or "\\uD" in written else written

    def _joined(self, written: str) -> str:
        def join(found: re.Match[str]) -> str:
            pair = found[2]
            self.pairs.append((found.start(2) - _SHORTER * len(self.pairs), pair))
            code = 0x10000 + ((int(pair[2:6], 16) - 0xD800) << 10) + int(pair[8:], 16) - 0xDC00
            return f"{found[1]}\\U{code:08X}"

        return _PAIR.sub(join, written)

    # Pairs are one escape shorter than they were, and each moves what stands behind it.
    def place(self, index: int) -> int:
        """The character of the text as it was that this one of the parsed text is."""
        return index + _SHORTER * bisect_left(self.pairs, (index, ""))

    def parsed_at(self, index: int) -> int:
        """The character of the parsed text that this one of the text as it was is, outside of its pairs."""
        return index - _SHORTER * sum(self.place(start) < index for start, _ in self.pairs)

    def events(self) -> GetEvent:
        """The event source."""
        data = self.parsed.encode()
        get: GetEvent = _Loader(data if len(data) < _LARGE else _InPieces(data)).get_event
        return self._apart(get) if self.pairs else get

    def _apart(self, get: GetEvent) -> GetEvent:
        """The same, with pairs of escapes that are none, since they stand in no double quotes, as they were written."""
        starts = dict(self.pairs)

        def get_event() -> Any:
            event = get()
            if event.__class__ is ScalarEvent and event.style != '"' and "\\U" in event.value:
                source = _ESCAPE.finditer(self.parsed, begins_at(event), ends_at(event))
                pairs = [starts.get(found.start()) for found in source]
                written = iter(pairs)
                event.value = _ESCAPE.sub(lambda found: next(written, None) or found[0], event.value)
            return event

        return get_event


class Document(msgspec.Struct, gc=False):
    """A text that was read. `value` is what it says, `lines` where the items of its top-level lists begin.

    `marked` says whether a comment may hold what was meant as a reference. Faults gather here until `problems`
    gives them their places; `broken` means that there is no value to look into.
    """

    name: str
    text: Text
    value: Any = None
    faults: Faults = msgspec.field(default_factory=Faults)
    lines: dict[str, list[int]] = {}
    marked: bool = False
    broken: bool = False

    def made(self, look: Callable[[Any, At], Any], names: Names | None = None) -> Any:
        """What a reader makes of the whole value; UNSET where it is not worth a look, or where too much is wrong."""
        if self.broken:
            return UNSET
        try:
            return look(self.value, At(self.faults, names))
        except StopReadingError:
            self.broken = True
            return UNSET

    def note(self, faults: Iterable[Fault]) -> None:
        """Take these down too, as far as there is room."""
        with suppress(StopReadingError):
            for fault in faults:
                self.faults.note(fault)

    def refused(self, fault: Fault) -> None:
        """This is what is wrong with the document, and there is no value to look into."""
        self.broken, self.marked = True, False
        self.faults = Faults()
        self.note([fault])

    def has(self, section: str) -> bool:
        """Whether the document is a mapping with this section."""
        return isinstance(self.value, dict) and section in self.value

    def problems(self) -> list[Problem]:
        """Every fault with its place, in the order of the file."""
        if not self.faults:
            return []
        from replanctl.files.places import Lines, Places  # a sound file has no use for them

        # Places are looked up all at once: a pass over the file for each fault would take for ever.
        paths = [path for fault in self.faults if fault.index is None for path in (fault.path, fault.also or ())]
        places = Places(self.text.events() if paths else None, paths)
        lines = Lines(self.text.written, self.text.place)
        ordered = sorted(self.faults, key=places.of)
        return [lines.problem(self.name, fault, places) for fault in ordered]


def read(name: str, written: str, hooks: Mapping[str, Hook] | None = None) -> Document:
    """The document a text holds. What is wrong with its YAML is in its faults."""
    document = Document(name, Text(written))
    text = document.text.parsed
    if "%TAG" in text:
        from replanctl.files.syntax import directive_fault

        if fault := directive_fault(text):
            document.refused(fault)
            return document
    try:
        _build(document, hooks or {})
    except StopReadingError:
        document.broken = True
    except _NotYamlError as error:
        from replanctl.files.syntax import syntax_fault

        document.broken = document.marked = True
        document.note([syntax_fault(error, text)])
    return document


def _build(document: Document, hooks: Mapping[str, Hook]) -> None:
    text = document.text.parsed
    builder = Builder(document.text.events(), document.faults, len(text), hooks)
    try:
        document.value = builder.document()
        document.lines = builder.lines
        document.marked = "#E" in text and text.count("#E") != sum(marked.count("#E") for marked in builder.marked)
    finally:  # also where too much was wrong: these came before it
        if builder.twice:
            document.note(_duplicates(document.text, builder.twice))


def _duplicates(text: Text, twice: list[tuple[int, str, int]]) -> Iterator[Fault]:
    """Keys that a mapping has had before, with the line they were in first."""
    from replanctl.files.places import first_lines

    lines = first_lines(text.events(), {(start, key) for start, key, _ in twice})
    for start, key, index in twice:
        shown = key if len(key) <= 40 else f"{key[:39]}…"
        first = f"{shown} is here for the second time, first in line {lines[start, key]}"
        yield Fault("duplicate-key", first, "keep one of the two", index=index)


def refuse(problems: list[Problem]) -> None:
    """Raise InputError when any of the problems is an error."""
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
