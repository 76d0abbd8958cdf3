"""A replanner that says what a test wants it to say, and remembers what it was asked."""

from __future__ import annotations

from msgspec.structs import replace

from replanctl.live.draft import Draft
from replanctl.replan.prompt import ReplanRequest


class Answering:
    """Answers with what it was given, one after the other (exceptions are raised), then leaves it to the template."""

    name = "answering"

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.requests: list[ReplanRequest] = []

    def replan(self, request: ReplanRequest) -> Draft | None:
        self.requests.append(replace(request, done=tuple(request.done), remaining=tuple(request.remaining)))
        answer = self._answers.pop(0) if self._answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    def cause(self, request: ReplanRequest) -> str:
        return ""
