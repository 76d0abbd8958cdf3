"""The mock world: scripted tool outcomes and interruptions, at the seam where real tools would be called."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.replan.signal import Status


class Match(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Which calls a rule answers; what is left out matches everything. `args` is a subset of the substituted args."""

    step: str | None = None
    tool: str | None = None
    args: dict[str, Any] | None = None
    version: int | None = None


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What one attempt returns. `value` UNSET: a small value that satisfies the step's contract. Seconds, tokens."""

    status: Status
    value: Any = UNSET
    message: str = ""
    latency: float | None = None
    retry_after: float | None = None
    tokens: int | None = None
    refutes: tuple[str, ...] = ()
    cause: str = ""


class OutcomeRule(msgspec.Struct, frozen=True, gc=False):
    """One entry per attempt that matches; the last one repeats. `line` is the rule's place in its file, for warnings."""

    match: Match
    returns: tuple[Entry, ...]
    line: int = 0


class Interruption(msgspec.Struct, frozen=True, gc=False):
    """The goal changes: once step `after` has ended, or `at` so many seconds on the session's clock."""

    goal: str
    after: str | None = None
    at: float | None = None
    refutes: tuple[str, ...] = ()
