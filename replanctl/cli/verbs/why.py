"""`why`: one step's story in a stored run."""

from __future__ import annotations

from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb, positive
from replanctl.cli.output import answer
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.host import sound
from replanctl.run import Story, step_ids, story_of
from replanctl.store import Store


class Options(Shared, frozen=True, kw_only=True):
    """What `why` takes."""

    step: Annotated[str, Flag("The step's id, in any version.", "STEP", positional=True, complete="steps")]
    run: Annotated[int | None, Flag("Which run; else the latest.", "N", positive, complete="runs")] = None
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Tell the story."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        run = store.latest().run if options.run is None else store.run(options.run).run
        with sound(folder, run):
            story = _story(store, run, options.step)

    def screen() -> None:
        from replanctl.show import why_screen

        why_screen(world.paper(world.stdout, options.color), story, run)

    answer(world.stdout, options.format, lambda: {"run": run, **msgspec.structs.asdict(story)}, screen)
    return 0


def _story(store: Store, run: int, step: str) -> Story:
    """Raises UsageError for a step that no plan of the run had."""
    events = list(store.events(run))
    ids = step_ids(events)
    if step not in ids:
        from replanctl.files import did_you_mean

        raise UsageError(f"no plan of run {run} has a step {step}", hint=did_you_mean(step, ids))
    return story_of(events, step)


VERB = Verb(HELP["why"], Options, execute)
