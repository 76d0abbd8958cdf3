"""`stats`: what decided anything in the stored runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import write_line
from replanctl.cli.values import Format
from replanctl.cli.world import World
from replanctl.kinds import RunStatus
from replanctl.lab import StatsDocument, stats
from replanctl.run import Event
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


def _runs(store: Store) -> Iterator[tuple[Iterator[Event], bool]]:
    """The events of each run, and whether it was taken up again; what is being written is left out."""
    for row in store.runs():
        if row.status is not RunStatus.RUNNING:
            yield store.events(row.run), bool(store.inputs(row.run).amendments)


VERB = Verb("Say how often each rule and gate decided in the stored runs.", Options, execute)
