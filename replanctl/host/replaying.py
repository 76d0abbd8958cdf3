"""A stored run once more: its events must come out byte for byte the same.

That also tells a damaged run from a bug of ours: a store may come from anywhere, with checksums that fit what was
edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from replanctl import __version__
from replanctl.errors import ReplanctlError, ReplayDivergedError
from replanctl.host.effects import EffectLog
from replanctl.host.rehearse import events_of
from replanctl.run import fold
from replanctl.store import DamagedRunError, RunRow, Store

SHOWN = 120  # characters of a value that a difference carries


class Replayed(msgspec.Struct, frozen=True):
    """A run that came out the same again, and how many events it has."""

    run: int
    events: int


def replay(store: str | Path, run: int | None = None) -> Replayed:
    """Run a stored run, else the latest, once more and compare it event by event; nothing real is asked.

    Raises ReplayDivergedError at the first event that differs, UsageError where there is no such run, StoreError where
    it can't be read.
    """
    folder = Path(store)
    with Store.open(folder) as kept:
        row = kept.latest() if run is None else kept.run(run)
        with sound(folder, row.run):
            return Replayed(row.run, _compare(kept, row))


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


@contextmanager
def sound(folder: Path, run: int) -> Iterator[None]:
    """Turn errors over a stored run into DamagedRunError, unless the run comes out as it was stored.

    Raises DamagedRunError where it does not; a bug of ours goes on as it is.
    """
    try:
        yield
    except ReplanctlError:
        raise
    except Exception as error:
        if _comes_out_the_same(folder, run):
            raise
        raise DamagedRunError(run, folder, "what it holds makes no session") from error


def _comes_out_the_same(folder: Path, run: int) -> bool:
    encode = msgspec.json.Encoder().encode
    try:
        with Store.open(folder) as store:
            again = map(encode, events_of(store.inputs(run), EffectLog(store.effects(run))))
            document = store.document(run)
            told = document is None or document == encode(fold(store.events(run), run))
            return told and all(line == next(again, None) for line in store.event_lines(run))
    except Exception:  # whatever is in it
        return False
