"""`show`: a stored run once more, whole or in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb, positive
from replanctl.cli.following import Offers, screen
from replanctl.cli.output import write_line
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.host import sound
from replanctl.kinds import RunStatus
from replanctl.run import SCHEMA_VERSION, SessionResult
from replanctl.store import RunRow, Store

SECTIONS = ("events", "variables", "ledger", "lessons", "handover")


class Options(Shared, frozen=True, kw_only=True):
    """What `show` takes."""

    run: Annotated[
        int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True, complete="runs")
    ] = None
    events: Annotated[bool, Flag("Every event.")] = False
    variables: Annotated[bool, Flag("The variables and their health.")] = False
    ledger: Annotated[bool, Flag("Every token that was booked.")] = False
    lessons: Annotated[bool, Flag("The lesson book.")] = False
    handover: Annotated[bool, Flag("What a person gets when a session stops short.")] = False
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT

    def sections(self) -> list[str]:
        """The parts that were asked for."""
        return [name for name in SECTIONS if getattr(self, name)]


def execute(options: Options, world: World) -> int:
    """Write the run, or the parts that were asked for."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        row = store.latest() if options.run is None else store.run(options.run)
        with sound(folder, row.run):
            _show(store, row, world, options)
    return 0


def _show(store: Store, row: RunRow, world: World, options: Options) -> None:
    offers = Offers.of(options.store, store.inputs(row.run))
    if options.format is Format.JSON:
        write_line(world.stdout, _document(store, row, options.sections(), offers))
    elif sections := options.sections():
        _views(store, row, sections, world, options, offers)
    else:
        _screen(store, row, world, options, offers)


def _document(store: Store, row: RunRow, sections: list[str], offers: Offers) -> bytes:
    if not sections:
        # As it was stored, to the byte, unless its commands are not whole as they stand there.
        stored = None if offers.changes(row.reason) else store.document(row.run)
        return stored or msgspec.json.encode(offers.complete(store.result(row.run)))
    parts: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "run": row.run, "status": row.status}
    result = offers.complete(store.result(row.run)) if sections != ["events"] else None
    for name in sections:
        parts[name] = (
            [msgspec.Raw(line) for line in store.event_lines(row.run)] if name == "events" else getattr(result, name)
        )
    return msgspec.json.encode(parts)


def _views(store: Store, row: RunRow, sections: list[str], world: World, options: Options, offers: Offers) -> None:
    from replanctl.show import events, handover, ledger, lessons, variables

    paper = world.paper(world.stdout, options.color)
    views: dict[str, Callable[[Any, SessionResult], None]] = {
        "variables": variables.view, "ledger": ledger.view, "lessons": lessons.view, "handover": handover.view,
    }  # fmt: skip
    for at, name in enumerate(sections):
        if at:
            paper.blank()
        if name == "events":
            events.view(paper, store.events(row.run))
        else:
            views[name](paper, offers.complete(store.result(row.run)))


def _screen(store: Store, row: RunRow, world: World, options: Options, offers: Offers) -> None:
    later = row.run < store.newest()
    paper = world.paper(world.stdout, options.color)
    shown = screen(paper, store.inputs(row.run), row.run, offers.whole, later=later)
    for event in store.events(row.run):
        shown.event(event)
    if row.status is RunStatus.RUNNING:
        shown.flush()
    else:
        shown.close(offers.complete(store.result(row.run)))
    if said := _NOT_ENDED.get(row.status):
        world.stderr.write(f"run {row.run} {said}\n")


_NOT_ENDED = {RunStatus.RUNNING: "is still running", RunStatus.INTERRUPTED: "was broken off here"}

VERB = Verb(HELP["show"], Options, execute)
