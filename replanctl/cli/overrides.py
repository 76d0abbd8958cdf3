"""The flags of a run on top of its policy."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag, Shared
from replanctl.cli.values import count, duration, or_none, positive
from replanctl.kinds import Granularity, Mode, Preset
from replanctl.replan import GateLimits
from replanctl.run import Policy


class PolicyOptions(Shared, frozen=True, kw_only=True):
    """What a command line can say of a policy; UNSET is left to the policy. `none` lifts a limit."""

    mode: Annotated[Mode | UnsetType, Flag("What failures do.", "MODE", Mode)] = UNSET
    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan.", "GRANULARITY", Granularity)
    ] = UNSET
    preset: Annotated[Preset | UnsetType, Flag("Limits that fit the plan's size.", "PRESET", Preset)] = UNSET
    per_step: Annotated[
        int | UnsetType | None, Flag("Replans for the same failure of a step.", "N", or_none(count))
    ] = UNSET
    max_replans: Annotated[int | UnsetType, Flag("Replans in all.", "N", count)] = UNSET
    max_replan_tokens: Annotated[int | UnsetType | None, Flag("Tokens for all replans.", "N", or_none(count))] = UNSET
    max_steps: Annotated[int | UnsetType | None, Flag("Step executions.", "N", or_none(count))] = UNSET
    max_tool_calls: Annotated[int | UnsetType | None, Flag("Tool calls.", "N", or_none(count))] = UNSET
    max_seconds: Annotated[
        float | UnsetType | None, Flag("Session time: 250ms, 30s, 2m, 1h.", "TIME", or_none(duration))
    ] = UNSET
    max_repeat: Annotated[
        int | UnsetType | None, Flag("Returns to a plan that was given up.", "N", or_none(positive))
    ] = UNSET
    max_parallel: Annotated[int | UnsetType, Flag("Steps side by side.", "N", positive)] = UNSET


def with_flags(policy: Policy, options: PolicyOptions) -> Policy:
    """The policy with everything that the command line says on top."""
    replace = msgspec.structs.replace
    given = {name: value for name in PolicyOptions.__struct_fields__ if (value := getattr(options, name)) is not UNSET}
    gates = {name: given[name] for name in GateLimits.__struct_fields__ if name in given}
    whole = {name: given[name] for name in ("mode", "max_parallel") if name in given}
    routing = {"force": given["granularity"]} if "granularity" in given else {}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing), **whole)
