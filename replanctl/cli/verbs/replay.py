"""`replay`: a stored run once more; its events must come out byte for byte the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from replanctl import __version__
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.values import positive
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError
from replanctl.host import EffectLog, events_of
from replanctl.store import RunRow, Store

SHOWN = 120  # characters of a value that a difference carries


class Options(Shared, frozen=True, kw_only=True):
    """What `replay` takes."""

    run: Annotated[int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True)] = None


def execute(options: Options, world: World) -> int:
    """Compare event by event. Raises ReplayDivergedError at the first that differs."""
    with Store.open(world.store_folder(options.store)) as store:
        row = store.latest() if options.run is None else store.run(options.run)
        count = _compare(store, row)
    if not options.quiet:
        world.stdout.write(f"run {row.run}: {count} events, byte for byte the same\n")
    return 0


def _compare(store: Store, row: RunRow) -> int:
    """How many events came out the same: all of them, or as far as a run came that was broken off."""
    inputs = store.inputs(row.run)
    again = _encoded(events_of(inputs, EffectLog(store.effects(row.run))))
    count = 0
    for stored in store.event_lines(row.run):
        if (now := next(again, None)) != stored:
            raise _diverged(row.run, inputs.made_by, count, stored, now)
        count += 1
    if row.reason is not None and (more := next(again, None)) is not None:
        raise _diverged(row.run, inputs.made_by, count, None, more)
    return count


def _encoded(events: Iterator[Any]) -> Iterator[bytes]:
    return map(msgspec.json.Encoder().encode, events)


def _diverged(run: int, made_by: str, seq: int, stored: bytes | None, now: bytes | None) -> ReplayDivergedError:
    hint = f"the run was made by replanctl {made_by}, this is {__version__}" if made_by != __version__ else ""
    return ReplayDivergedError(f"run {run} diverges at event {seq}: {_difference(stored, now)}", hint=hint)


def _difference(stored: bytes | None, now: bytes | None) -> str:
    """In what an event differs from itself: field by field where both are of one type."""
    before, after = _fields(stored), _fields(now)
    if before.get("type") != after.get("type"):
        return f"stored {_short(before.get('type', before))}, now {_short(after.get('type', after))}"
    differing = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    told = "; ".join(f"{name} stored {_short(before.get(name))}, now {_short(after.get(name))}" for name in differing)
    return f"{after.get('type')}: {told or 'the same values, written otherwise'}"


def _fields(line: bytes | None) -> dict[str, Any]:
    if line is None:
        return {"type": "nothing"}
    try:
        fields = msgspec.json.decode(line)
    except ValueError:
        fields = None
    return fields if isinstance(fields, dict) else {"type": "what is no event"}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


VERB = Verb("Run a stored run once more and compare.", Options, execute)
