"""`run`: rehearse a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import msgspec

from replanctl import __version__
from replanctl.cli.effects import EffectLog
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import output
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.rehearse import real_parts, session_of
from replanctl.cli.signals import StoppedError
from replanctl.cli.views import Brief, Document, Lines, View, screen
from replanctl.cli.world import World
from replanctl.files import Rehearsal, Role, load_lessons, load_rehearsal, save_lessons
from replanctl.files.pause import collector_paused
from replanctl.replan.lessons import Lesson
from replanctl.run.engine import Session
from replanctl.run.fold import ResultFold
from replanctl.run.result import SessionResult
from replanctl.store import BATCH, Inputs, RunWriter, SourceText, Store


class RunFormat(StrEnum):
    """How a session is written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


class Options(PolicyOptions, frozen=True, kw_only=True):
    """What `run` takes."""

    plan: Annotated[str, Flag("The plan's YAML file; - reads it from standard input.", "PLAN", positional=True)]
    outcomes: Annotated[Path | None, Flag("What tool calls return; else PLAN's .outcomes.yaml.", "FILE", Path)] = None
    policy: Annotated[Path | None, Flag("The policy, instead of the plan's own.", "FILE", Path)] = None
    lessons: Annotated[Path | None, Flag("A lesson book, loaded before and saved after.", "FILE", Path)] = None
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None
    planner: Annotated[str | None, Flag("A command to ask for every replan (JSON in, steps out).", "COMMAND")] = None
    tools: Annotated[str | None, Flag("Python callables instead of scripted tools.", "MODULE:NAME")] = None
    no_store: Annotated[bool, Flag("Keep nothing.")] = False


def execute(options: Options, world: World) -> int:
    """Load, run and tell; the exit code says whether the session completed."""
    with collector_paused():
        rehearsal = load_rehearsal(options.plan, outcomes=options.outcomes, policy=options.policy, stdin=world.stdin)
        policy = with_flags(rehearsal.policy, options)
        lessons = load_lessons(options.lessons) if options.lessons else ()
        inputs = Inputs(_texts(rehearsal), policy, tuple(lessons), __version__, options.planner, options.tools)
        with output(world.stdout, options.output) as stream, _writer(options, world, inputs, rehearsal) as writer:
            view = view_of(options.format, options, world, stream, inputs.sources, writer.run if writer else None)
            log = EffectLog(keep=writer.effect if writer else _forget)
            tools, replanner = real_parts(inputs, log)
            session = session_of(rehearsal, policy, lessons, tools=tools, replanner=replanner)
            result = _follow(session, view, writer)
        if options.lessons:
            save_lessons(options.lessons, (Lesson(*msgspec.structs.astuple(view)) for view in result.lessons))
    return 0 if result.status == "completed" else 1


def _forget(n: int, kind: str, answer: object) -> None:
    """Nothing is kept of a run that is not stored."""


def _texts(rehearsal: Rehearsal) -> tuple[SourceText, ...]:
    return tuple(SourceText(source.name, source.role, source.text) for source in rehearsal.sources)


@contextmanager
def _writer(options: Options, world: World, inputs: Inputs, rehearsal: Rehearsal) -> Iterator[RunWriter | None]:
    """The run in the store, if one is kept; a run that is broken off says where it can be found."""
    if options.no_store:
        yield None
        return
    batch = 1 if inputs.tools or inputs.planner else BATCH
    with (
        Store.open(world.store_folder(options.store), create=True) as store,
        store.begin(inputs, goal=rehearsal.plan.goal, started=world.now(), batch=batch) as writer,
    ):
        try:
            yield writer
        except (KeyboardInterrupt, StoppedError) as stop:
            stop.add_note(f"run {writer.run} is kept as far as it came: replanctl show {writer.run}")
            raise


def _follow(session: Session, view: View, writer: RunWriter | None) -> SessionResult:
    """Run the session to its end; every event goes to the result, the store and the view."""
    fold = ResultFold()
    for event in session.events():
        fold.apply(event)
        if writer:
            writer.append(event)
        view.event(event)
    result = fold.result(writer.run if writer else None)
    if writer:
        writer.finish(result)
    view.close(result)
    return result


def view_of(
    how: RunFormat, options: Shared, world: World, stream: TextIO, sources: Iterable[SourceText], run: int | None
) -> View:
    """Who watches the session, by the format that was asked for."""
    if how is RunFormat.JSON:
        return Document(stream)
    if how is RunFormat.JSONL:
        return Lines(stream)
    if options.quiet:
        return Brief(world.paper(stream, options.color))
    outcomes = [Path(source.name).name for source in sources if source.role == Role.OUTCOMES]
    return screen(world.paper(stream, options.color), outcomes, run)


VERB = Verb("Rehearse a plan.", Options, execute)
