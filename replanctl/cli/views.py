"""What becomes of a session while it runs: a document, lines of JSON, a screen, or a single line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TextIO

import msgspec

from replanctl.cli.output import write_line
from replanctl.run.events import Event
from replanctl.run.result import SessionResult

if TYPE_CHECKING:
    from replanctl.show.paper import Paper
    from replanctl.show.session import SessionScreen


class View(Protocol):
    """Whoever watches a session."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def close(self, result: SessionResult) -> None:
        """The session is over."""


class Document:
    """The result alone, as one JSON document."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the result."""
        write_line(self._stream, msgspec.json.encode(result))


class Lines:
    """Every event as a line of JSON."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode

    def event(self, event: Event) -> None:
        """Write the event."""
        write_line(self._stream, self._encode(event))

    def close(self, result: SessionResult) -> None:
        """The last event said it all."""


class Brief:
    """How it ended, in one line."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the line."""
        from replanctl.show.closing import closing_line
        from replanctl.show.paper import Span

        ending, cost = closing_line(result)
        self._paper.line(Span(ending, "done" if result.status == "completed" else "failed"), cost)


def screen(paper: Paper, outcomes: Sequence[str], run: int | None, recorded: str | None = None) -> SessionScreen:
    """Everything, as a person reads it; `outcomes` are the names of the files that said what tools return, `recorded`
    tells of the recording that the rehearsal was made of."""
    from replanctl.show.header import Header
    from replanctl.show.session import SessionScreen

    return SessionScreen(paper, Header(outcomes[0] if outcomes else None, run, recorded))
