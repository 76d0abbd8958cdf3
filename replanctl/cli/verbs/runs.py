"""`runs`: the stored runs, the newest first, one line each; and how old ones are given up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb, positive
from replanctl.cli.following import Offers
from replanctl.cli.output import answer, say, say_left_out
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import StoreError, UsageError
from replanctl.kinds import RunStatus
from replanctl.store import RunRow, Store


class Options(Shared, frozen=True, kw_only=True):
    """What `runs` takes."""

    limit: Annotated[int | None, Flag("No more than the newest N.", "N", positive)] = None
    plan: Annotated[str | None, Flag("Only those of this plan, by its path or its file's name.", "PLAN")] = None
    failed: Annotated[bool, Flag("Only those that did not complete.")] = False
    prune: Annotated[int | None, Flag("Give up all runs but the newest KEEP.", "KEEP", positive)] = None
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


class Line(RunRow, frozen=True, kw_only=True):
    """A run with the file of its plan; None where that can't be read any more."""

    plan: str | None = None


def execute(options: Options, world: World) -> int:
    """List the runs, or give up the old ones."""
    folder = world.store_folder(options.store)
    if options.prune is not None:
        return _prune(options, world)
    with Store.open(folder) as store:
        runs, damaged = list(islice(_chosen(store, options), options.limit)), store.damaged()

    def screen() -> None:
        from replanctl.show import runs_screen

        some = options.failed or options.plan is not None
        first = Offers(options.store).whole("replanctl run PLAN")
        runs_screen(world.paper(world.stdout, options.color), runs, some=some, first=first)

    answer(world.stdout, options.format, lambda: {"runs": runs}, screen)
    say_left_out(world.stderr, damaged)
    return 0


def _chosen(store: Store, options: Options) -> Iterator[Line]:
    """The runs that are asked for, the newest first; what a run came from is read only when its turn comes."""
    # The name of a plan stands in a run's inputs, with all its texts: with --limit only those that are shown are read.
    for row in reversed(store.runs()):
        if options.failed and row.status in (RunStatus.COMPLETED, RunStatus.RUNNING):
            continue
        plan = _plan_of(store, row.run)
        if options.plan is None or (plan is not None and options.plan in (plan, PurePath(plan).name)):
            yield Line(**msgspec.structs.asdict(row), plan=plan)


def _plan_of(store: Store, run: int) -> str | None:
    try:
        return next((source.name for source in store.inputs(run).sources if source.role == "plan"), None)
    except StoreError:
        return None


def _prune(options: Options, world: World) -> int:
    """Raises UsageError where runs are chosen at the same time: what is given up is not left to a slip of a filter."""
    if options.limit is not None or options.plan is not None or options.failed:
        raise UsageError("--prune goes by age alone", hint="leave out --limit, --plan and --failed")
    folder = world.store_folder(options.store)
    gone = []
    if folder.exists():
        with Store.open(folder, create=True) as store:
            gone = store.prune(options.prune or 1)

    def screen() -> None:
        if not options.quiet:
            say(world.stdout, [f"{len(gone)} run{'s' * (len(gone) != 1)} given up"])

    answer(world.stdout, options.format, lambda: {"pruned": gone}, screen)
    return 0


VERB = Verb(HELP["runs"], Options, execute)
