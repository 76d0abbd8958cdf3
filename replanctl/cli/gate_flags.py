"""The flags of gates, made from the table of gates: `run` states limits, `resume` also raises those in force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET

from replanctl.cli.flags import Flag, Shared
from replanctl.cli.values import count, duration, or_none, positive
from replanctl.replan import GATES, GateRow, Unit

Parse = Callable[[str], Any]


class More(msgspec.Struct, frozen=True):
    """So much on top of the limit in force."""

    by: float


def _amount(row: GateRow) -> Parse:
    """How much of what a gate limits."""
    if row.unit is Unit.SECONDS:
        return duration
    return positive if row.least else count


def _limit(row: GateRow) -> Parse:
    """A new limit; `none` lifts one that may be lifted."""
    return or_none(_amount(row)) if row.nullable else _amount(row)


def _or_more(row: GateRow) -> Parse:
    """A new limit, or `+N` on top of the one in force."""
    limit, amount = _limit(row), _amount(row)
    return lambda text: More(amount(text[1:])) if text.startswith("+") else limit(text)


def _flags(name: str, parse: Callable[[GateRow], Parse], metavar: str) -> Any:
    """A Struct of options, one for each gate; UNSET is left to the policy."""
    fields = [
        (row.name.value, Annotated[Any, Flag(row.help, metavar.format(_METAVARS[row.unit]), parse(row))], UNSET)
        for row in GATES
    ]
    return msgspec.defstruct(name, fields, bases=(Shared,), module=__name__, frozen=True, kw_only=True)


_METAVARS = {Unit.COUNT: "N", Unit.TOKENS: "N", Unit.SECONDS: "TIME"}

if TYPE_CHECKING:

    class GateOptions(Shared, frozen=True, kw_only=True):
        """The limits that a command line states."""

    class RaiseOptions(Shared, frozen=True, kw_only=True):
        """The limits that a command line states or raises."""

else:
    GateOptions = _flags("GateOptions", _limit, "{}")
    RaiseOptions = _flags("RaiseOptions", _or_more, "{0}|+{0}")


def gates_given(options: Shared) -> Mapping[str, Any]:
    """The limits that were given, by gate."""
    named = {row.name.value: getattr(options, row.name) for row in GATES}
    return {name: value for name, value in named.items() if value is not UNSET}
