"""Watching a session to its end: every event goes to the result, the store and the view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO, assert_never

from replanctl.cli.flags import Shared
from replanctl.cli.offers import Offering, Offers
from replanctl.cli.views import ClosingLine, JsonDocument, JsonLines, View, screen
from replanctl.cli.world import World
from replanctl.host import StoppedError
from replanctl.kinds import RunFormat
from replanctl.run import Event, ResultFold, SessionResult
from replanctl.store import Inputs, RunWriter


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


def follow(events: Iterable[Event], view: View, writer: RunWriter | None, *, kept: int = 0) -> SessionResult:
    """Run a session to its end. The store has the first `kept` events already."""
    fold = ResultFold()
    for event in events:
        fold.apply(event)
        if writer and event.seq >= kept:
            writer.append(event)
        view.event(event)
    result = fold.result(writer.run if writer else None)
    if writer:
        writer.finish(result)
    view.close(result)
    return result


@contextmanager
def naming_the_run(writer: RunWriter, offers: Offers) -> Iterator[RunWriter]:
    """A run that is told to stop says where it can be found."""
    with writer:
        try:
            yield writer
        except (KeyboardInterrupt, StoppedError) as stop:
            command = offers.whole(f"replanctl resume {writer.run}")
            stop.add_note(f"run {writer.run} is kept as far as it came: {command} goes on with it")
            raise
