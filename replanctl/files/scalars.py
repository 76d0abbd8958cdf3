"""What an unquoted YAML scalar means: `true`, `false`, `null`, `~`, decimal numbers; everything else is text."""

from __future__ import annotations

import math
import re

CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
# What a scalar that is not plain text can begin with: a cheap first look, for the bulk of a file is text.
STARTERS = frozenset("0123456789+-.tfn~") | {""}

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
