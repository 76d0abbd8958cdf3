"""What a verb can be given: one declaration, read by the quick reader and by typer alike; and the values it takes.

A format is chosen with `match`, which ends in `assert_never`: a new one is then an error of mypy wherever it matters.

A verb's options are a Struct whose fields carry a `Flag` in their annotation. The field's name gives the
option's: `max_steps` is `--max-steps`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import msgspec

from replanctl.kinds import LedgerKind

if TYPE_CHECKING:
    from replanctl.cli.world import World

MOST_STEPS = 100_000  # of a plan that exists only as a number


class RunFormat(StrEnum):
    """How a session is written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


class Format(StrEnum):
    """How a result is written."""

    TEXT = "text"
    JSON = "json"


class DiffFormat(StrEnum):
    """How a comparison is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class GraphFormat(StrEnum):
    """How a graph is written."""

    MERMAID = "mermaid"
    DOT = "dot"
    TEXT = "text"


class Color(StrEnum):
    """When to use colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


WRITTEN = {"output": "-o", "junit": "--junit"}  # fields that name where a result goes, as they are written


def folder(text: str) -> Path:
    """A folder's path; an empty text is none, rather than the working folder."""
    if not text:
        raise ValueError("'' names no folder")
    return Path(text)


# One declaration for both readers, the quick one and typer's: a flag that is not declared here can't be read, and one
# that is can't be forgotten in the help.
class Flag(msgspec.Struct, frozen=True):
    """How one option or argument is written and read.

    Without a `metavar` it is a switch. `parse` makes a value of the text and raises ValueError saying what is
    wrong with it. `positional` ones have no name; `many` may be given again and again. `complete` names what a shell
    offers for it (a row of `candidates.py`), where `parse` is no closed list of words.
    """

    help: str
    metavar: str = ""
    parse: Callable[[str], Any] = str
    short: str = ""
    positional: bool = False
    many: bool = False
    complete: str = ""


# They may stand before or after the verb, for nobody remembers which.
class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """What every verb takes, before or after its name."""

    color: Annotated[Color, Flag("When to use colour.", "WHEN", Color)] = Color.AUTO
    quiet: Annotated[bool, Flag("Say only what was asked for, nothing on the side.", short="-q")] = False
    debug: Annotated[bool, Flag("Show the traceback of a bug.")] = False
    store: Annotated[Path | None, Flag("The folder that runs are kept in.", "DIR", folder)] = None
    version: Annotated[bool, Flag("Print the version.")] = False


class Verb(msgspec.Struct, frozen=True):
    """A verb: what it takes and what it does. `execute` returns the exit code."""

    help: str
    options: type[Shared]
    execute: Callable[[Any, World], int]


def flags_of(options: type[Shared]) -> dict[str, Flag]:
    """The flags of a verb by field: its own first, then those it shares with others."""
    hints = get_type_hints(options, include_extras=True)
    # By class, its own first: help lists what is particular to a verb before what all of them take.
    fields = [field for each in options.__mro__ for field in getattr(each, "__annotations__", ()) if field in hints]
    return {field: hints[field].__metadata__[0] for field in fields}


def option_name(field: str) -> str:
    """How a field is written on the command line; one that is a word of Python ends in `_`."""
    return "--" + field.removesuffix("_").replace("_", "-")


# -- values: each makes one of a text, and raises ValueError that says what is wrong -------------------------------


def count(text: str) -> int:
    """A whole number from 0."""
    return _whole(text, 0)


def positive(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1)


def step_count(text: str) -> int:
    """A number of steps, from 1 to what can still be drawn."""
    if (steps := _whole(text, 1)) > MOST_STEPS:
        raise ValueError(f"{text} steps are more than {MOST_STEPS}")
    return steps


_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def amount(text: str) -> float:
    """A number from 0."""
    value = float(text) if _NUMBER.fullmatch(text) else -1.0  # Python would take 1_000, and digits of other scripts
    if not 0 <= value < float("inf"):
        raise ValueError(f"{text!r} is not a number from 0")
    return value


def price(text: str) -> tuple[str, str, str]:
    """`3.00`, `3.00/12.00` for what is read and what is written, or either behind `MODEL=`: the model, and both."""
    model, _, amounts = text.rpartition("=")
    read, slash, written = amounts.partition("/")
    for each in (read, *([written] if slash else [])):
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", each):
            raise ValueError(f"{text!r} is no price of a million tokens: 3.00, 3.00/12.00, or MODEL=3.00/12.00")
    return model, read, written or read


def kind_and_model(text: str) -> tuple[str, str]:
    """`gpt-x`, or `execution=gpt-x` for what is booked under one kind: the kind, if any, and the model."""
    kind, equals, model = text.partition("=")
    kind, model = (kind, model) if equals else ("", text)
    if not model or (equals and kind not in list(LedgerKind)):
        raise ValueError(f"{text!r} is not MODEL, or KIND=MODEL with one of {', '.join(LedgerKind)}")
    return kind, model


# The same three of every verb that knows what tokens cost.
Price = Annotated[
    tuple[tuple[str, str, str], ...],
    Flag("What a million tokens cost: 3.00, or 3.00/12.00 in and out.", "[MODEL=]PRICE", price, many=True),
]
PriceFile = Annotated[Path | None, Flag("What models cost, in a YAML file.", "FILE", Path)]
Model = Annotated[
    tuple[tuple[str, str], ...],
    Flag("The model whose price counts, of all or of a kind.", "[KIND=]MODEL", kind_and_model, many=True),
]


def duration(text: str) -> float:
    """A time in seconds: a number, or a text like 250ms, 30s, 2m, 1h."""
    from replanctl.files import LONGEST, seconds_of

    seconds = seconds_of(text)
    seconds = amount(text) if seconds is None else seconds
    if seconds > LONGEST:
        raise ValueError(f"{text!r} is too long: the longest is {LONGEST:,} seconds")
    return seconds


def or_none(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same, or `none` for no limit."""

    def parse_or_none(text: str) -> Any:
        return None if text in ("none", "null") else parse(text)

    return parse_or_none


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20) or int(text) < least:
        raise ValueError(f"{text!r} is not a whole number from {least}")
    return int(text)
