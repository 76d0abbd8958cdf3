"""A replanner that says what a test wants it to say, and remembers what it was asked."""

from __future__ import annotations

from replanctl.plan.draft import Draft
from replanctl.replan.prompt import ReplanRequest


class Answering:
    """A replanner that answers with whatever it was given, one after the other; an exception is raised."""

    name = "answering"

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.requests: list[ReplanRequest] = []

    def replan(self, request: ReplanRequest) -> Draft | None:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    def cause(self, request: ReplanRequest) -> str:
        return ""
