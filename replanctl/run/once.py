"""The one guard before every call: what was denied is not asked again, and what acts on the world is done once.

A call is a tool and its substituted args. A call of a tool that is not `idempotent` acted where an answer came, and may
have where none came; neither is made again in the session, whoever comes to it. What v1 itself lists two times is two
calls, though: what one of its steps did counts for that step, and for whatever a draft added or changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import Any

import msgspec

from replanctl.kinds import Status
from replanctl.live import CallKey, Variable
from replanctl.plan import Step


class Caller(msgspec.Struct, frozen=True):
    """The step that wants to make a call, the first id of its lineage, and whether it is still as v1 lists it."""

    step: Step
    root: str
    original: bool

    @property
    def step_id(self) -> str:
        """The step's id."""
        return self.step.id


class Came(Enum):
    """What came of a call: nothing yet, an answer, or none, so that it may have happened."""

    NOTHING_YET = auto()
    ANSWER = auto()
    DOUBT = auto()


class Made(msgspec.Struct, eq=False):
    """A call of a once-only tool that is in flight, acted, or may have acted.

    `value` is what it returned where it is `ok`; `variable` is what was made of that, and where nothing was, its
    caller's premises and `sources` are what it rests on, and `goals` how many goals there had been. `number` is the
    `seq` of the event with which it began. `settled`: a person has said what came of it. `stands`: its step has not
    run again since.
    """

    key: CallKey
    tool: str
    caller: Caller
    sources: tuple[str, ...]
    goals: int
    came: Came = Came.NOTHING_YET
    number: int = 0
    ok: bool = False
    value: Any = None
    variable: Variable | None = None
    settled: bool = False
    stands: bool = True

    @property
    def unsettled(self) -> bool:
        """Whether a person has to say what came of it."""
        return self.came is Came.DOUBT and not self.settled


class May(Enum):
    """Whether a call may be made, and if not, what is to be done instead."""

    MAKE = auto()
    WAIT = auto()
    TAKE = auto()
    REFUSE = auto()


class Ruling(msgspec.Struct, frozen=True):
    """The guard's word on a call: make it, wait for one in flight, take the answer `made` had, or fail, and why."""

    may: May
    why: str = ""
    made: Made | None = None


MAKE = Ruling(May.MAKE)
WAIT = Ruling(May.WAIT)
DENIED = Ruling(May.REFUSE, "denied before")


def refuse(made: Made) -> Ruling:
    """The ruling that a call is not made again and that its earlier answer is not taken either, with the reason."""
    happened = "may have" if made.came is Came.DOUBT else "took effect"
    why = f"not made again: {made.tool} acts only once, and step {made.caller.step_id}'s call {happened}"
    return Ruling(May.REFUSE, why, made)


Fits = Callable[[Made], bool]


# A call is known by what it is, tool and args, and not by its step: a planner that lists the same payment under another
# id, another action or behind a fallback means the same payment. The guard is asked before the call and told after it,
# and what it was not told of it takes for in flight, so that two steps side by side can't both make it.
class CallGuard:
    """What was denied, and every call of a once-only tool that acted or may have, by call."""

    def __init__(self) -> None:
        self.denied: set[CallKey] = set()
        self.in_flight = 0
        self.goals = 0
        self._made: dict[CallKey, list[Made]] = {}
        self.doubts: list[Made] = []

    # -- asking -------------------------------------------------------------------------------------------------------

    def may(self, key: CallKey, caller: Caller, fits: Fits, *, again: bool = False) -> Ruling:
        """Whether a call may be made now, and if not, what stands for it.

        `fits` says whether an answer will do for the caller; `again`: the call is meant to be made once more.
        """
        if key in self.denied:
            return DENIED
        # The order of these questions is the rule. A right that is missing is missing whoever asks; what is in flight
        # may still turn out not to have acted; and a call that may have happened has to be settled by a person even
        # where the step is meant to make it once more.
        counting = [made for made in self._made.get(key, ()) if _counts(made, caller)]
        if not counting:
            return MAKE
        if any(made.came is Came.NOTHING_YET for made in counting):
            return WAIT
        stands = _of_several(counting, caller, fits)
        if again and not stands.unsettled:  # one that may have happened waits for a person, an answer does not
            return MAKE
        if stands.ok and fits(stands):
            return Ruling(May.TAKE, f"taken from step {stands.caller.step_id}: {stands.tool} acts only once", stands)
        return refuse(stands)

    def unsettled(self) -> Iterator[Made]:
        """The calls that may have happened and that nobody has settled, in the order they began."""
        return (made for made in sorted(self.doubts, key=lambda made: made.number) if made.unsettled)

    # -- telling ------------------------------------------------------------------------------------------------------

    def begin(self, key: CallKey, tool: str, caller: Caller, sources: tuple[str, ...]) -> Made:
        """A call of a once-only tool is made; it is in flight until it is heard of or dropped."""
        made = Made(key, tool, caller, sources, self.goals)
        self.in_flight += 1
        self._made.setdefault(key, []).append(made)
        return made

    def hear(self, made: Made, status: Status, value: Any) -> None:
        """Record the answer to a call. One that did not act may be tried again, and stays in flight until `drop`."""
        if status.is_answer:
            made.came, made.ok, made.value = Came.ANSWER, status is Status.OK, value
        elif status.may_have_acted:
            made.came = Came.DOUBT
            self.doubts.append(made)
        else:
            return
        self.in_flight -= 1

    def drop(self, made: Made) -> None:
        """Forget a call that did not act and will not be tried again."""
        if made.came is Came.NOTHING_YET:
            self.in_flight -= 1
        self._made[made.key].remove(made)

    def answer(self, made: Made, value: Any) -> None:
        """Record a person's word that the call happened, and its answer."""
        made.came, made.ok, made.value, made.settled = Came.ANSWER, True, value, True

    def forget(self, made: Made) -> None:
        """Record a person's word that the call did not happen: it may be made."""
        made.settled = True
        self._made[made.key].remove(made)

    def ran_again(self, step_id: str) -> None:
        """Note that a step runs again: settling one of its earlier calls changes no step any more."""
        for made in self.doubts:
            if made.caller.step_id == step_id:
                made.stands = False


def _counts(made: Made, caller: Caller) -> bool:
    """Two steps that stand as v1 lists them don't count for each other."""
    return not (made.caller.original and caller.original) or made.caller.root == caller.root


def _of_several(counting: list[Made], caller: Caller, fits: Fits) -> Made:
    """The call that stands for all: the caller's own lineage's last, else the last whose answer will do, else one that
    may have happened, else the last."""
    # The own lineage first: what it did is what its variable says, even if another one's answer would suit better.
    ways: tuple[Fits, ...] = (
        lambda made: made.caller.root == caller.root,
        lambda made: made.ok and fits(made),
        lambda made: made.came is Came.DOUBT,
    )
    for way in ways:
        for made in reversed(counting):
            if way(made):
                return made
    return counting[-1]
