"""What a model was, or would have been, asked in a session: every request with its text, in order."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.errors import ReplayDivergedError
from replanctl.host import EffectLog, events_of
from replanctl.kinds import Granularity, Health, StepState
from replanctl.plan import in_text
from replanctl.replan import ReplanRequest, build_prompt
from replanctl.run import RESUME, Event, PlanCommit, StepEnd
from replanctl.store import Store


class KeptRequest(msgspec.Struct):
    """One request: the version its answer became, if it became one, the one it was made in, about what, its text.

    `observed` is how many characters the text would have, had it carried the done steps' results whole.
    """

    version: str | None
    asked_in: str
    step_id: str | None
    granularity: Granularity
    prompt: str
    observed: int


# Prompts are long, and a function of the session: they are not stored. To see them the run is run again.
class RequestLog(msgspec.Struct):
    """Every request of a run in order, and every version it had; `results` are what its steps came to, by id."""

    requests: list[KeptRequest] = []
    versions: list[str] = []
    results: dict[str, Any] = {}

    def keep(self, request: ReplanRequest) -> None:
        """Keep a request. What it says of the session is read now: later it would say something else."""
        step_id = request.signal.step_id if request.signal is not None else None
        text = build_prompt(request)
        observed = len(text) + self._left_out(request)
        self.requests.append(KeptRequest(None, request.version, step_id, request.granularity, text, observed))

    def _left_out(self, request: ReplanRequest) -> int:
        """The characters of the done steps' results that their lines do not carry."""
        listed = [step for step in request.done if step.health is not Health.VOID]
        return sum(max(0, len(in_text(self.results.get(step.id))) - len(step.summary)) for step in listed)

    def see(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, StepEnd) and event.state is StepState.DONE:
            self.results[event.step_id] = event.value
        elif isinstance(event, PlanCommit):
            self.commit(event)

    def commit(self, event: PlanCommit) -> None:
        """A version: what the last request led to, unless it is the first plan or what a resumed run goes on with."""
        self.versions.append(event.version)
        # Only a version that a replanner answered belongs to a request: the first plan came of none, and a resume's was
        # a person's.
        if event.parent is not None and event.rule != RESUME:
            self.requests[-1].version = event.version


def requests_of(store: Store, run: int) -> RequestLog:
    """What was asked in a run: its inputs once more, as far as it came. Raises ReplayDivergedError."""
    log = RequestLog()
    encode = msgspec.json.Encoder().encode
    again = events_of(store.inputs(run), EffectLog(store.effects(run)), log.keep)
    for line, event in zip(store.event_lines(run), again, strict=False):
        if encode(event) != line:
            why = f"run {run} does not come out as it was stored from event {event.seq} on"
            raise ReplayDivergedError(why, hint=f"replanctl replay {run} says where they part")
        log.see(event)
    return log
