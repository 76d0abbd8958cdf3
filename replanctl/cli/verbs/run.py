"""`run`: rehearse a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from replanctl import __version__
from replanctl.cli.book import open_book, save_book
from replanctl.cli.effects import EffectLog, Unwritten
from replanctl.cli.flags import Flag, Verb
from replanctl.cli.following import RunFormat, follow, told_where_it_is, view_of
from replanctl.cli.output import output
from replanctl.cli.outside import outside
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.rehearse import events_of
from replanctl.cli.values import duration
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import Rehearsal, collector_paused, load_rehearsal
from replanctl.store import Inputs, RunWriter, SourceText, Store

PLANNER_TIMEOUT = 60.0


class Options(PolicyOptions, frozen=True, kw_only=True):
    """What `run` takes."""

    plan: Annotated[str, Flag("The plan's YAML file; - reads it from standard input.", "PLAN", positional=True)]
    outcomes: Annotated[Path | None, Flag("What tool calls return; else PLAN's .outcomes.yaml.", "FILE", Path)] = None
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
    if options.tools is not None and options.outcomes is not None:
        raise UsageError("--tools and --outcomes exclude each other", hint="tools are called, or answered from a file")
    with collector_paused():
        rehearsal = load_rehearsal(options.plan, outcomes=options.outcomes, policy=options.policy, stdin=world.stdin)
        inputs = _inputs(rehearsal, options)
        real = outside(inputs)
        with output(world.stdout, options.output) as stream, _writer(options, world, inputs, rehearsal) as writer:
            view = view_of(options.format, options, world, stream, inputs, writer.run if writer else None)
            log = EffectLog(journal=writer or Unwritten())
            result = follow(events_of(inputs, log, real=real, rehearsal=rehearsal), view, writer)
        if options.lessons:
            save_book(options.lessons, result)
    return 0 if result.status == "completed" else 1


def _inputs(rehearsal: Rehearsal, options: Options) -> Inputs:
    return Inputs(
        tuple(SourceText(source.name, source.role, source.text) for source in rehearsal.sources),
        with_flags(rehearsal.policy, options),
        open_book(options.lessons) if options.lessons else (),
        __version__,
        options.planner,
        options.tools,
        options.planner_timeout,
    )


@contextmanager
def _writer(options: Options, world: World, inputs: Inputs, rehearsal: Rehearsal) -> Iterator[RunWriter | None]:
    """The run in the store, if one is kept."""
    if options.no_store:
        yield None
        return
    with Store.open(world.store_folder(options.store), create=True) as store:
        writer = store.begin(inputs, goal=rehearsal.plan.goal, started=world.now())
        with told_where_it_is(writer):
            yield writer


VERB = Verb("Rehearse a plan.", Options, execute)
