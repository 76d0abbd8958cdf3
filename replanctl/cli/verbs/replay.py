"""`replay`: a stored run once more; its events must come out byte for byte the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated

import msgspec

from replanctl.cli.effects import EffectLog
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.rehearse import rerun
from replanctl.cli.values import positive
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError
from replanctl.store import RunRow, Store


class Options(Shared, frozen=True, kw_only=True):
    """What `replay` takes."""

    run: Annotated[int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True)] = None


def execute(options: Options, world: World) -> int:
    """Compare event by event. Raises ReplayDivergedError at the first that differs."""
    with Store.open(world.store_folder(options.store)) as store:
        row = store.latest() if options.run is None else store.run(options.run)
        count = 0
        for stored, again in _pairs(store, row):
            if stored is None and row.reason is None:  # a run that was broken off: all there is came out the same
                break
            if stored != again:
                raise ReplayDivergedError(_difference(row.run, count, stored, again))
            count += 1
    if not options.quiet:
        world.stdout.write(f"run {row.run}: {count} events, byte for byte the same\n")
    return 0


def _pairs(store: Store, row: RunRow) -> Iterator[tuple[bytes | None, bytes | None]]:
    encode = msgspec.json.Encoder().encode
    again = map(encode, rerun(store.inputs(row.run), EffectLog(store.effects(row.run))))
    return zip_longest(store.event_lines(row.run), again)


def _difference(run: int, seq: int, stored: bytes | None, again: bytes | None) -> str:
    """Which event differs, and in what."""
    return f"run {run} diverges at event {seq}: stored {_short(stored)}, now {_short(again)}"


def _short(line: bytes | None) -> str:
    return "nothing" if line is None else line.decode()[:160]


VERB = Verb("Run a stored run once more and compare.", Options, execute)
