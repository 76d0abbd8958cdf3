"""How much the args of one call may hold.

It is counted before they are built: a value of ten megabytes that three hundred references read is one value until
somebody writes the args down, in an event, in the store, on the way to a tool. So the same value counts as often as it
is read.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from replanctl.plan.data import MOST_BYTES, SMALL, size_of
from replanctl.plan.references import Reference, in_text, parse

MOST_VALUES = 1_000_000
_GLANCE = 100  # args, and characters and pieces of one, that are taken in at a glance

TOO_MANY = f"the args hold more than {MOST_VALUES:,} values"
TOO_LARGE = f"the args hold more than {MOST_BYTES >> 20} MB of text"


class _FullError(Exception):
    """More than a call may hold."""


class _Bulk:
    """A running count; raises _FullError with what there is too much of."""

    def __init__(self) -> None:
        self.values = self.bytes = 0

    def add(self, values: int, text: int) -> None:
        self.values += values
        self.bytes += text
        if self.values > MOST_VALUES:
            raise _FullError(TOO_MANY)
        if self.bytes > MOST_BYTES:
            raise _FullError(TOO_LARGE)

    def count(self, value: Any, text: Callable[[str], None]) -> None:
        """Count a value and all in it; what is text is counted by `text`."""
        stack, values, left = [value], 0, MOST_VALUES - self.values
        while stack:
            item = stack.pop()
            values += 1  # counted here and added at the end: this runs for each of a million values
            kind = type(item)
            if kind is str:
                text(item)
            elif kind is dict:
                if item:
                    self.add(0, sum(map(_length, item)))
                    stack.extend(item.values())
            elif kind is list or kind is tuple:
                self.add(0, len(item))
                stack.extend(item)
            if values + len(stack) > left:
                break
        self.add(values + len(stack), 0)

    def text(self, text: str) -> None:
        """Count a text as it is."""
        self.add(0, _length(text))


def too_bulky(args: dict[str, Any]) -> str:
    """What these args, which hold no references, have too much of for one call, or nothing."""
    for value in args.values():
        kind = type(value)
        if kind is dict or kind is list or kind is tuple or (kind is str and len(value) > SMALL):
            return "" if size_of(args) <= MOST_VALUES else too_bulky_when_read(args, (), lambda reference: None)
    return ""


def too_bulky_when_read(args: dict[str, Any], known: Container[str], read: Callable[[Reference], Any]) -> str:
    """What the args would have too much of with what their references read in their place, or nothing."""
    if _is_small(args, known, read):
        return ""
    bulk = _Bulk()
    sizes: dict[tuple[str, tuple[str | int, ...], bool], tuple[int, int]] = {}

    def add_read(reference: Reference, whole: bool) -> None:
        where = (reference.step_id, reference.path, whole)
        # The same value may be read three hundred times: it is counted once and added as often.
        if where not in sizes:
            alone, value = _Bulk(), read(reference)
            alone.count(value if whole else in_text(value), alone.text)
            sizes[where] = (alone.values, alone.bytes)
        bulk.add(*sizes[where])

    def text(value: str) -> None:
        pieces = parse(value, known) if "#E" in value else ()
        found = [piece for piece in pieces if isinstance(piece, Reference)]
        for reference in found:
            add_read(reference, whole=len(pieces) == 1)
        if not found:
            bulk.text(value)

    try:
        bulk.count(args, text)
    except _FullError as full:
        return str(full)
    return ""


def _is_small(args: dict[str, Any], known: Container[str], read: Callable[[Reference], Any]) -> bool:
    """Whether it is plain at a glance that there is nothing to count: a few short texts that are one reference each."""
    for value in args.values():
        if type(value) is not str or len(value) > _GLANCE:
            return False
        if "#E" in value:
            pieces = parse(value, known)
            if len(pieces) > _GLANCE or any(isinstance(p, Reference) and not _is_short(read(p)) for p in pieces):
                return False
    return len(args) <= _GLANCE


def _is_short(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return not value
    return not isinstance(value, str) or len(value) < SMALL


def _length(text: Any) -> int:
    if not isinstance(text, str):
        return 0
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
