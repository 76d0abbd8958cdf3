"""`resume`: go on with a run from where it stopped or was killed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from replanctl.cli.amending import AmendOptions, amended
from replanctl.cli.flags import Flag, Verb
from replanctl.cli.following import follow, naming_the_run, view_of
from replanctl.cli.output import output
from replanctl.cli.values import positive
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.files import collector_paused
from replanctl.host import EffectLog, add_to_book, events_of, open_book, outside_of
from replanctl.kinds import RunFormat, RunStatus
from replanctl.run import Doubt, Event, UnsettledError, doubts, ways
from replanctl.store import Inputs, RunWriter, Store


class Options(AmendOptions, frozen=True, kw_only=True):
    """What `resume` takes. Limits hold from where the run goes on."""

    run: Annotated[int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True)] = None
    lessons: Annotated[Path | None, Flag("A lesson book, where the run's lessons go after.", "FILE", Path)] = None
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None


def execute(options: Options, world: World) -> int:
    """Go on with the run; the exit code says whether it completed now."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        row = store.latest() if options.run is None else store.run(options.run)
    if row.status is RunStatus.COMPLETED:
        world.stderr.write(f"run {row.run} is completed ({row.reason}): there is nothing to resume\n")
        return 0
    if options.lessons:
        open_book(options.lessons)  # one that can't be used is said before anything is run
    with (
        collector_paused(),
        output(world.stdout, options.output) as stream,
        Store.open(folder, create=True) as store,
        naming_the_run(store.reopen(row.run)) as writer,
    ):
        taken = _take_up(store, writer, options)
        view = view_of(options.format, options, world, stream, taken.inputs, row.run)
        result = follow(taken.events, view, writer, kept=taken.kept)
    if options.lessons:
        add_to_book(options.lessons, result, taken.inputs.policy.lessons)
    return 0 if result.status == "completed" else 1


class Taken(NamedTuple):
    """A session taken up again: its first `kept` events are in the store already."""

    inputs: Inputs
    kept: int
    events: Iterator[Event]


def _take_up(store: Store, writer: RunWriter, options: Options) -> Taken:
    """The session at the point where it goes on. Nothing is changed in the store before all of it is known to fit."""
    run = writer.run
    lines = list(store.event_lines(run))
    stored, log = list(store.events(run)), EffectLog(store.effects(run))
    open_ = doubts(stored, broken_off=not log.knows_the_last_of(stored))
    try:
        inputs, kept = amended(store.inputs(run), stored, options, open_)
    except UnsettledError as error:
        raise _asking(run, error, options, open_) from None
    events = events_of(inputs, log, real=outside_of(inputs))
    again = list(islice(events, kept))
    _check(again, lines[:kept], run)
    writer.go_on(inputs, lines[:kept])
    log.journal = writer
    return Taken(inputs, kept, chain(again, events))


def _asking(run: int, error: UnsettledError, options: Options, open_: Sequence[Doubt]) -> UsageError:
    """What a person is asked before a run goes on, with the commands that answer."""
    store = f" --store {shlex.quote(str(options.store))}" if options.store is not None else ""
    commands = [f"replanctl resume {run}{store} {way}" for way in ways(open_)]
    what = "; ".join(f"{command}: {said}" for command, said in zip(commands, _SAYS, strict=True))
    return UsageError(f"run {run} asks for a person's word: {error} may have happened", hint=what)


_SAYS = ("it happened, with this answer", "it did not, and is made again", "it is let be")


def _check(again: Sequence[Event], lines: Sequence[bytes], run: int) -> None:
    """What is kept must come out as it was stored, or the rest would not fit to it."""
    encode = msgspec.json.Encoder().encode
    same = sum(1 for _ in takewhile(lambda pair: encode(pair[0]) == pair[1], zip(again, lines, strict=False)))
    if same < len(lines):
        raise ReplayDivergedError(
            f"run {run} can't be resumed: event {same} does not come out as it was stored",
            hint=f"replanctl replay {run} says where they part",
        )


VERB = Verb("Go on with a run from where it stopped.", Options, execute)
