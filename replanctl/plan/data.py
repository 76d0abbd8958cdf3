"""Args and answers as data: what JSON can say of a Python value, and when two values say the same.

Sessions keep copies of their own, never live objects. How much the args of one call may hold is counted before they are
built: a value of ten megabytes that three hundred references read is one value until somebody writes the args down, in
an event, in the store, on the way to a tool. So the same value counts as often as it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import msgspec

from replanctl.plan.references import Reference, in_text, parse

MOST_VALUES = 1_000_000
MOST_BYTES = 64 * 1024 * 1024  # of texts and keys, in UTF-8
_GLANCE = 100  # args, and characters and pieces of one, that are taken in at a glance
_SMALL = 1_000  # characters of a text that is not counted where there is little else

TOO_MANY = f"the args hold more than {MOST_VALUES:,} values"
TOO_LARGE = f"the args hold more than {MOST_BYTES >> 20} MB of text"

# A subclass of these is data by what it holds; its own __str__ and __repr__ are never asked.
_PLAIN: tuple[tuple[type, Any], ...] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))


class NoDataError(Exception):
    """A value that JSON can't say; the text says why."""


def data_of(value: Any) -> Any:
    """A copy of a value as JSON has it: dataclasses are mappings, sets and tuples lists, dates text, NaN null.

    Raises NoDataError for anything else: generators, coroutines, classes, a value in itself, numbers of thousands of
    digits, half a surrogate pair.
    """
    try:
        # By way of JSON, which is what is stored: what does not survive that is refused here, where it can be said
        # whose value it is.
        return msgspec.json.decode(msgspec.json.encode(value, enc_hook=_plain))
    except NoDataError:
        raise
    except RecursionError:
        raise NoDataError(f"a {_kind(value)} nested too deep, or in itself") from None
    except UnicodeEncodeError:
        raise NoDataError("text with half a surrogate pair in it") from None
    except Exception as error:
        raise NoDataError(f"a {_kind(value)} that JSON can't say ({type(error).__name__})") from None


def _plain(value: Any) -> Any:
    for kind, plain in _PLAIN:
        if isinstance(value, kind):
            return plain(value)
    raise NoDataError(f"a {_kind(value)}, which is no data")


def _kind(value: Any) -> str:
    return type(value).__qualname__


def exact(args: dict[str, Any]) -> bytes:
    """Args as bytes that differ where JSON does."""
    try:
        return msgspec.json.encode(args, order="deterministic", enc_hook=repr)
    except (UnicodeEncodeError, TypeError, RecursionError):  # half a surrogate pair, other keys, a value in itself
        # Such args never left Python: they can't be stored, but they can be told apart.
        return repr(args).encode("utf-8", "backslashreplace")


def same_args(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether these are the same args as JSON has it: Python takes 1, 1.0 and True for equal."""
    return one is other or exact(one) == exact(other)


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


def are_plain(args: dict[str, Any]) -> bool:
    """Whether it is plain at a glance that these args hold no reference and nothing that may be too much for a call:
    nothing but numbers and short texts. So are most."""
    for value in args.values():
        kind = type(value)
        if kind is str:
            if len(value) > _SMALL or "#E" in value:
                return False
        elif kind is dict or kind is list or kind is tuple:
            return False
    return True


def too_bulky(args: dict[str, Any]) -> str:
    """What these args, which hold no references, have too much of for one call, or nothing."""
    for value in args.values():
        kind = type(value)
        if kind is dict or kind is list or kind is tuple or (kind is str and len(value) > _SMALL):
            return "" if size_of(args) <= MOST_VALUES else too_bulky_when_read(args, (), lambda reference: None)
    return ""


def size_of(value: Any) -> int:
    """The bytes of a value as JSON, which are more than it has values, and more than its texts have: what is not large
    by this need not be counted. Of what JSON can't say it is more than any bound."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):  # half a surrogate pair is a ValueError too
        return MOST_BYTES + 1


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
    return not isinstance(value, str) or len(value) < _SMALL


def _length(text: Any) -> int:
    if not isinstance(text, str):
        return 0
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
