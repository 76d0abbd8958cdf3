"""What a verb can be given: one declaration, read by the quick reader and by typer alike.

A verb's options are a Struct whose fields carry a `Flag` in their annotation. The field's name gives the
option's: `max_steps` is `--max-steps`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import msgspec

from replanctl.cli.values import folder
from replanctl.kinds import Color

if TYPE_CHECKING:
    from replanctl.cli.world import World


class Flag(msgspec.Struct, frozen=True):
    """How one option or argument is written and read.

    Without a `metavar` it is a switch. `parse` makes a value of the text and raises ValueError saying what is
    wrong with it. `positional` ones have no name; `many` may be given again and again.
    """

    help: str
    metavar: str = ""
    parse: Callable[[str], Any] = str
    short: str = ""
    positional: bool = False
    many: bool = False


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
    fields = [field for each in options.__mro__ for field in getattr(each, "__annotations__", ()) if field in hints]
    return {field: hints[field].__metadata__[0] for field in fields}


def option_name(field: str) -> str:
    """How a field is written on the command line; one that is a word of Python ends in `_`."""
    return "--" + field.removesuffix("_").replace("_", "-")
