"""`report`: a run, a rehearsal, or what the lab wrote, as one page of HTML."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Annotated

from replanctl import __version__
from replanctl.cli.asked import RequestLog, requests_of
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import output, write_document
from replanctl.cli.spared import spare
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError
from replanctl.files import Rehearsal, collector_paused, load_rehearsal, read_plan
from replanctl.host import EffectLog, Unwritten, events_of, sound
from replanctl.report import CallFold, Prompt, RunReport, page_of, run_page
from replanctl.run import ResultFold
from replanctl.store import Inputs, SourceText, Store

_WHAT = "A stored run's number, a rehearsal, or a file of ours with --format json; else the latest run."


class Options(Shared, frozen=True, kw_only=True):
    """What `report` takes."""

    of: Annotated[str | None, Flag(_WHAT, "RUN|FILE", positional=True, complete="runs")] = None
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None


def execute(options: Options, world: World) -> int:
    """Make the page and write it. The exit code is 0 however the session ended: what was asked for is the page."""
    of = options.of
    if of is None or (of.isascii() and of.isdigit() and len(of) < 19):
        page = _of_run(None if of is None else int(of), options, world)
    else:
        page = _of_file(of, options, world)
    with output(world.stdout, options.output) as stream:
        write_document(stream, page)
    return 0


# -- a stored run ------------------------------------------------------------------------------------------------------


def _of_run(number: int | None, options: Options, world: World) -> str:
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        run = (store.latest() if number is None else store.run(number)).run
        with sound(folder, run):
            had = (source.name for source in store.inputs(run).sources)
            spare(options, world, had)  # what it came from lies here, as a rule
            calls = CallFold()
            for event in store.events(run):
                calls.apply(event)
            return run_page(RunReport(store.result(run), calls.calls, _prompts_of(store, run)))


def _prompts_of(store: Store, run: int) -> tuple[Prompt, ...] | None:
    """What was asked; None where a later replanctl would ask otherwise, and so can't tell."""
    try:
        return _prompts(requests_of(store, run))
    except ReplayDivergedError:
        return None


def _prompts(log: RequestLog) -> tuple[Prompt, ...]:
    return tuple(
        Prompt(asked.version, asked.asked_in, asked.step_id, asked.granularity, asked.prompt) for asked in log.requests
    )


# -- a file ------------------------------------------------------------------------------------------------------------


def _of_file(name: str, options: Options, world: World) -> str:
    spare(options, world, [name])
    source = read_plan(name, stdin=world.stdin)
    # What replanctl wrote is known by its content; anything else is read as a rehearsal, whose errors say what it is.
    page = page_of(source.name, source.text)
    if page is not None:
        return page
    with collector_paused():
        rehearsal = load_rehearsal(name, stdin=StringIO(source.text))
        spare(options, world, (each.name for each in rehearsal.sources))
        return _rehearsed(rehearsal)


def _rehearsed(rehearsal: Rehearsal) -> str:
    """The page of a rehearsal, which is run for it and not kept."""
    sources = tuple(SourceText(source.name, source.role, source.text) for source in rehearsal.sources)
    inputs = Inputs(sources, rehearsal.policy, (), __version__)
    log, fold, calls = RequestLog(), ResultFold(), CallFold()
    for event in events_of(inputs, EffectLog(journal=Unwritten()), log.keep, rehearsal=rehearsal):
        log.see(event)
        fold.apply(event)
        calls.apply(event)
    return run_page(RunReport(fold.result(), calls.calls, _prompts(log)))


VERB = Verb(HELP["report"], Options, execute)
