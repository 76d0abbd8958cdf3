"""One execution under way, as the dispatcher and the ends hand it to each other."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.live import Cell
from replanctl.plan import Tool
from replanctl.run.once import Made
from replanctl.run.tools import Attempt, Outcome

_NO_ANSWER = Outcome()


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
