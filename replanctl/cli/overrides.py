"""The flags of a run on top of its policy. Those of gates are made from the table of gates: `run` states limits,
`resume` also raises those in force."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag, Shared, count, duration, option_name, or_none, positive
from replanctl.kinds import Granularity, Mode, Preset
from replanctl.replan import GATES, GateRow, Unit
from replanctl.run import Policy

Parse = Callable[[str], Any]


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

    def parse(text: str) -> Any:
        from replanctl.host import More  # only `resume` needs it

        return More(amount(text[1:])) if text.startswith("+") else limit(text)

    return parse


# A gate is one row of a table (`replan/gates.py`), and its flags are made from the row: a gate that is added there is a
# flag of `run`, `resume` and every sweep without a line here. For the type checker the Struct is declared empty, since
# it can't see fields that are made when the program runs.
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


# UNSET is no value: `none` is one, and lifts a limit, so what was not said has to be told from it.
def gates_given(options: Shared) -> Mapping[str, Any]:
    """The limits that were given, by gate."""
    named = {row.name.value: getattr(options, row.name) for row in GATES}
    return {name: value for name, value in named.items() if value is not UNSET}


class PolicyOptions(GateOptions, frozen=True, kw_only=True):
    """What a command line can say of a policy; UNSET is left to the policy. `none` lifts a limit."""

    mode: Annotated[Mode | UnsetType, Flag("What failures do.", "MODE", Mode)] = UNSET
    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan.", "GRANULARITY", Granularity)
    ] = UNSET
    preset: Annotated[Preset | UnsetType, Flag("Limits that fit the plan's size.", "PRESET", Preset)] = UNSET
    max_parallel: Annotated[int | UnsetType, Flag("Steps side by side.", "N", positive)] = UNSET


def policy_words(options: PolicyOptions, policies: Iterable[Path] = ()) -> str:
    """The words of a command line that say the same of the policy, quoted for a shell."""
    words = [word for path in policies for word in ("--policy", str(path))]
    given = {name: getattr(options, name) for name in ("preset", "mode", "max_parallel", "granularity")}
    for name, value in {**given, **gates_given(options)}.items():
        if value is not UNSET:
            # What `tune` and `matrix` offer next has to run under the policy they were made under.
            words += [option_name(name), "none" if value is None else f"{value}"]
    return shlex.join(words)


def with_flags(policy: Policy, options: PolicyOptions) -> Policy:
    """The policy with everything that the command line says on top."""
    replace = msgspec.structs.replace
    names = [name for name in ("preset", "mode", "max_parallel", "granularity") if getattr(options, name) is not UNSET]
    given = {name: getattr(options, name) for name in names}
    gates = {**{name: given[name] for name in ("preset",) if name in given}, **gates_given(options)}
    whole = {name: given[name] for name in ("mode", "max_parallel") if name in given}
    routing = {"force": given["granularity"]} if "granularity" in given else {}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing), **whole)
