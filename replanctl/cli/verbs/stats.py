"""`stats`: what decided anything in the stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb
from replanctl.cli.following import Offers
from replanctl.cli.output import say_left_out, write_line
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.host import sound, undone
from replanctl.kinds import RunStatus
from replanctl.lab import StatsDocument, stats
from replanctl.run import Event
from replanctl.run import events as e
from replanctl.store import DamagedRunError, Store


class Options(Shared, frozen=True, kw_only=True):
    """What `stats` takes."""

    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Read every run and tell."""
    damaged: list[int] = []
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        found = stats(_runs(store, folder, damaged))
    if options.format is Format.JSON:
        write_line(world.stdout, msgspec.json.encode(StatsDocument(stats=found)))
    else:
        from replanctl.show import stats_screen

        first = Offers(options.store).whole("replanctl run PLAN")
        stats_screen(world.paper(world.stdout, options.color), found, first=first)
    say_left_out(world.stderr, damaged)
    return 0


def _runs(store: Store, folder: Path, damaged: list[int]) -> Iterator[tuple[Iterable[Event], bool]]:
    """The events of each run, and whether it was taken up again; what is being written is left out.

    So is what is damaged, and its number noted. A run is read whole before any of it counts: the damage may be in its
    last event. Of one that was taken up again the refusals that this undid come first: they decided, too.
    """
    damaged += store.damaged()
    for row in store.runs():
        if row.status is RunStatus.RUNNING:
            continue
        try:
            with sound(folder, row.run):
                events, resumed = _decisions(store, row.run)
        except DamagedRunError:
            damaged.append(row.run)
        else:
            yield events, resumed


def _decisions(store: Store, run: int) -> tuple[list[Event], bool]:
    inputs, events = store.inputs(run), list(store.events(run))
    refusals = undone(inputs, events, store.effects(run)) if inputs.amendments else ()
    # A resume takes a refusal out of the events, as if it had never been; to who asks what gates decide it counts.
    return [*(event for event in refusals if isinstance(event, e.Gate)), *events], bool(inputs.amendments)


VERB = Verb(HELP["stats"], Options, execute)
