"""Magentic-One logs: a delegation is a step, a stall a `semantic` failure, and a new plan the recorded replan.

Formats of AutoGen's Magentic-One (2024) as its logs are published: `{history: [{name or role, content}]}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from replanctl.files import End
from replanctl.kinds import Status
from replanctl.traces.content import ContentError, loads, words_of
from replanctl.traces.messages import ROLES, id_of
from replanctl.traces.trace import Kind, RecordedCall, Trace

_DELEGATION = re.compile(r"(?P<who>\w*[Oo]rchestrator\w*) \(-> ?(?P<agent>.+)\)")
_THOUGHT = re.compile(r"\w*[Oo]rchestrator\w* \((?P<what>thought|termination condition)\)")
# The last of these is a stall, too: the one after which no new plan was allowed.
_STALLED = re.compile(r"Stalled|Replanning|Replan counter exceeded", re.IGNORECASE)
_NEW_PLAN = "New plan"
_LEDGER = "Updated Ledger"
# What a log's own last words mean.
_ENDS: tuple[tuple[str, End], ...] = (
    ("Request satisfied", End.COMPLETED),
    ("Replan counter exceeded", End.FAILED),
    ("Max rounds", End.FAILED),
    ("Max time", End.FAILED),
)
_GOALS = ("question", "task", "goal")
_IDS = ("question_ID", "file", "id")
_HISTORY = ("history", "messages", "log")


def is_log(value: Any) -> bool:
    """Whether this is a log of Magentic-One: somebody is called an orchestrator, and delegates or thinks."""
    return any(_DELEGATION.fullmatch(_who(m)) or _THOUGHT.fullmatch(_who(m)) for m in _history(value)[:40])


def _history(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    found = (
        (value[key] for key in _HISTORY if isinstance(value.get(key), list)) if isinstance(value, dict) else iter(())
    )
    return next(found, [])


def _who(message: Any) -> str:
    """Who speaks: the one of name and role that says more, and none that a chat has anyway where there is another."""
    if not isinstance(message, dict):
        return ""
    found = [message[key] for key in ("name", "role", "source") if isinstance(message.get(key), str)]
    return max(found, key=lambda who: (who not in ROLES, len(who)), default="")


class Magentic:
    """Reads logs, one a value."""

    def __init__(self, place: str) -> None:
        self._source = place

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in a log."""
        log = _Log()
        for number, message in enumerate(_history(value)):
            log.take(message, number)
        about = value if isinstance(value, dict) else {}
        goal = next((about[key] for key in _GOALS if isinstance(about.get(key), str)), log.goal)
        id_ = next((str(about[key]) for key in _IDS if about.get(key)), "") or id_of(value)
        trace = Trace(Kind.MAGENTIC, id_.removesuffix(".json"), goal, log.calls, log.end, value, place)
        trace.left_out = log.left_out
        yield trace

    def close(self) -> Iterator[Trace]:
        """Every log was whole."""
        return iter(())


class _Log:
    def __init__(self) -> None:
        self.goal = ""
        self.calls: list[RecordedCall] = []
        self.end: End | None = None
        self.left_out: list[str] = []
        self._cause = ""

    def take(self, message: Any, place: int) -> None:
        who = _who(message)
        said = words_of(message.get("content")) if isinstance(message, dict) else ""
        if (delegation := _DELEGATION.fullmatch(who)) is not None:
            self._delegate(delegation["agent"].strip(), said, place)
        elif _THOUGHT.fullmatch(who) is not None:
            self._think(said, place)
        elif self.calls and self.calls[-1].tool == who and self.calls[-1].result is UNSET:
            self.calls[-1].result = said
            self.calls[-1].ended = place
        elif not self.goal and said:
            self.goal = said

    def _delegate(self, agent: str, said: str, place: int) -> None:
        told = " ".join(said.split())
        call = RecordedCall(agent, {"request": said}, began=place, ended=float("inf"), action=told or agent)
        self.calls.append(call)

    def _think(self, said: str, place: int) -> None:
        """What the orchestrator says to itself: what it makes of things, that it stalls, how it ends."""
        if said.startswith(_LEDGER):
            self._cause = _why_no_progress(said)
        else:
            if _STALLED.match(said):
                self._stall(said)
            self.end = next((end for words, end in _ENDS if said.startswith(words)), self.end)

    def _stall(self, said: str) -> None:
        # A stall is about the delegation before it; where there is none, or it has failed already, there is nothing
        # left that could fail.
        if not self.calls or self.calls[-1].status is not Status.OK:
            self.left_out.append("a stall before anything else was delegated")
            return
        last = self.calls[-1]
        last.status, last.message, last.cause = Status.SEMANTIC, said.splitlines()[0].strip(), self._cause


def _why_no_progress(said: str) -> str:
    """The reason that the ledger gives for no progress, in its own words."""
    begins = said.find("{")
    try:
        ledger = loads(said[begins : said.rfind("}") + 1]) if begins >= 0 else {}
    except ContentError:
        return ""
    for name in ("is_progress_being_made", "is_in_loop"):
        entry = ledger.get(name) if isinstance(ledger, dict) else None
        if isinstance(entry, dict) and isinstance(entry.get("reason"), str):
            return " ".join(entry["reason"].split())
    return ""
