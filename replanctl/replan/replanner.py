"""Who is asked for a new plan: the seam, and the scripted replanner of a plan file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from replanctl.kinds import ErrorType, Granularity, Otherwise, Verdict
from replanctl.live import Draft
from replanctl.plan import Step
from replanctl.replan.prompt import ReplanRequest


class PlannerWhen(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """When a planner rule matches; what is left out matches everything.

    `error` is text contained in the message, `goal` text contained in the new goal (it matches at a
    goal change only), both whatever the case.
    """

    error: str | None = None
    type: ErrorType | None = None
    step: str | None = None
    granularity: Granularity | None = None
    goal: str | None = None


class PlannerRule(msgspec.Struct, frozen=True, gc=False):
    """One scripted answer: `steps` are the plan from the cursor on. An `otherwise` rule always matches, without any."""

    when: PlannerWhen = PlannerWhen()
    cause: str = ""
    steps: tuple[Step, ...] = ()
    verdicts: dict[str, Verdict] = {}
    otherwise: Otherwise | None = None


class ReplannerError(Exception):
    """A replanner did not come to an answer; the text alone says why."""


class Replanner(Protocol):
    """Whoever writes a new plan: a pure function of the request.

    One that takes session time says in `took` how many seconds its last answer took; the template, a script, and one
    that says nothing take none.
    """

    name: str

    def replan(self, request: ReplanRequest) -> Draft | None:
        """The plan from the cursor on; None leaves it to the template. Whatever it raises makes a bad draft."""
        ...

    def cause(self, request: ReplanRequest) -> str:
        """What it will say of the failure's cause; empty where it has nothing to say before it is asked."""
        ...


class ScriptedReplanner:
    """Answers from the rules of a plan file: tried in order, the first that matches."""

    name = "scripted"

    def __init__(self, rules: Sequence[PlannerRule]) -> None:
        self._rules = tuple(rules)
        self._used: set[int] = set()

    def replan(self, request: ReplanRequest) -> Draft | None:
        """The matching rule's steps; an empty draft gives up, None (also without a match) is for the template."""
        rule = self._match(request)
        if rule is None:
            return None
        self._used.add(next(number for number, one in enumerate(self._rules) if one is rule))
        if rule.otherwise is Otherwise.TEMPLATE:
            return None
        return Draft(rule.steps, rule.verdicts, gives_up=rule.otherwise is Otherwise.GIVE_UP)

    def cause(self, request: ReplanRequest) -> str:
        """The cause that the matching rule names."""
        rule = self._match(request)
        return rule.cause if rule is not None else ""

    def used(self) -> tuple[int, ...]:
        """The numbers of the rules that answered, from 0."""
        return tuple(sorted(self._used))

    def _match(self, request: ReplanRequest) -> PlannerRule | None:
        return next((r for r in self._rules if r.otherwise is not None or _matches(r.when, request)), None)


def _matches(when: PlannerWhen, request: ReplanRequest) -> bool:
    if when.granularity is not None and when.granularity is not request.granularity:
        return False
    # The session's goal is in every request; only a change of it is an occasion to answer.
    if when.goal is not None and not (request.goal_changed and when.goal.casefold() in request.goal.casefold()):
        return False
    # A rule that asks about a failure has nothing to match where none is: at a changed goal.
    signal = request.signal
    if signal is None:
        return when.error is None and when.type is None and when.step is None
    return (
        (when.error is None or when.error.casefold() in signal.error_msg.casefold())
        and (when.type is None or when.type is signal.error_type)
        and (when.step is None or when.step in request.lineage)
    )
