"""What came from outside into one session of an agent, kept so that the session can be taken up again.

An agent's session is run again as a stored run is: the same plan, the same answers, the same changed goals between the
same events, then what is new. Answers are kept as JSON, which nobody who holds a result can change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.host.amending import Changes, InDoubtError, amended
from replanctl.host.effects import EffectLog
from replanctl.plan import Plan, Tool
from replanctl.run import AnyEvent, Event, SessionResult, UnsettledError, doubts
from replanctl.store import Inputs


class Start(msgspec.Struct, frozen=True):
    """What a session begins with: the planner's first answer, or the `fault` in it, and how the agent was made."""

    plan: Plan
    fault: str
    inputs: Inputs
    specs: dict[str, Tool]
    plain: bool


class ChangedGoal(msgspec.Struct, frozen=True):
    """An interruption that was taken in before the event with this `seq`."""

    seq: int
    goal: str
    refutes: tuple[str, ...]


class Recording:
    """A session's start and what came from outside since: the journal of its answers, and its changed goals."""

    def __init__(
        self, start: Start, answers: Sequence[tuple[int, str, bytes]] = (), goals: Sequence[ChangedGoal] = ()
    ) -> None:
        self.start = start
        self.goals = list(goals)
        self._answers = list(answers)

    def flush(self) -> None:
        """Nothing is on disk."""

    def effect(self, n: int, question: str, answer: Any) -> None:
        """Keep the answer to a question, the `n`-th of the session."""
        self._answers.append((n, question, msgspec.json.encode(answer)))

    def log(self) -> EffectLog:
        """The answers so far, to be given again; nothing real may be asked before a journal is set."""
        return EffectLog((n, question, msgspec.json.decode(answer)) for n, question, answer in self._answers)

    def taken_up(self, stored: Sequence[Event], changes: Changes) -> tuple[Recording, int]:
        """A recording that goes on with these changes, and how many of the events stay.

        Raises UsageError for changes that make no sense, InDoubtError where a call in doubt is left out.
        """
        if self.start.fault:
            raise UsageError(f"there is no plan to go on with: {self.start.fault}", hint="run the agent again")
        events = cast("Sequence[AnyEvent]", stored)  # every event is one of the union
        open_ = doubts(events)
        try:
            inputs, kept = amended(self.start.inputs, events, changes, open_)
        except UnsettledError as error:
            raise InDoubtError("the session", error, open_) from None
        # A goal that was changed behind the cut is changed there: whoever did it may not do it again.
        goals = [msgspec.structs.replace(each, seq=min(each.seq, kept)) for each in self.goals]
        start = msgspec.structs.replace(self.start, inputs=inputs)
        return Recording(start, self._answers, goals), kept


def recording_of(result: SessionResult) -> Recording:
    """What an agent's result was made from. Raises UsageError for any other."""
    if not isinstance(result, SessionResult) or not isinstance(result.source, Recording):
        raise UsageError("this is no result of a PlanExecuteAgent's session", hint="resume(store, run) takes up a run")
    return result.source


def check_same(again: Sequence[Event], stored: Sequence[Event]) -> None:
    """Raises ReplayDivergedError where a session does not come out as it did before.

    Values are not compared: whoever holds a result may have changed them since, which does not reach the session.
    """
    for now, before in zip(again, stored, strict=False):
        if type(now) is not type(before):
            raise ReplayDivergedError(f"the session can't be resumed: event {now.seq} does not come out as it was")
