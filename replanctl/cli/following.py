"""Watching a session to its end: who is told its events, and what is said where it is told to stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO, assert_never

from replanctl.cli.flags import Shared
from replanctl.cli.offers import Offering, Offers
from replanctl.cli.views import ClosingLine, JsonDocument, JsonLines, View, screen
from replanctl.cli.world import World
from replanctl.host import StoppedError
from replanctl.kinds import RunFormat
from replanctl.store import Inputs


def view_of(how: RunFormat, options: Shared, world: World, stream: TextIO, inputs: Inputs, run: int | None) -> View:
    """Who watches the session, by the format that was asked for."""
    offers = Offers.of(options.store, inputs)
    match how:
        case RunFormat.JSON:
            return Offering(JsonDocument(stream), offers)
        case RunFormat.JSONL:
            return JsonLines(stream)
        case RunFormat.TEXT:
            paper = world.paper(stream, options.color)
            if options.quiet:
                return ClosingLine(paper)
            return Offering(screen(paper, inputs, run, offers.whole, live=inputs.tools is not None), offers)
        case _:
            assert_never(how)


@contextmanager
def naming_the_run(run: int | None, offers: Offers) -> Iterator[None]:
    """A run that is told to stop says where it can be found, if it is kept."""
    try:
        yield
    except (KeyboardInterrupt, StoppedError) as stop:
        if run is not None:
            command = offers.whole(f"replanctl resume {run}")
            stop.add_note(f"run {run} is kept as far as it came: {command} goes on with it")
        raise
