"""`runs`: the stored runs, one line each."""

from __future__ import annotations

from typing import Annotated

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import answer, say
from replanctl.cli.world import World
from replanctl.kinds import Format


class Options(Shared, frozen=True, kw_only=True):
    """What `runs` takes."""

    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """List the runs, oldest first."""
    from replanctl.store import Store

    with Store.open(world.store_folder(options.store)) as store:
        runs, damaged = store.runs(), store.damaged()

    def screen() -> None:
        from replanctl.show import runs_screen

        runs_screen(world.paper(world.stdout, options.color), runs)

    answer(world.stdout, options.format, lambda: {"runs": runs}, screen)
    if damaged:
        say(world.stderr, [f"left out, because damaged: run {', run '.join(map(str, damaged))}"])
    return 0


VERB = Verb("List the stored runs.", Options, execute)
