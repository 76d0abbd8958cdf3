"""YAML text to plain values: YAML 1.2 scalars, no surprises, and the place of whatever is wrong.

Two readers over the events of PyYAML's C parser: `quick` for what files usually hold, `careful` for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec
import yaml
from msgspec import UNSET

from replanctl.errors import InputError, Problem
from replanctl.files.careful import Careful
from replanctl.files.faults import At, Fault, Faults, StopReadingError
from replanctl.files.names import Names
from replanctl.files.places import Lines, Places
from replanctl.files.quick import GetEvent, Hook, Quick, UnusualError
from replanctl.files.syntax import syntax_fault

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NotYamlError = (yaml.YAMLError, ValueError)  # the parser in Python raises what `chr` does; no surrogate can be encoded


class Document(msgspec.Struct, gc=False):
    """A text that was read. `value` is what it says, `lines` where the items of its top-level lists begin.

    `marked` says whether a comment may hold what was meant as a reference. Faults gather here until `problems`
    gives them their places; `broken` means that there is no value to look into.
    """

    name: str
    text: str
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

    def has(self, section: str) -> bool:
        """Whether the document is a mapping with this section."""
        return isinstance(self.value, dict) and section in self.value

    def problems(self) -> list[Problem]:
        """Every fault with its place, in the order of the file."""
        if not self.faults:
            return []
        paths = [path for fault in self.faults if fault.index is None for path in (fault.path, fault.also or ())]
        places = Places(events(self.text) if paths else None, paths)
        lines = Lines(self.text)
        ordered = sorted(self.faults, key=places.of)
        return [lines.problem(self.name, fault, places) for fault in ordered]


def events(text: str) -> GetEvent:
    """The event source of a text."""
    get: GetEvent = _Loader(text.encode()).get_event
    return get


def read(name: str, text: str, hooks: Mapping[str, Hook] | None = None) -> Document:
    """The document a text holds. What is wrong with its YAML is in its faults."""
    document = Document(name, text)
    try:
        quick = Quick(events(text), dict(hooks or {}))
        document.value = quick.document()
        document.lines = quick.lines
        document.marked = "#E" in text and text.count("#E") != sum(marked.count("#E") for marked in quick.marked)
    except (UnusualError, *_NotYamlError):
        document.marked = "#E" in text
        _read_carefully(document)
    return document


def _read_carefully(document: Document) -> None:
    try:
        careful = Careful(events(document.text), document.faults)
        document.value = careful.document()
        document.lines = careful.lines
    except StopReadingError:
        document.broken = True
    except _NotYamlError as error:
        document.broken = True
        document.note([syntax_fault(error, document.text)])


def refuse(problems: list[Problem]) -> None:
    """Raise InputError when any of the problems is an error."""
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
