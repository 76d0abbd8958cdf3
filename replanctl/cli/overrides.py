"""The flags of a run on top of its policy."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag, option_name
from replanctl.cli.gate_flags import GateOptions, gates_given
from replanctl.cli.values import positive
from replanctl.kinds import Granularity, Mode, Preset
from replanctl.run import Policy


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
