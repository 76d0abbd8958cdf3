"""A planner function at the replanner's seam, with the history it is given."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from replanctl.host.awaiting import Awaiting
from replanctl.host.functions import PASSES_THROUGH, OnError, interrupt_in, named
from replanctl.kinds import Verdict
from replanctl.live import Draft
from replanctl.plan import Plan, Step, data_of, plan_faults
from replanctl.replan import FailureSignal, ReplannerError, ReplanRequest
from replanctl.run import StepEnd, own_steps

# What a planner answers: the steps from the cursor on, or a mapping that also holds a cause and verdicts.
PlannerAnswer = Sequence[Step] | Mapping[str, Any]
PlannerFunction = Callable[[str, Sequence[Step], FailureSignal | None], PlannerAnswer | Awaitable[PlannerAnswer]]

_KEYS = ("steps", "cause", "verdicts")


class FunctionReplanner:
    """Asks a planner function; what it raises or answers wrong makes a bad draft, of which `on_error` is told."""

    name = "planner"

    def __init__(
        self,
        planner: PlannerFunction,
        awaiting: Awaiting,
        on_error: OnError | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._planner = planner
        self._clock = clock
        self.took = 0.0  # seconds that the last answer took
        self._awaiting = awaiting
        self._on_error = on_error
        self._history: list[Step] = []

    def first_plan(self, goal: str) -> tuple[Plan, str]:
        """The first version, or an empty one and what is wrong with what the planner gave."""
        nothing = Plan(goal, ())
        try:
            draft = self._ask(goal, None)
            plan = Plan.of(goal, draft.steps)
        except ReplannerError as error:
            return nothing, f"the planner failed: {error}"
        if not plan.steps:
            return nothing, "the planner returned no steps"
        # The first plan has no version before it to fall back on: what can't be run is said once, as `no_plan`.
        faults = plan_faults(plan)
        return (nothing, "; ".join(faults)) if faults else (plan, "")

    def replan(self, request: ReplanRequest) -> Draft | None:
        """Ask for the plan from the cursor on. Raises ReplannerError with what went wrong."""
        began = self._clock()
        try:
            return self._ask(request.goal, request.signal)
        finally:
            self.took = max(0.0, self._clock() - began)

    def cause(self, request: ReplanRequest) -> str:
        """A function says nothing before it is asked."""
        return ""

    def remember(self, event: StepEnd, step: Step | None) -> None:
        """Keep a step that ran, with what came of it: a copy, which the planner may do with as it likes."""
        if step is not None and event.state != "skipped":
            error = event.error.error_msg if event.error is not None else None
            self._history.append(msgspec.structs.replace(step, result=data_of(event.value), error=error))

    def _ask(self, goal: str, signal: FailureSignal | None) -> Draft:
        try:
            answer: Any = self._planner(goal, tuple(self._history), signal)
            if isinstance(answer, Awaitable):
                answer = self._awaiting.result(answer)
            return _draft(answer)
        except PASSES_THROUGH:
            raise
        except BaseException as error:  # whatever a planner raises makes a bad draft
            if (interrupt := interrupt_in(error)) is not None:
                raise interrupt from error
            if self._on_error is not None:
                self._on_error(error)
            raise ReplannerError(named(error)) from error


def _draft(answer: object) -> Draft:
    """A planner's answer; anything but steps, alone or under `steps`, is a TypeError."""
    if isinstance(answer, Draft):
        return msgspec.structs.replace(answer, steps=own_steps(_listed(answer.steps)))
    if not isinstance(answer, Mapping):
        return Draft(own_steps(_listed(answer)))
    if unknown := [key for key in answer if key not in _KEYS]:
        raise TypeError(f"a planner answers with {', '.join(_KEYS)}, and not with {unknown[0]!r}")
    verdicts = {str(name): Verdict(verdict) for name, verdict in dict(answer.get("verdicts") or {}).items()}
    return Draft(own_steps(_listed(answer.get("steps"))), verdicts, cause=str(answer.get("cause") or ""))


def _listed(answer: object) -> Sequence[Any]:
    if not isinstance(answer, list | tuple):
        raise TypeError(f"a planner returns a list of Step, not {type(answer).__name__}")
    return answer
