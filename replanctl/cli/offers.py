"""What a person is offered to type next: whole command lines, for this store, and none that would be refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import msgspec

from replanctl.cli.output import as_word
from replanctl.cli.views import View
from replanctl.run import Event, SessionResult
from replanctl.store import Inputs

_RESUME, _NEW_OUTCOMES = "replanctl resume ", " --outcomes "


@dataclass(frozen=True)
class Offers:
    """What a run's commands need behind them: the store that was named, and what was started for the run."""

    store: Path | None = None
    planner: str | None = None
    tools: str | None = None

    @classmethod
    def of(cls, store: Path | None, inputs: Inputs) -> Offers:
        """The offers for a run that came from these inputs."""
        return cls(store, inputs.planner, inputs.tools)

    def whole(self, command: str) -> str:
        """A command with all it needs; anything else as it is."""
        if not command.startswith("replanctl "):
            return command
        flags = [("--planner", self.planner), ("--tools", self.tools)] if command.startswith(_RESUME) else []
        words = [f"{name} {quote(value)}" for name, value in flags if value is not None]
        if self.store is not None:
            words.append(f"--store {as_word(self.store)}")
        return " ".join([command, *words])

    def complete(self, result: SessionResult) -> SessionResult:
        """The result with commands that can be typed as they stand."""
        if result.handover is None:
            return result
        offered = [*map(self._mended, result.handover.next)]
        if self.planner is not None and result.reason == "no_plan":  # a scripted one would say the same again
            offered.append(f"{_RESUME}{result.run} --granularity global")
        handover = msgspec.structs.replace(result.handover, next=tuple(dict.fromkeys(map(self.whole, offered))))
        return msgspec.structs.replace(result, handover=handover)

    def _mended(self, command: str) -> str:
        """A command that this run takes: real tools are asked once more, and not answered from a file."""
        real = self.tools is not None and command.startswith(_RESUME)
        return command.partition(_NEW_OUTCOMES)[0] if real else command


class Offering:
    """A view that is told the result with whole commands."""

    def __init__(self, view: View, offers: Offers) -> None:
        self._view = view
        self._offers = offers

    def event(self, event: Event) -> None:
        """Something happened."""
        self._view.event(event)

    def close(self, result: SessionResult) -> None:
        """The session is over."""
        self._view.close(self._offers.complete(result))
