"""One execution under way, as the dispatcher and the ends hand it to each other."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.live import Cell
from replanctl.plan import Tool
from replanctl.run.once import Made
from replanctl.run.tools import Attempt, Outcome

_NO_ANSWER = Outcome()


# An execution is on the agenda as long as it is in flight: with a call that ends, with a wait for a retry that ends, or
# with a fallback that is due. It leaves the agenda only by ending. Several things may fall on one instant; what ends is
# handled first, then retries, then fallbacks, each in the order in which they were put there, and only when nothing is
# left at that instant is anything new admitted. Otherwise whether a step may start would depend on which of two answers
# happened to be looked at first.
#
# A call is cut off where the session's time is up: its answer arrives at that instant as a time-out, and what it would
# have been is kept (`unheard`), because a person who raises the limit on resume gives the session the time to hear it.
class Execution(msgspec.Struct, eq=False, gc=False):
    """One execution under way.

    `tries` counts the calls of the current tool, `coefficient` is what its call counts for while it is under way,
    `sources` are the steps whose variables were read; `answer` is what
    its call comes to once the clock is there, `unheard` what it would have come to, had the session's time not been up
    before. `acted` says that its latest call took effect, whether that was heard or not; `made` is that call on record,
    where it is one that is made once; `cut_off`: the session was killed in it.
    """

    cell: Cell
    args: dict[str, Any]
    tool: str
    spec: Tool
    started: float
    sources: tuple[str, ...] = ()
    again: bool = False
    tries: int = 0
    coefficient: int = 0
    attempts: list[Attempt] = []
    fallbacks: list[str] | None = None
    answer: Outcome = _NO_ANSWER
    unheard: Outcome | None = None
    acted: bool = False
    made: Made | None = None
    cut_off: bool = False
