"""The events of a YAML parser: where they stand, and what a scalar means.

Unquoted, `true`, `false`, `null`, `~` and decimal numbers mean what they mean in YAML 1.2; everything else is text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

GetEvent = Callable[[], Any]

CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
# What a scalar that is not plain text can begin with: a cheap first look, for the bulk of a file is text.
STARTERS = frozenset("0123456789+-.tfn~") | {""}

# YAML 1.2, with the traps of 1.1 left out: no octal, no sexagesimal, no underscore. What would be a number with a
# leading zero is an id or a date far more often.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class TooLargeError(ValueError):
    """A number that 64 bits don't hold."""


def resolve(text: str) -> bool | int | float | str | None:
    """The value of a plain scalar. Raises TooLargeError for a number that 64 bits don't hold."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if len(text) < 19 and text.isascii() and text.isdigit():
        return text if text[0] == "0" and len(text) > 1 else int(text)
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return _float(text)
    return text


def _integer(text: str) -> int:
    if len(text) > 20 or not _SMALLEST <= (number := int(text)) <= _LARGEST:
        raise TooLargeError(text)
    return number


def _float(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise TooLargeError(text)
    return number


def begins_at(event: Any) -> int:
    """The character an event begins at."""
    index: int = event.start_mark.index
    return index


def ends_at(event: Any) -> int:
    """The character behind what an event stands for."""
    index: int = event.end_mark.index
    return index


def line_of(event: Any) -> int:
    """The line an event begins in, from 1."""
    number: int = event.start_mark.line + 1
    return number
