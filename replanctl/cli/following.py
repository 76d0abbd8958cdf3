"""Watching a session to its end: every event goes to the result, the store and the view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from replanctl.cli.flags import Shared
from replanctl.cli.signals import StoppedError
from replanctl.cli.views import Brief, Document, Lines, View, screen
from replanctl.cli.world import World
from replanctl.files import Role, recorded_in
from replanctl.run.events import Event
from replanctl.run.fold import ResultFold
from replanctl.run.result import SessionResult
from replanctl.store import Inputs, RunWriter


class RunFormat(StrEnum):
    """How a session is written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


def view_of(how: RunFormat, options: Shared, world: World, stream: TextIO, inputs: Inputs, run: int | None) -> View:
    """Who watches the session, by the format that was asked for."""
    if how is RunFormat.JSON:
        return Document(stream)
    if how is RunFormat.JSONL:
        return Lines(stream)
    if options.quiet:
        return Brief(world.paper(stream, options.color))
    outcomes = [Path(source.name).name for source in inputs.sources if source.role == Role.OUTCOMES]
    return screen(world.paper(stream, options.color), outcomes, run, recording_of(inputs))


def recording_of(inputs: Inputs) -> str | None:
    """Which recording a rehearsal was made of, in words; None where it was written by hand."""
    plans = (source for source in inputs.sources if source.role == Role.PLAN)
    found = next((recorded for plan in plans if (recorded := recorded_in(plan.name, plan.text))), None)
    if found is None:
        return None
    from replanctl.show.recorded import recorded_in_words

    return recorded_in_words(found)


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
def told_where_it_is(writer: RunWriter) -> Iterator[RunWriter]:
    """A run that is told to stop says where it can be found."""
    with writer:
        try:
            yield writer
        except (KeyboardInterrupt, StoppedError) as stop:
            stop.add_note(f"run {writer.run} is kept as far as it came: replanctl resume {writer.run} goes on with it")
            raise
