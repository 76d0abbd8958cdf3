"""`stats`: what decided anything in the stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb
from replanctl.cli.output import write_line
from replanctl.cli.world import World
from replanctl.host import undone
from replanctl.kinds import RunStatus
from replanctl.lab import StatsDocument, stats
from replanctl.run import Event
from replanctl.run import events as e
from replanctl.store import Store


class Options(Shared, frozen=True, kw_only=True):
    """What `stats` takes."""

    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Read every run and tell."""
    with Store.open(world.store_folder(options.store)) as store:
        found = stats(_runs(store))
    if options.format is Format.JSON:
        write_line(world.stdout, msgspec.json.encode(StatsDocument(stats=found)))
    else:
        from replanctl.show import stats_screen

        stats_screen(world.paper(world.stdout, options.color), found)
    return 0


def _runs(store: Store) -> Iterator[tuple[Iterable[Event], bool]]:
    """The events of each run, and whether it was taken up again; what is being written is left out.

    Of one that was taken up again the refusals that this undid come first: they decided, too.
    """
    for row in store.runs():
        if row.status is RunStatus.RUNNING:
            continue
        inputs = store.inputs(row.run)
        if not inputs.amendments:
            yield store.events(row.run), False
            continue
        events = list(store.events(row.run))
        refusals = [event for event in undone(inputs, events, store.effects(row.run)) if isinstance(event, e.Gate)]
        yield [*refusals, *events], True


VERB = Verb("Say how often each rule and gate decided in the stored runs.", Options, execute)
