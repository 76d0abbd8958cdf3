"""`replay`: a stored run once more; its events must come out byte for byte the same."""

from __future__ import annotations

from typing import Annotated

from replanctl.cli.flags import Flag, Shared, Verb, positive
from replanctl.cli.telling import tell
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.host import replay
from replanctl.show import Span


class Options(Shared, frozen=True, kw_only=True):
    """What `replay` takes."""

    run: Annotated[
        int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True, complete="runs")
    ] = None


def execute(options: Options, world: World) -> int:
    """Compare event by event. Raises ReplayDivergedError at the first that differs."""
    replayed = replay(world.store_folder(options.store), options.run)
    if not options.quiet:
        what = [Span(f"run {replayed.run}: {replayed.events} events, "), Span("byte for byte the same", "done")]
        tell(world, world.stdout, options.color, [what])
    return 0


VERB = Verb(HELP["replay"], Options, execute)
