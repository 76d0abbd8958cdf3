"""Args and answers as data: what JSON can say of a Python value, and when two values say the same.

Sessions keep copies of their own, never live objects. Which texts may hold a reference is told by the `#E` that each
begins with, before any is parsed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

SMALL = 1_000  # characters of a text that is not counted where there is little else
MOST_BYTES = 64 * 1024 * 1024  # of texts and keys that one call may hold, in UTF-8

# What a tool or a planner written in Python hands over is bounded more widely: it is there once, and read in parts. But
# a list of lists of the same list is small for Python and without end for whoever writes it down.
MOST_ANSWERED = 10_000_000  # values
MOST_TEXT = 512 * 1024 * 1024  # characters
_DEEPEST = 1_000  # levels; Python's own encoder goes no deeper

# A subclass of these is data by what it holds; its own __str__ and __repr__ are never asked.
_PLAIN: tuple[tuple[type, Any], ...] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))


class NoDataError(Exception):
    """A value that JSON can't say; the text says why."""


def data_of(value: Any) -> Any:
    """A copy of a value as JSON has it: dataclasses are mappings, sets and tuples lists, dates text, NaN null.

    Raises NoDataError for anything else: generators, coroutines, classes, a value in itself, numbers of thousands of
    digits, half a surrogate pair, more than MOST_ANSWERED values or MOST_TEXT characters.
    """
    try:
        _check_bounds(value)
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


def _check_bounds(value: Any) -> None:
    """Raise NoDataError for what would be too much when every value in it is written as often as it is there."""
    level = [value] if type(value) not in _LEAVES else []
    values = text = depth = 0
    while level:
        below: list[Any] = []
        for item in level:
            inner = _inside(item)
            values += len(inner)
            if values > MOST_ANSWERED or text > MOST_TEXT:
                raise NoDataError(f"a {_kind(value)} of {_TOO_MUCH}")
            for each in inner:
                kind = type(each)
                if kind is str:
                    text += len(each)
                elif kind not in _LEAVES:
                    below.append(each)
        level, depth = below, depth + 1
        if depth > _DEEPEST:
            raise RecursionError


_TOO_MUCH = f"more than {MOST_ANSWERED:,} values or {MOST_TEXT >> 20} MB of text"
_LEAVES = frozenset({str, int, float, bool, type(None), bytes, bytearray})
_LISTS: tuple[Any, ...] = (list, tuple, set, frozenset)


def _inside(value: Any) -> Collection[Any]:
    """The values in a value, as the encoder sees them: a subclass is never asked what it holds."""
    kind = type(value)
    if kind is dict:
        return value.values()  # type: ignore[no-any-return]
    if kind in _LISTS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, dict):
        return dict.values(value)
    for base in _LISTS:
        if isinstance(value, base):
            return [*base.__iter__(value)]
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name, None) for name in value.__struct_fields__]
    fields = getattr(kind, "__dataclass_fields__", None)
    return [getattr(value, name, None) for name in fields] if isinstance(fields, dict) else ()


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


def are_plain(args: dict[str, Any]) -> bool:
    """Whether it is plain at a glance that these args hold no reference and nothing that may be too much for a call:
    nothing but numbers and short texts. So are most."""
    for value in args.values():
        kind = type(value)
        if kind is str:
            if len(value) > SMALL or "#E" in value:
                return False
        elif kind is dict or kind is list or kind is tuple:
            return False
    return True


def size_of(value: Any) -> int:
    """The bytes of a value as JSON, which are more than it has values, and more than its texts have: what is not large
    by this need not be counted. Of what JSON can't say it is more than any bound."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):  # half a surrogate pair is a ValueError too
        return MOST_BYTES + 1


def strings(value: Any) -> Iterator[str]:
    """Every string value of args, at any depth; keys are not values."""
    stack = [value]
    while stack:
        item = stack.pop()
        if type(item) is str:
            yield item
        elif type(item) is dict:
            stack.extend(reversed(item.values()))
        elif type(item) is list or type(item) is tuple:
            stack.extend(reversed(item))


def mentions(args: dict[str, Any]) -> bool:
    """Whether there may be a reference (or an escaped one) in these args; cheap."""
    for value in args.values():
        kind = type(value)
        if kind is str:
            if "#E" in value:
                return True
        elif (kind is list or kind is dict or kind is tuple) and value and _mentions(value):
            return True
    return False


def _mentions(value: Any) -> bool:
    """The same of a list or a mapping. Every replan asks it of every step, so what is empty costs next to nothing."""
    stack = [value]
    while stack:
        holder = stack.pop()
        for item in holder.values() if type(holder) is dict else holder:
            kind = type(item)
            if kind is str:
                if "#E" in item:
                    return True
            elif (kind is dict or kind is list or kind is tuple) and item:
                stack.append(item)
    return False


def marked(args: Any) -> list[str]:
    """The texts in the args that may hold a reference, in reading order. Most args are a flat mapping."""
    if type(args) is not dict:
        return [text for text in strings(args) if "#E" in text]
    found: list[str] = []
    for value in args.values():
        kind = type(value)
        if kind is str:
            if "#E" in value:
                found.append(value)
        elif (kind is dict or kind is list or kind is tuple) and value:
            found += [text for text in strings(value) if "#E" in text]
    return found
