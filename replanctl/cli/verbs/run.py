"""`run`: rehearse a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from replanctl import __version__
from replanctl.cli.flags import Flag, Verb
from replanctl.cli.following import follow, naming_the_run, view_of
from replanctl.cli.offers import Offers
from replanctl.cli.output import output, tell_traceback
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.spared import spare, started
from replanctl.cli.values import duration
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import Rehearsal, collector_paused, load_rehearsal
from replanctl.host import EffectLog, Fault, Unwritten, check_faults, events_of, fault, open_book, outside_of, save_book
from replanctl.kinds import RunFormat
from replanctl.store import Inputs, RunWriter, SourceText, Store

PLANNER_TIMEOUT = 60.0
FAULT = "STEP=STATUS[:always]"


class Options(PolicyOptions, frozen=True, kw_only=True):
    """What `run` takes."""

    plan: Annotated[str, Flag("The plan's YAML file; - reads it from standard input.", "PLAN", positional=True)]
    outcomes: Annotated[Path | None, Flag("What tool calls return; else PLAN's .outcomes.yaml.", "FILE", Path)] = None
    scenario: Annotated[str | None, Flag("Which of the plan's scenarios; else its own script.", "NAME")] = None
    fault: Annotated[
        tuple[Fault, ...],
        Flag("What this step's tool returns first, or always, whatever the script says.", FAULT, fault, many=True),
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
    no_store: Annotated[bool, Flag("Keep nothing.")] = False


def execute(options: Options, world: World) -> int:
    """Load, run and tell; the exit code says whether the session completed."""
    _check_script(options)
    with collector_paused():
        rehearsal = _load(options, world)
        check_faults(options.fault, rehearsal.plan)
        inputs = _inputs(rehearsal, options)
        read = (*(source.name for source in rehearsal.sources), options.lessons)
        real = outside_of(inputs, rehearsal.plan, on_error=tell_traceback(world.stderr) if options.debug else None)
        started_files = started(options.planner, options.tools)
        spare("-o", options.output, (*read, *started_files), world, options.store)
        with output(world.stdout, options.output) as stream, _writer(options, world, inputs, rehearsal) as writer:
            view = view_of(options.format, options, world, stream, inputs, writer.run if writer else None)
            log = EffectLog(journal=writer or Unwritten())
            result = follow(events_of(inputs, log, real=real, rehearsal=rehearsal), view, writer)
        if options.lessons:
            save_book(options.lessons, result)
    return 0 if result.status == "completed" else 1


def _load(options: Options, world: World) -> Rehearsal:
    return load_rehearsal(
        options.plan,
        outcomes=options.outcomes,
        policy=options.policy,
        scenario=options.scenario,
        stdin=world.stdin,
    )


def _check_script(options: Options) -> None:
    """Raises UsageError where tools are to be called for real and a script is given as well."""
    for name in ("outcomes", "fault"):
        if options.tools is not None and getattr(options, name):
            hint = "tools are called, or answered from a script"
            raise UsageError(f"--tools and --{name} exclude each other", hint=hint)


def _inputs(rehearsal: Rehearsal, options: Options) -> Inputs:
    return Inputs(
        tuple(SourceText(source.name, source.role, source.text) for source in rehearsal.sources),
        with_flags(rehearsal.policy, options),
        open_book(options.lessons) if options.lessons else (),
        __version__,
        options.planner,
        options.tools,
        options.planner_timeout,
        faults=tuple(map(str, options.fault)),
    )


@contextmanager
def _writer(options: Options, world: World, inputs: Inputs, rehearsal: Rehearsal) -> Iterator[RunWriter | None]:
    """The run in the store, if one is kept."""
    if options.no_store:
        yield None
        return
    with Store.open(world.store_folder(options.store), create=True) as store:
        writer = store.begin(inputs, goal=rehearsal.plan.goal, started=world.now())
        with naming_the_run(writer, Offers.of(options.store, inputs)):
            yield writer


VERB = Verb("Rehearse a plan.", Options, execute)
