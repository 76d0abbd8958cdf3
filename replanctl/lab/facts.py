"""What the lab knows of one session: a small value, so that thousands fit in memory."""

from __future__ import annotations

import msgspec

from replanctl.kinds import Ending, GateName, Granularity, Reason


class Doubled(msgspec.Struct, frozen=True, gc=False):
    """The same call took effect so many times."""

    tool: str
    times: int


class Stopped(msgspec.Struct, frozen=True, gc=False):
    """The gate that ended a session, with what it read."""

    gate: GateName
    limit: int | float | None
    reading: int | float


class Need(msgspec.Struct, frozen=True, gc=False):
    """The smallest limit of a gate that admits all that a session asked of it."""

    gate: GateName
    limit: int | float


class InForce(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The limit of a gate that held for a session; `rule` says how it follows from the plan, where it is not stated."""

    gate: GateName
    limit: int | float | None
    rule: str = ""


class Freed(msgspec.Struct, frozen=True, gc=False):
    """The smallest limit of the gate that stopped a session under which it completes, and how many tokens more that
    took: in all, and by kind in the order of `LedgerKind`."""

    limit: int | float
    tokens: int
    spent: tuple[int, ...] = ()


# What is kept of a session, and why it is enough.
#
# A table of the lab asks the same few things of every session: whether it came to its goal and by which way, what it
# spent, what of the policy and the script decided anything, and what its limits would have had to be. The events answer
# all of it, but a session has dozens of them, and a sweep thousands of sessions. So a session is folded where it ran,
# and only its facts cross the border between processes, stand in a file of facts, and are merged from shards.
#
# Four things follow from that, and hold in the whole room:
#
# - Facts are complete. What a table shows stands in them; nobody goes back to the events. The one exception runs the
#   sessions of a single race again, which is exact, since a session is a function of its rehearsal, policy and faults.
# - Tables are folds over facts in the order of the trials. Workers, shards and clusters change who runs a session, and
#   never a byte of the result.
# - Facts count as the result of a `run` does: tokens as they are booked, seconds on the session's own clock, effects as
#   the result lists them. A cell of a matrix that is run by itself (`run --fault`) says the same.
# - Facts judge nothing. Whether a lane is better, a limit too tight or a fallback dead is decided where the table is
#   made, of all sessions together.
#
# Two of them are told indirectly. `needs` turns a gate's readings into limits: a gate that admits what is WITHIN it
# needs the reading itself, one that admits what is BELOW it needs one more. `alternatives` are found by how many a step
# has left, because a draft says what is to be done and not which alternative it was taken from.
class Facts(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One session. `key` says which it was; seconds are of session time, tokens are booked.

    `effects` are the calls that a result lists: of tools that act on the world, and others from the second time on.
    `needs` are what gates read at most, as limits. `freed` is what `tune` found by running it again, `runs` times, and
    `limits` are what held for a session that `tune` looked at.

    `rules` are the routing rules that decided, `refused` the gates that refused anything, `fallbacks` pairs of a tool
    and what was called instead, `alternatives` steps of v1 with the number of the one taken, `planner` and `outcomes`
    the script's rules by number that were used, `unlanded` the faults that never met a call. `spent` are the tokens by
    kind, in the order of `LedgerKind`.
    """

    key: tuple[str, ...]
    status: Ending
    reason: Reason
    seconds: float = 0.0
    tokens: int = 0
    remedy: int = 0
    calls: int = 0
    executions: int = 0
    replans: int = 0
    versions: int = 1
    depths: tuple[Granularity, ...] = ()
    gaps: int = 0
    stopped: Stopped | None = None
    doubled: tuple[Doubled, ...] = ()
    rules: tuple[str, ...] = ()
    refused: tuple[GateName, ...] = ()
    fallbacks: tuple[tuple[str, str], ...] = ()
    alternatives: tuple[tuple[str, int], ...] = ()
    planner: tuple[int, ...] = ()
    outcomes: tuple[int, ...] = ()
    unlanded: tuple[str, ...] = ()
    effects: int = 0
    needs: tuple[Need, ...] = ()
    freed: Freed | None = None
    limits: tuple[InForce, ...] = ()
    runs: int = 1
    spent: tuple[int, ...] = ()

    @property
    def completed(self) -> bool:
        """Whether it came to its goal, with or without gaps."""
        return self.status is Ending.COMPLETED
