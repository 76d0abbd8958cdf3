"""What becomes of a session while it runs: a document, lines of JSON, a screen, or a single line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import msgspec

from replanctl.cli.output import write_line
from replanctl.files import Role, recorded_in
from replanctl.run import Event, SessionResult
from replanctl.store import Inputs

if TYPE_CHECKING:
    from replanctl.show import Paper, SessionScreen


class View(Protocol):
    """Whoever watches a session."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def close(self, result: SessionResult) -> None:
        """The session is over."""


class JsonDocument:
    """The result alone, as one JSON document."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the result."""
        write_line(self._stream, msgspec.json.encode(result))


class JsonLines:
    """Every event as a line of JSON."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode

    def event(self, event: Event) -> None:
        """Write the event."""
        write_line(self._stream, self._encode(event))

    def close(self, result: SessionResult) -> None:
        """The last event said it all."""


class ClosingLine:
    """How it ended, in one line."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the line."""
        from replanctl.show import Span, closing_line, verdict_style

        ending, cost = closing_line(result)
        self._paper.line(Span(ending, verdict_style(result)), cost)


def screen(
    paper: Paper,
    inputs: Inputs,
    run: int | None,
    whole: Callable[[str], str] = str,
    *,
    later: bool = False,
    live: bool = False,
) -> SessionScreen:
    """Everything, as a person reads it. Its head says where the outcomes came from, which recording the rehearsal was
    made of, and which limits hold.

    `whole` puts behind a suggested command what it needs, `later` says that there are later runs, and `live` that real
    tools are waited for.
    """
    from replanctl.show import Header, SessionScreen

    names = {source.role: source.name for source in inputs.sources}
    scenario = names.get(Role.SCENARIO)
    scripts = (Role.OUTCOMES, Role.SCENARIO_FILE, *((Role.BESIDE,) if scenario is None else ()))
    outcomes = next((Path(names[role]).name for role in scripts if role in names), None)
    policy = inputs.amendments[-1].policy if inputs.amendments else None
    recorded = _recording(inputs)
    return SessionScreen(paper, Header(outcomes, run, policy, recorded, whole, later, scenario), live=live)


def _recording(inputs: Inputs) -> str | None:
    """Which recording a rehearsal was made of, in words; None where it was written by hand."""
    plans = (source for source in inputs.sources if source.role == Role.PLAN)
    found = next((recorded for plan in plans if (recorded := recorded_in(plan.name, plan.text))), None)
    if found is None:
        return None
    from replanctl.show import recorded_in_words

    return recorded_in_words(found)
