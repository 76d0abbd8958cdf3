"""What of a Python value is data: what JSON can say of it. Sessions keep copies of their own, never live objects."""

from __future__ import annotations

from typing import Any

import msgspec

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
