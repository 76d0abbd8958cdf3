"""What a page about a run is made from, and the fold that finds when each call was made."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from replanctl.kinds import Granularity
from replanctl.report.parts import Stretch
from replanctl.run import Event, SessionResult, StepEnd, StepFallback, StepRetry, StepStart


class Prompt(msgspec.Struct, frozen=True):
    """What a model would have been asked: the version that came of the answer, if one did, the one it was asked in,
    about which step, how deep it was to cut, and the text."""

    version: str | None
    asked_in: str
    step_id: str | None
    granularity: Granularity
    text: str


Calls = Mapping[int, tuple[Stretch, ...]]  # by the `seq` of the execution's end; in seconds of session time


class RunReport(msgspec.Struct, frozen=True):
    """A run. `calls` and `prompts` are None where they are not known: a result alone does not hold them."""

    result: SessionResult
    calls: Calls | None = None
    prompts: tuple[Prompt, ...] | None = None


# A result says how long each call took, and not when it was made: waits between retries lie in between, and a call of
# another tool after them. The events have it, since each retry and fallback is one, at the time it begins.
class CallFold:
    """Takes a session's events: when each call of each execution began and ended, and when it was waited."""

    def __init__(self) -> None:
        self.calls: dict[int, tuple[Stretch, ...]] = {}
        self._began: dict[str, list[float]] = {}

    def apply(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case StepStart():
                self._began[event.step_id] = [event.at]
            case StepRetry() | StepFallback():
                self._began.setdefault(event.step_id, []).append(event.at)
            case StepEnd(attempts=attempts) if attempts:
                self.calls[event.seq] = tuple(_stretches(event, self._began.pop(event.step_id, [])))
            case _:
                pass


def _stretches(event: StepEnd, began: list[float]) -> list[Stretch]:
    found: list[Stretch] = []
    for begin, attempt in zip(began, event.attempts, strict=False):
        # Between the end of a call and the begin of the next the session waited, as the retry policy or the tool itself
        # said.
        if found and begin > found[-1].end:
            found.append(Stretch(found[-1].end, begin, "wait"))
        kind = "done" if attempt.status == "ok" and event.error is None else "failed"
        found.append(Stretch(begin, begin + attempt.latency, kind))
    return found
