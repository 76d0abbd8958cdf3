"""Hard limits that are checked before the spending they limit."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType


class Preset(StrEnum):
    """A named set of limits that depend on the plan's size."""

    ANCHORED = "anchored"


class GateLimits(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The limits as a policy states them: None is no limit, UNSET the preset's or the default.

    `max_seconds` is in seconds of session time, `max_replan_tokens` in tokens, the rest are counts.
    """

    preset: Preset | None = None
    per_step: int | None | UnsetType = UNSET
    max_replans: int | UnsetType = UNSET
    max_replan_tokens: int | None | UnsetType = UNSET
    max_steps: int | None | UnsetType = UNSET
    max_tool_calls: int | None | UnsetType = UNSET
    max_seconds: float | None | UnsetType = UNSET
    max_repeat: int | None | UnsetType = UNSET
