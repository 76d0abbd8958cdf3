"""Why a session ends, as one value."""

from __future__ import annotations

import msgspec

from replanctl.kinds import Reason
from replanctl.replan import REASONS, Check


class Stop(msgspec.Struct, frozen=True):
    """The session ends here: why, in words, and by which gate."""

    reason: Reason
    detail: str
    gate: Check | None = None


def refusal(check: Check) -> Stop:
    """How a gate that refuses ends the session."""
    detail = f"{check.gate} comes to {check.reading}, the limit is {check.limit}"
    return Stop(REASONS[check.gate], detail, check)
