"""What a person changes about a session that is taken up again: its policy, goal and script, and their word on calls
that may have happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from replanctl.kinds import Settle
from replanctl.run.interruptions import Interruption
from replanctl.run.policy import Policy
from replanctl.run.tools import Started, Tools

LastWords = Callable[[], Iterable[str]]


# What a person changes is an input like the plan: it is kept with the number of the event from which on it holds, and
# whoever runs the session again makes the same change between the same two events. Nothing that happened is rewritten.
class Settlement(msgspec.Struct, frozen=True):
    """A person's word on the `call`-th (from 1) of the calls that a step left in doubt; `value` is its answer, if it is
    done."""

    step_id: str
    how: Settle
    value: Any = None
    call: int = 1


class Script(msgspec.Struct, frozen=True):
    """A file of outcomes: its name and its text."""

    name: str
    text: str


class Amendment(msgspec.Struct, frozen=True):
    """From event `seq` on, other inputs hold; with `behind_stop`, once the session has come to the stop that follows.

    `goal` is a person's new goal, `outcomes` say what tools return from here on, `cut_off` is a call whose answer
    nobody heard, `settled` a person's word on calls that may have happened.
    """

    seq: int
    policy: Policy
    goal: str | None = None
    outcomes: Script | None = None
    behind_stop: bool = False
    cut_off: Started | None = None
    settled: tuple[Settlement, ...] = ()


class NewInputs(msgspec.Struct, frozen=True):
    """Other inputs for the rest of a session; None leaves what holds. `interruptions` stand in for those to come.

    `settled` is a person's word on calls that may have happened; `cut_off` is the call that is about to be made, and
    was made already when the session was killed.
    """

    policy: Policy | None = None
    tools: Tools | None = None
    interruptions: tuple[Interruption, ...] | None = None
    last_words: LastWords | None = None
    goal: str | None = None
    settled: tuple[Settlement, ...] = ()
    cut_off: Started | None = None
