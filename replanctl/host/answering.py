"""Real tools and planners whose answers go through the journal: kept once, and given again when a run is run again."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.errors import ReplanctlError
from replanctl.host.effects import EffectLog, question_of
from replanctl.host.functions import describe
from replanctl.kinds import Status
from replanctl.live import Draft
from replanctl.plan import NoDataError, data_of
from replanctl.replan import Replanner, ReplannerError, ReplanRequest
from replanctl.run import Call, Outcome, Tools


class PlannerAnswer(msgspec.Struct, frozen=True):
    """What a planner came to: a draft, or what went wrong asking it, and how many seconds it took."""

    draft: Draft | None = None
    error: str | None = None
    seconds: float = 0.0


# What JSON can't say of an answer is a failure at once, and not only when the run is run again: otherwise a replay
# would see another answer than the session had.
class RecordedTools:
    """Tools whose answers are kept. An answer is what JSON can say of it, live and recalled alike."""

    def __init__(self, tools: Tools, log: EffectLog) -> None:
        self._tools = tools
        self._log = log

    def call(self, call: Call) -> Outcome:
        """The answer on record, or the tool's own."""
        question = question_of(f"v{call.version}", call.step_id, call.attempt, call.tool)
        return msgspec.convert(self._log.answer(question, lambda: _in_json(self._tools.call(call))), Outcome)


class RecordedReplanner:
    """A planner whose answers are kept, errors included.

    Events say its `name`, which must be the same whoever answers when the run is run again.
    """

    def __init__(self, replanner: Replanner, log: EffectLog, name: str) -> None:
        self.name = name
        self._replanner = replanner
        self._log = log
        self.took = 0.0  # seconds that the last answer took, when it was given first

    def replan(self, request: ReplanRequest) -> Draft | None:
        """The answer on record, or the planner's own; an error is raised again."""
        about = request.signal.step_id if request.signal is not None else "none"
        question = f"{request.version} step {about} {request.granularity}: plan"
        answer = msgspec.convert(self._log.answer(question, lambda: self._ask(request)), PlannerAnswer)
        self.took = answer.seconds
        if answer.error is not None:
            raise ReplannerError(answer.error)
        return answer.draft

    def _ask(self, request: ReplanRequest) -> Any:
        try:
            answer = PlannerAnswer(self._replanner.replan(request))
        except ReplanctlError:  # ours, not the planner's
            raise
        except Exception as error:  # whatever it raises makes a bad draft
            answer = PlannerAnswer(None, describe(error))
        return msgspec.to_builtins(msgspec.structs.replace(answer, seconds=getattr(self._replanner, "took", 0.0)))

    def cause(self, request: ReplanRequest) -> str:
        """Nothing: what is said outside of an answer is not kept, and could not be said again. A draft has a cause."""
        return ""


def _in_json(outcome: Outcome) -> Any:
    """An outcome as JSON has it; one that JSON can't say is a failure."""
    try:
        return data_of(outcome)
    except NoDataError as error:
        failed = Outcome(Status.ERROR, message=f"the answer holds {error}", latency=outcome.latency)
        return msgspec.to_builtins(failed)
