"""Values from YAML events: one pass that takes what is right, notes what is wrong with its place, and goes on.

There were two readers once, a quick one that gave up at the first oddity and a careful one that began again. This one
does both. What makes it as quick as the quick one was: scalars are handled inside the loops over mappings and lists,
since a call for each would cost more than the rest of its handling; keys are looked up among those already seen, where
one dictionary look-up replaces the question what a key means; an event is asked twice, for its anchor and its tag, and
everything unusual is behind these two questions; nodes are counted once a collection; and no place is remembered, for
the few that a message needs are looked up again (`places`). Measured by `tests/bench/bench_load.py`, loading and
checking 100,000 steps took 0.128 (a step a line) and 0.097 (a key a line) of CSafeLoader's time with two readers; the
promise is 0.25. One reader alone takes 0.12 and 0.13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from replanctl.files.events import CONSTANTS, STARTERS, GetEvent, TooLargeError, begins_at, line_of, resolve
from replanctl.files.faults import MOST, Fault, Faults, StopReadingError

MAX_DEPTH = 64
MAX_GROWTH = 10  # how many times its own nodes a file may grow to when its aliases are written out
MAX_LETTERS = 64 * 1024 * 1024  # and how many characters it may hold then: as many as a file

Hook = Callable[[Any], Any]


class _Anchored(msgspec.Struct, gc=False):
    """What an anchor names: its nodes (`size`, 0 while it is still being read), characters and levels."""

    value: Any = None
    size: int = 0
    letters: int = 0
    height: int = 0


class Builder:
    """One pass over the events of a text of so many `letters`; `faults` are filled.

    `hooks` turn the items of a top-level list into something smaller as they come. Afterwards `marked` holds the texts
    with a `#E`, `lines` where the items of top-level lists begin, and `twice` the keys that were there already, each
    with the character its mapping begins at.
    """

    def __init__(self, get: GetEvent, faults: Faults, letters: int, hooks: Mapping[str, Hook]) -> None:
        self.get = get
        self.faults = faults
        self.hooks = hooks
        self.keys: dict[str, str] = {}  # each key as one object, those that need no second look
        self.marked: list[str] = []
        self.lines: dict[str, list[int]] = {}
        self.twice: list[tuple[int, str, int]] = []
        self.anchors: dict[str, _Anchored] = {}
        self.measured: dict[int, _Anchored] = {}  # the anchored collections, by identity
        self.nodes = 1  # as written
        self.brought = 0  # more of them, brought by aliases
        self.letters = letters  # characters as written, and those that aliases bring
        self.grown_at: list[tuple[int, int, int]] = []  # what aliases brought so far, and which one it was

    def document(self) -> Any:
        """The value of the one document. Raises StopReadingError when there is no use in one."""
        self.get()
        if not isinstance(self.get(), DocumentStartEvent):
            self._fault("empty-file", "the file is empty", 0, "a plan needs goal: and steps:")
            raise StopReadingError
        event = self.get()
        value = self._root(event) if event.__class__ is MappingStartEvent else self._node(event, 1)
        self.get()
        if isinstance(event := self.get(), DocumentStartEvent):
            why = "a second document begins here"
            self._fault("several-documents", why, begins_at(event), "one file holds one document")
        self._check_growth()
        return value

    def _root(self, start: Any) -> dict[str, Any]:
        """The top of the file: the same as any mapping, but that lists are read item by item."""
        result: dict[str, Any] = {}
        if start.tag is not None:
            self._tagged(start)
        if start.anchor is not None:
            self.anchors[start.anchor] = _Anchored()
        while (event := self.get()).__class__ is not MappingEndEvent:
            key = self._key(event, 1)
            at_key, event = event, self.get()
            usual = event.__class__ is SequenceStartEvent and event.anchor is event.tag is None
            value = self._items(key) if usual and key is not None else self._node(event, 2)
            self._put(result, key, value, start, at_key)
        self.nodes += 2 * len(result)
        return result

    def _items(self, key: str) -> list[Any]:
        hook = self.hooks.get(key)
        items: list[Any] = []
        lines = self.lines[key] = []
        get, node = self.get, self._node
        while (event := get()).__class__ is not SequenceEndEvent:
            if hook is None:
                lines.append(line_of(event))
                items.append(node(event, 3))
            else:
                items.append(hook(node(event, 3)))
        self.nodes += len(items)
        return items

    # -- the usual: these two loops are where the time goes ------------------------------------------------------------

    def _mapping(self, start: Any, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            self._too_deep(start)
        get, known = self.get, self.keys
        value: Any
        result: dict[str, Any] = {}
        while (event := get()).__class__ is not MappingEndEvent:
            key: Any = known.get(event.value) if event.__class__ is ScalarEvent else None
            if key is None or event.anchor is not None or event.tag is not None:
                key = self._key(event, depth)
            at_key, event = event, get()
            if event.__class__ is ScalarEvent and event.anchor is None and event.tag is None:
                value = event.value
                if not event.style and value[:1] in STARTERS:
                    try:
                        value = resolve(value)
                    except TooLargeError:
                        self._too_large(event)
                elif "#E" in value:
                    self.marked.append(value)
            else:
                value = self._node(event, depth + 1)
            if key is None or key in result:
                self._put(result, key, value, start, at_key)
            else:
                result[key] = value
        self.nodes += 2 * len(result)
        return result

    def _sequence(self, start: Any, depth: int) -> list[Any]:
        if depth > MAX_DEPTH:
            self._too_deep(start)
        get = self.get
        value: Any
        result: list[Any] = []
        while (event := get()).__class__ is not SequenceEndEvent:
            if event.__class__ is ScalarEvent and event.anchor is None and event.tag is None:
                value = event.value
                if not event.style and value[:1] in STARTERS:
                    try:
                        value = resolve(value)
                    except TooLargeError:
                        self._too_large(event)
                elif "#E" in value:
                    self.marked.append(value)
                result.append(value)
            else:
                result.append(self._node(event, depth + 1))
        self.nodes += len(result)
        return result

    def _node(self, event: Any, depth: int) -> Any:
        """Any value, with whatever is unusual about it."""
        kind = event.__class__
        if kind is AliasEvent:
            return self._alias(event, depth)
        if event.tag is not None:
            self._tagged(event)
        if event.anchor is not None:
            return self._anchored(event, depth)
        return self._content(event, kind, depth)

    def _content(self, event: Any, kind: Any, depth: int) -> Any:
        if kind is ScalarEvent:
            return self._scalar(event)
        return self._mapping(event, depth) if kind is MappingStartEvent else self._sequence(event, depth)

    def _scalar(self, event: Any) -> Any:
        value = event.value
        if not event.style and value[:1] in STARTERS:
            try:
                return resolve(value)
            except TooLargeError:
                self._too_large(event)
        elif "#E" in value:
            self.marked.append(value)
        return value

    def _too_large(self, event: Any) -> None:
        shown = _short(event.value)
        hint = f'write it as text: "{shown}"'
        self._fault("number-too-large", f"{shown} does not fit into 64 bits", begins_at(event), hint)

    # -- keys ----------------------------------------------------------------------------------------------------------

    def _key(self, event: Any, depth: int) -> str | None:
        """A key that is text; None where it is none, which is noted. One that is known needs no second look."""
        plain = event.__class__ is ScalarEvent and not event.style
        if plain and event.value == "<<":
            self._fault("merge-key", "merge keys (<<) are not read", begins_at(event), "write the keys out")
            return None
        key = self._node(event, depth + 1)
        if not isinstance(key, str):
            shown = _short(event.value) if event.__class__ is ScalarEvent else ""
            what, hint = (f"the key {shown}", f'quote it: "{shown}"') if shown else ("this key", "a key is text")
            self._fault("non-text-key", f"{what} is not text", begins_at(event), hint)
            return None
        if event.__class__ is ScalarEvent and "#E" not in key and (plain or _is_plain(key)):
            return self.keys.setdefault(key, key)
        return key

    def _put(self, result: dict[str, Any], key: str | None, value: Any, start: Any, at_key: Any) -> None:
        """A value under its key, unless the key is none, or was there already."""
        if key is None:
            return
        if key in result:
            self.twice.append((begins_at(start), key, begins_at(at_key)))
            if len(self.twice) > MOST:
                raise StopReadingError
        else:
            result[key] = value

    # -- the unusual ---------------------------------------------------------------------------------------------------

    def _anchored(self, event: Any, depth: int) -> Any:
        anchored = self.anchors[event.anchor] = _Anchored()
        nodes, brought = self.nodes, self.brought
        anchored.value = self._content(event, event.__class__, depth)
        anchored.size = 1 + self.nodes - nodes + self.brought - brought
        anchored.letters, anchored.height = _measure(anchored.value, self.measured)
        if anchored.height:
            self.measured[id(anchored.value)] = anchored
        return anchored.value

    def _alias(self, event: Any, depth: int) -> Any:
        anchored = self.anchors.get(event.anchor)
        if anchored is None or not anchored.size:
            rule = "unknown-alias" if anchored is None else "recursive-alias"
            why = "no anchor before it has this name" if anchored is None else "it stands inside what it repeats"
            hint = "quote a text that begins with *"
            self._fault(rule, f"*{event.anchor} can't be followed: {why}", begins_at(event), hint)
            return None
        if depth - 1 + anchored.height > MAX_DEPTH:
            self._too_deep(event)
        self.nodes -= 1  # of the collection it stands in: it is no node of its own
        self.brought += anchored.size
        self.letters += anchored.letters
        self.grown_at.append((self.brought, self.letters, begins_at(event)))
        return anchored.value

    def _check_growth(self) -> None:
        if index := next((at for brought, _, at in self.grown_at if brought > self.nodes * (MAX_GROWTH - 1)), 0):
            size = f"{MAX_GROWTH} times its own {self.nodes} nodes"
        elif index := next((at for _, letters, at in self.grown_at if letters > MAX_LETTERS), 0):
            size = f"{MAX_LETTERS:,} characters"
        else:
            return
        hint = "write the repeated part out, or repeat less of it"
        self._fault("alias-bomb", f"aliases grow the file to more than {size}", index, hint)
        raise StopReadingError

    def _too_deep(self, event: Any) -> None:
        self._fault("too-deep", f"nested deeper than {MAX_DEPTH} levels", begins_at(event))
        raise StopReadingError

    def _tagged(self, event: Any) -> None:
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        hint = "leave the tag out; quote a text that begins with !"
        self._fault("tag", f"tags such as {tag} are not read", begins_at(event), hint)

    def _fault(self, rule: str, message: str, index: int, hint: str = "") -> None:
        self.faults.note(Fault(rule, message, hint, index=index))


def _measure(value: Any, measured: Mapping[int, _Anchored]) -> tuple[int, int]:
    """The characters and levels of a value; what is anchored inside of it was measured before, so each node is once."""
    if isinstance(value, str):
        return len(value), 0
    if not isinstance(value, dict | list):
        return 0, 0
    if known := measured.get(id(value)):
        return known.letters, known.height
    found = [_measure(part, measured) for part in ([*value, *value.values()] if isinstance(value, dict) else value)]
    return sum(letters for letters, _ in found), 1 + max((height for _, height in found), default=0)


def _is_plain(key: str) -> bool:
    """Whether a key that is written in quotes would mean the same without."""
    return key.isidentifier() and key not in CONSTANTS


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
