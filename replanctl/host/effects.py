"""The journal: what real tools and planners answered, kept before anybody acts on it, by the question it answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from replanctl.errors import ReplayDivergedError
from replanctl.run import Event, StepFallback, StepRetry, StepStart


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
    """How a call is asked about."""
    return f"{version} step {step_id} attempt {attempt}: {tool}"
