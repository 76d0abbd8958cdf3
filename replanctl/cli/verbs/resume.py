"""`resume`: go on with a run from where it stopped or was killed, and what a command line can change of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag, RunFormat, Verb, duration, positive
from replanctl.cli.following import Offers, Unwatched, naming_the_run, view_of, watched
from replanctl.cli.output import output
from replanctl.cli.overrides import RaiseOptions, gates_given
from replanctl.cli.spared import spare
from replanctl.cli.telling import tell
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.files import collector_paused
from replanctl.host import Changes, Given, InDoubtError, NotGivenError, add_to_book, latest_open, open_book, take_up
from replanctl.kinds import Granularity, Reason, RunStatus
from replanctl.run import Word, ways, word
from replanctl.show import Span
from replanctl.store import Store


class AmendOptions(RaiseOptions, frozen=True, kw_only=True):
    """What a command line can change of a stopped run. It holds from where the run goes on."""

    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan from here on.", "GRANULARITY", Granularity)
    ] = UNSET
    goal: Annotated[str | None, Flag("Change the goal.", "TEXT")] = None
    outcomes: Annotated[Path | None, Flag("What tool calls return from here on.", "FILE", Path)] = None
    settle: Annotated[
        tuple[Word, ...],
        Flag(
            "What came of a call that may have happened: done, again or skip.",
            "STEP=done:JSON",
            word,
            many=True,
            complete="settlements",
        ),
    ] = ()


def changes(options: AmendOptions) -> Changes:
    """The changes that these options are."""
    return Changes(
        limits=gates_given(options),
        granularity=None if options.granularity is UNSET else options.granularity,
        goal=options.goal,
        outcomes=options.outcomes,
        settle=options.settle,
    )


class Options(AmendOptions, frozen=True, kw_only=True):
    """What `resume` takes. Limits hold from where the run goes on."""

    run: Annotated[
        int | None,
        Flag("Which run; else the latest that can be resumed.", "RUN", positive, positional=True, complete="open runs"),
    ] = None
    lessons: Annotated[Path | None, Flag("A lesson book, where the run's lessons go after.", "FILE", Path)] = None
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None
    planner: Annotated[str | None, Flag("The command to ask for replans, where the run had one.", "COMMAND")] = None
    planner_timeout: Annotated[float | UnsetType, Flag("How long it may take; else as before.", "TIME", duration)] = (
        UNSET
    )
    tools: Annotated[str | None, Flag("The Python callables, where the run called any.", "MODULE:NAME")] = None


def execute(options: Options, world: World) -> int:
    """Go on with the run; the exit code says whether it completed now."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        row = latest_open(store) if options.run is None else store.run(options.run)
        if options.output is not None:
            spare(options, world, (source.name for source in store.inputs(row.run).sources))
    if row.status is RunStatus.COMPLETED:
        done = Span(f"completed ({row.reason})", "met" if row.reason == Reason.GOAL_MET else "gaps")
        what = [Span(f"run {row.run} is "), done, Span(": there is nothing to resume")]
        tell(world, world.stderr, options.color, [what])
        return 0
    if options.lessons:
        open_book(options.lessons)  # one that can't be used is said before anything is run
    offers = Offers(options.store, options.planner, options.tools)
    with (
        collector_paused(),
        watched(options, world, options.tools, options.planner) as (watch, world),
        output(world.stdout, options.output) as stream,
        naming_the_run(row.run, offers),
        _saying_how(offers),
        take_up(folder, row.run, changes(options), _given(options, watch)) as running,
    ):
        view = view_of(options.format, options, world, stream, running.inputs, row.run)
        result = running.follow(watch.following(view.event, running.inputs))
        view.close(result)
    if options.lessons:
        add_to_book(options.lessons, result, running.inputs.policy.lessons)
    return 0 if result.status == "completed" else 1


def _given(options: Options, watch: Unwatched) -> Given:
    timeout = None if options.planner_timeout is UNSET else options.planner_timeout
    return Given(planner=options.planner, tools=options.tools, planner_timeout=timeout, on_wait=watch.on_wait)


@contextmanager
def _saying_how(offers: Offers) -> Iterator[None]:
    """What a person is asked before a run goes on comes with the commands that answer."""
    try:
        yield
    except InDoubtError as error:
        flags = ways(error.doubts)
        commands = [offers.whole(f"replanctl resume {error.run} {flag}") for flag in flags]
        happened = "with this answer" if "=done:" in flags[0] else "and its answer is null (done:JSON gives another)"
        says = (f"it happened, {happened}", "it did not, and is made again", "it is let be")
        error.hint = "; ".join(f"{command}: {said}" for command, said in zip(commands, says, strict=True))
        raise
    except NotGivenError as error:
        again = Offers(offers.store, error.had.get("planner"), error.had.get("tools"))
        error.hint = f"say it again if you trust it: {again.whole(f'replanctl resume {error.run}')}"
        raise


VERB = Verb(HELP["resume"], Options, execute)
