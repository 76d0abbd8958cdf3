"""What the YAML parser complains about, said with the way out; and what it would drop without a word.

An unquoted reference is a comment: `q: #E1` is null and `q: find #E1 x` is `find`, in every YAML library.
"""

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

from replanctl.files.events import GetEvent, begins_at, ends_at
from replanctl.files.faults import Fault
from replanctl.plan import ID_LENGTH, Foreign, Reference, foreign_references, parse

# Anything a YAML text may not hold, whether it is quoted or not; compiled only when it is needed, for that takes 3 ms.
_CONTROL = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

# What the parser says, the rule and the way out; the first that is contained in its message counts.
_HINTS = (
    ("nesting depth", "too-deep", "64 levels are the most"),
    ("escape", "bad-escape", "write \\\\ for a backslash, or use single quotes"),
    ("hexdecimal", "bad-escape", "write \\\\ for a backslash, or use single quotes"),
    ("cannot start any token", "yaml-syntax", "indent with spaces, and quote a text that begins with @, ` or %"),
    ("mapping values are not allowed", "yaml-syntax", 'quote a text that holds ": ", and mind the indentation'),
    ("could not find expected ':'", "yaml-syntax", "a key is followed by a colon and a space"),
    ("unexpected end of stream", "yaml-syntax", "a quote or bracket is not closed"),
    ("expected ',' or", "yaml-syntax", "a bracket is not closed, or a comma is missing"),
    ("expected node content", "yaml-syntax", "a value is missing, or a comma is one too many"),
    ("", "yaml-syntax", "mind the indentation, and quote texts that hold special characters"),
)
# What is told where it begins: where the parser gave up there is nothing to see.
_BEGUN = ("could not find expected ':'", "unexpected end of stream")
_LONG = 1000  # characters without any of these before a colon
_STRUCTURE = frozenset(",:{}[]\n\r")


# Directives stand above a document: above the first one, or behind the `...` that ends one.
_TAG_LINE = re.compile(
    r"(?:\A|^\.\.\.[^\r\n]*[\r\n]+)(?:[ \t]*(?:#[^\r\n]*)?[\r\n]|%(?!TAG)[^\r\n]*[\r\n])*(?=%TAG)", re.MULTILINE
)


def directive_fault(text: str) -> Fault | None:
    """A fault for the first `%TAG` line; the parser would hold each of them against all those before it."""
    found = _TAG_LINE.search(text)
    if found is None:
        return None
    return Fault("tag", "%TAG lines are not read", "leave them out, and the tags too", index=found.end())


def syntax_fault(error: Exception, text: str) -> Fault:
    """The parser's complaint as a fault with its place."""
    if isinstance(error, UnicodeEncodeError):
        return Fault(
            "lone-surrogate", "half of a surrogate pair is not text", "save the file as UTF-8", index=error.start
        )
    if not isinstance(error, yaml.MarkedYAMLError):
        return _forbidden(error, text)
    what = ", ".join(filter(None, (error.context, error.problem)))
    begun, at = error.context_mark, error.problem_mark or error.context_mark
    rule, hint = next((rule, hint) for words, rule, hint in _HINTS if words in what)
    if at and _ends_long_key(text, at.index):
        hint = "a key has at most 1,024 characters"
    if begun and at and begun.line != at.line:
        if any(words in what for words in _BEGUN):
            at = begun
        else:
            what = what.replace(",", f" that begins in line {begun.line + 1},", 1)
    return Fault(rule, f"not YAML: {what}", hint, index=min(at.index, len(text)) if at else 0)


def _ends_long_key(text: str, at: int) -> bool:
    """Whether a colon is not taken for one, because what stands before it is too long for a key."""
    return text[at : at + 1] == ":" and at > _LONG and not _STRUCTURE & set(text[at - _LONG : at])


def _forbidden(error: Exception, text: str) -> Fault:
    found = re.search(_CONTROL, text)
    if found is None:
        return Fault("yaml-syntax", f"not YAML: {error}", index=0)
    name = f"U+{ord(found.group()):04X}"
    return Fault(
        "control-character",
        f"the character {name} is not allowed",
        'inside "…", write it as an escape',
        index=found.start(),
    )


# -- comments that were meant to be read -------------------------------------------------------------------------------

# Marks of ours may stand anywhere in a text that was meant to go on; another system's only where a value begins, for
# `see #1` is a comment like any other.
_MARK = re.compile(r"#E[A-Za-z0-9][A-Za-z0-9_-]*")
_FOREIGN_MARK = re.compile(r"(?:[:-][ \t]+|[,\[{][ \t]*|^[ \t]+)(#[A-Za-z0-9][A-Za-z0-9_-]*)", re.MULTILINE)
_FLOW_END = re.compile(r"[,\]}]")
_REST = re.compile(r"[^\r\n]*")
_HEAD = len("#E") + ID_LENGTH + 1  # characters of a mark that say which step a reference means
_SHOWN = 400  # characters of a comment that are looked at for what it says
_ID = re.compile(r"""\bid["']?\s*:\s*["']?([A-Za-z0-9][A-Za-z0-9_-]{0,63})""")


def unquoted_references(
    text: str, events: Callable[[], GetEvent], known: Collection[str], *, ours: bool = True
) -> Iterable[Fault]:
    """A fault for every comment that begins with a known reference where a value, or more text, was meant.

    `ours` means that a `#E` may be in a comment; where it is known that none is, one look at the text mostly does.
    """
    known = known or ids_in(text)
    means = cache(lambda mark: _reference(mark, known) or foreign_references(mark, known))
    found = [each.start() for each in _MARK.finditer(text) if means(each[0][:_HEAD])] if ours else []
    found += [each.start(1) for each in _FOREIGN_MARK.finditer(text) if means(each[1][:_HEAD])]
    return _Comments(text, sorted(set(found)), known).faults(events) if found else ()


def ids_in(text: str) -> frozenset[str]:
    """The ids of steps that a text shows, be it YAML or not."""
    return frozenset(_ID.findall(text))


def _rest(text: str, at: int) -> str:
    found = _REST.match(text, at)
    return found.group() if found else ""


def _reference(text: str, known: Collection[str]) -> Reference | None:
    first = parse(text, known)[0]
    return first if isinstance(first, Reference) and first.known else None


def _foreign(rest: str, known: Collection[str], *, flow: bool) -> Foreign | None:
    """Another system's reference, where a comment is nothing else, but for what ends it in a `flow` collection."""
    head = re.match(r"#[A-Za-z0-9_.\[\]\"-]*", rest)
    text = head[0] if head else ""
    while text:
        if (found := foreign_references(text, known)) and found[0].text == text:
            behind = rest[len(text) :].strip()
            return found[0] if not behind or (flow and behind[0] in ",]}") else None
        text = text[:-1] if text[-1] == "]" else ""
    return None


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

    def __init__(self, text: str, marks: list[int], known: Collection[str]) -> None:
        self.text = text
        self.known = known
        self.marks = marks[::-1]
        self.open: list[_Open] = []
        self.last: Any = None

    def faults(self, events: Callable[[], GetEvent]) -> Iterator[Fault]:
        try:
            get = events()
            while self.marks and (event := get()) is not None:
                yield from self._comments_before(begins_at(event))
                self._enter(event)
        except (yaml.YAMLError, ValueError) as error:
            mark: Any = getattr(error, "problem_mark", None)
            yield from self._comments_before(mark.index if mark else 0)

    def _comments_before(self, index: int) -> Iterator[Fault]:
        while self.marks and self.marks[-1] < index:
            at = self.marks.pop()
            rest = _rest(self.text, at)
            while self.marks and self.marks[-1] < at + len(rest):
                self.marks.pop()
            if (before := self._meant(at)) is not None and (fault := self._fault(at, before, rest[:_SHOWN])):
                yield fault

    def _fault(self, at: int, before: str, rest: str) -> Fault | None:
        flow = bool(self.open) and self.open[-1].flow
        meant = (_FLOW_END.split(rest)[0] if flow else rest).rstrip()
        if reference := _reference(rest, self.known):
            return _unquoted(at, reference.text, f"{before.strip(chr(34) + chr(39))} {meant}".strip())
        foreign = None if before else _foreign(rest, self.known, flow=flow)
        behind_key = flow and self.text[max(0, at - _SHOWN) : at].rstrip()[-1:] == ":"
        if foreign and (behind_key or "." in foreign.text or "[" in foreign.text):
            return _unquoted(at, foreign.text, foreign.form)
        return None

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
        end = ends_at(event) if isinstance(event, ScalarEvent) else 0
        while self.marks and self.marks[-1] < end:
            self.marks.pop()

    def _meant(self, at: int) -> str | None:
        """The text before a comment that was meant to go on, perhaps empty; None where it is just a comment."""
        line = self.text.rfind("\n", 0, at) + 1
        line = max(line, self.text.rfind("\r", line, at) + 1)
        before = self.text[line:at].rstrip()
        if self.last is None or "#" in self.text[max(line, ends_at(self.last)) : at]:
            return None  # inside of a comment that began before it
        if not before:
            return self._continued(at - line) if self.open else None
        text_before = isinstance(self.last, ScalarEvent) and not self._at_key()
        if text_before and self.last.value and ends_at(self.last) == line + len(before):
            return self.text[begins_at(self.last) : ends_at(self.last)]
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


def _unquoted(at: int, what: str, meant: str) -> Fault:
    shown = meant if len(meant) <= 80 else f"{meant[:79]}…"
    message = f"{what} is a comment here: YAML reads nothing after an unquoted #"
    return Fault("unquoted-reference", message, f'quote it: "{shown}"', index=at)
