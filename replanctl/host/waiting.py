"""Watching what is waited for: tools and planners that take real time, and who is told while they do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from replanctl.live import Draft
from replanctl.replan import Replanner, ReplanRequest
from replanctl.run import Call, Outcome, Tools

Asked = Call | ReplanRequest
# Entered when somebody real is asked, and left when there is an answer, or none is to be expected any more.
OnWait = Callable[[Asked], AbstractContextManager[object]]


# These stand at the seams themselves, beneath the journal: an answer on record is no wait, and whoever watches sees
# nothing of it. They change nothing of what is asked or answered.
class WatchedTools:
    """Tools of which each call is told before it is made."""

    def __init__(self, tools: Tools, on_wait: OnWait) -> None:
        self._tools = tools
        self._on_wait = on_wait

    def call(self, call: Call) -> Outcome:
        """Make the call."""
        with self._on_wait(call):
            return self._tools.call(call)


class WatchedReplanner:
    """A planner of which each question is told before it is asked."""

    def __init__(self, replanner: Replanner, on_wait: OnWait) -> None:
        self.name = replanner.name
        self._replanner = replanner
        self._on_wait = on_wait

    @property
    def took(self) -> float:
        """Seconds that the last answer took."""
        return float(getattr(self._replanner, "took", 0.0))

    def replan(self, request: ReplanRequest) -> Draft | None:
        """Ask for a draft."""
        with self._on_wait(request):
            return self._replanner.replan(request)

    def cause(self, request: ReplanRequest) -> str:
        """The cause that the planner names, without being watched."""
        return self._replanner.cause(request)
