"""What real tools and planners answered, kept before anybody acts on it, and given again when a run is run again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from replanctl.errors import ReplayDivergedError
from replanctl.plan.draft import Draft
from replanctl.replan.prompt import ReplanRequest
from replanctl.replan.replanner import Replanner
from replanctl.run.functions import describe
from replanctl.run.tools import Call, Outcome, Tools

Keep = Callable[[int, str, Any], None]

TOOL, PLANNER = "tool", "planner"


class PlannerAnswer(msgspec.Struct, frozen=True):
    """What a planner came to: a draft, or what went wrong asking it."""

    draft: Draft | None = None
    error: str | None = None


class EffectLog:
    """The answers of one run, in order; those that are on record are given again before anything real is called.

    `keep` None means that nothing real may be called: a replay.
    """

    def __init__(self, recorded: Iterable[tuple[int, str, Any]] = (), keep: Keep | None = None) -> None:
        self._queues: dict[str, deque[Any]] = {TOOL: deque(), PLANNER: deque()}
        self._next = 0
        self._keep = keep
        for n, kind, payload in recorded:
            self._queues[kind].append(payload)
            self._next = max(self._next, n + 1)

    def recall(self, kind: str) -> Any:
        """The next answer on record, or None where there is none left."""
        queue = self._queues[kind]
        if queue:
            return queue.popleft()
        if self._keep is None:
            raise ReplayDivergedError(f"the run asks a {kind} once more than it did when it was stored")
        return None

    def record(self, kind: str, answer: Any) -> None:
        """Keep an answer that was just given."""
        assert self._keep is not None
        self._keep(self._next, kind, answer)
        self._next += 1

    def forget_planner(self) -> None:
        """The planner will be asked something else: what is left of its answers no longer fits."""
        self._queues[PLANNER].clear()


class RecordedTools:
    """Tools whose answers are kept. An answer is what JSON can say of it, live and recalled alike."""

    def __init__(self, tools: Tools, log: EffectLog) -> None:
        self._tools = tools
        self._log = log

    def call(self, call: Call) -> Outcome:
        """The answer on record, or the tool's own."""
        payload = self._log.recall(TOOL)
        if payload is None:
            body = msgspec.json.encode(self._tools.call(call), enc_hook=repr)
            payload = msgspec.json.decode(body)
            self._log.record(TOOL, payload)
        return msgspec.convert(payload, Outcome)


class RecordedReplanner:
    """A planner whose answers are kept, errors included."""

    def __init__(self, replanner: Replanner, log: EffectLog) -> None:
        self.name = replanner.name
        self._replanner = replanner
        self._log = log

    def replan(self, request: ReplanRequest) -> Draft | None:
        """The answer on record, or the planner's own; an error is raised again."""
        payload = self._log.recall(PLANNER)
        answer = msgspec.convert(payload, PlannerAnswer) if payload is not None else self._ask(request)
        if answer.error is not None:
            raise PlannerError(answer.error)
        return answer.draft

    def _ask(self, request: ReplanRequest) -> PlannerAnswer:
        try:
            answer = PlannerAnswer(self._replanner.replan(request))
        except Exception as error:  # whatever it raises makes a bad draft
            answer = PlannerAnswer(None, describe(error))
        self._log.record(PLANNER, answer)
        return answer

    def cause(self, request: ReplanRequest) -> str:
        """What the planner says before it is asked."""
        return self._replanner.cause(request)


class PlannerError(Exception):
    """A planner from outside did not come to an answer."""
