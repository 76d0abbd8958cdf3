"""`run`: rehearse a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from replanctl.cli.flags import Flag, Model, Price, PriceFile, RunFormat, Verb, duration
from replanctl.cli.following import Offers, Unwatched, naming_the_run, view_of, watched
from replanctl.cli.output import output, tell_traceback
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import collector_paused, load_rehearsal
from replanctl.host import PLANNER_TIMEOUT, Prepared, prepare
from replanctl.script import Fault, fault

if TYPE_CHECKING:
    from replanctl.money import Prices
    from replanctl.replan import Lesson

FAULT = "STEP=STATUS[:always]"


class Options(PolicyOptions, frozen=True, kw_only=True):
    """What `run` takes."""

    plan: Annotated[str, Flag("The plan's YAML file; - reads it from standard input.", "PLAN", positional=True)]
    outcomes: Annotated[Path | None, Flag("What tool calls return; else PLAN's .outcomes.yaml.", "FILE", Path)] = None
    scenario: Annotated[
        str | None, Flag("Which of the plan's scenarios; else its own script.", "NAME", complete="scenarios")
    ] = None
    fault: Annotated[
        tuple[Fault, ...],
        Flag(
            "What this step's tool returns first, or always, whatever the script says.",
            FAULT,
            fault,
            many=True,
            complete="faults",
        ),
    ] = ()
    policy: Annotated[Path | None, Flag("The policy, instead of the plan's own.", "FILE", Path)] = None
    lessons: Annotated[Path | None, Flag("A lesson book, loaded before and saved after.", "FILE", Path)] = None
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None
    planner: Annotated[
        str | None, Flag("A command to ask for every replan (JSON in, steps in YAML or JSON out).", "COMMAND")
    ] = None
    planner_timeout: Annotated[float, Flag("How long it may take; else a minute.", "TIME", duration)] = PLANNER_TIMEOUT
    tools: Annotated[str | None, Flag("Python callables instead of scripted tools.", "MODULE:NAME")] = None
    price: Price = ()
    prices: PriceFile = None
    model: Model = ()
    no_store: Annotated[bool, Flag("Keep nothing.")] = False


def execute(options: Options, world: World) -> int:
    """Load, run and tell; the exit code says whether the session completed."""
    if options.tools is not None and options.outcomes is not None:
        raise UsageError(
            "--tools and --outcomes exclude each other", hint="tools are called, or answered from a script"
        )
    # A run makes no cycles that outlive it: the collector would only look through the loaded plan again and again.
    with collector_paused(), watched(options, world, options.tools, options.planner) as (watch, aware):
        return _run(options, aware, watch)


def _run(options: Options, world: World, watch: Unwatched) -> int:
    prepared = _prepared(options, world, watch)
    _spare_what_is_read(options, prepared, world)
    folder = None if options.no_store else world.store_folder(options.store)
    offers, prices = Offers.of(options.store, prepared.inputs), _prices(options)
    with (
        output(world.stdout, options.output) as stream,
        prepared.begin(folder, world.now()) as running,
        naming_the_run(running.number, offers),
    ):
        view = view_of(options.format, options, world, stream, running.inputs, running.number, prices)
        result = running.follow(watch.following(view.event, running.inputs))
        view.close(result)
    if options.lessons:
        from replanctl.host import save_book

        save_book(options.lessons, result)
    return 0 if result.status == "completed" else 1


def _spare_what_is_read(options: Options, prepared: Prepared, world: World) -> None:
    if options.output is None:
        return
    from replanctl.cli.spared import spare

    spare(options, world, (source.name for source in prepared.inputs.sources))


def _prices(options: Options) -> Prices | None:
    """What tokens cost. Most runs are not asked, and do not load what knows of it."""
    if not (options.price or options.prices or options.model):
        return None
    from replanctl.cli.prices import prices_of

    return prices_of(options)


def _lessons(options: Options) -> tuple[Lesson, ...]:
    if options.lessons is None:
        return ()
    from replanctl.host import open_book

    return open_book(options.lessons)


def _prepared(options: Options, world: World, watch: Unwatched) -> Prepared:
    rehearsal = load_rehearsal(
        options.plan,
        outcomes=options.outcomes,
        policy=options.policy,
        scenario=options.scenario,
        stdin=world.stdin,
    )
    return prepare(
        rehearsal,
        with_flags(rehearsal.policy, options),
        faults=map(str, options.fault),
        lessons=_lessons(options),
        tools=options.tools,
        planner=options.planner,
        planner_timeout=options.planner_timeout,
        on_error=tell_traceback(world.stderr) if options.debug else None,
        on_wait=watch.on_wait,
    )


VERB = Verb(HELP["run"], Options, execute)
