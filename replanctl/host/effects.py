"""The journal: what real tools and planners answered, by question; kept before anybody acts on it, and given again when
a run is run again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from replanctl.errors import ReplanctlError, ReplayDivergedError
from replanctl.kinds import Status
from replanctl.live import Draft
from replanctl.plan import NoDataError, data_of
from replanctl.replan import Replanner, ReplannerError, ReplanRequest
from replanctl.run import Call, Event, Outcome, StepFallback, StepRetry, StepStart, Tools


class Journal(Protocol):
    """Where answers are kept, before anybody acts on them."""

    def flush(self) -> None:
        """Put on disk what has happened: something real comes next."""

    def effect(self, n: int, question: str, answer: Any) -> None:
        """Keep the answer to a question, the `n`-th of the run."""


class Unwritten:
    """The journal of a run of which nothing is kept."""

    def flush(self) -> None:
        """There is nothing to write."""

    def effect(self, n: int, question: str, answer: Any) -> None:
        """Nobody will ask again."""


# The order is what makes a killed run safe to take up: everything so far is on disk before anything real is asked, and
# the answer is on disk before anybody acts on it. Whatever the moment, a call is either on record with its answer, or
# is the one call of which it is not known whether it was made.
#
# Answers are looked up by their question, not by their number: on resume other questions may come between.
class EffectLog:
    """The answers of one run by question; those on record are given again before anything real is asked.

    New ones go into `journal`. While that is None nothing real may be asked: the run is a replay, or has not come to
    where it was left yet.
    """

    def __init__(self, recorded: Iterable[tuple[int, str, Any]] = (), journal: Journal | None = None) -> None:
        self.journal = journal
        self._answers: dict[str, deque[Any]] = {}
        self._next = 0
        for n, question, answer in recorded:
            self._answers.setdefault(question, deque()).append(answer)
            self._next = max(self._next, n + 1)

    def answer(self, question: str, ask: Callable[[], Any]) -> Any:
        """The answer on record, or a new one in JSON's values. Raises ReplayDivergedError where it may not be new."""
        if answers := self._answers.get(question):
            return answers.popleft()
        if self.journal is None:
            raise ReplayDivergedError(f"no answer is on record to this question: {question}")
        self.journal.flush()
        answer = ask()
        self.journal.effect(self._next, question, answer)
        self._next += 1
        return answer

    def knows_the_last_of(self, events: Sequence[Event]) -> bool:
        """Whether the call that these events break off in was answered all the same: the answer is on record."""
        match events[-1] if events else None:
            case StepStart() as began:
                attempt = 1
            case StepRetry() | StepFallback() as began:
                attempt = began.attempt
            case _:
                return False
        return bool(self._answers.get(question_of(began.version, began.step_id, attempt, began.tool)))


def question_of(version: str, step_id: str, attempt: int, tool: str) -> str:
    """The text that a call is kept under in the journal: version, step, attempt and tool."""
    return f"{version} step {step_id} attempt {attempt}: {tool}"


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
            from replanctl.host.functions import describe  # a run without Python tools does not load them

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
