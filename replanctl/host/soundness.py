"""Telling a damaged run from a bug of ours: a store may come from anywhere, with checksums that fit what was edited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from replanctl.errors import ReplanctlError
from replanctl.host.effects import EffectLog
from replanctl.host.rehearse import events_of
from replanctl.run import fold
from replanctl.store import DamagedRunError, Store


@contextmanager
def sound(folder: Path, run: int) -> Iterator[None]:
    """What goes wrong over a stored run inside is the store's fault, unless the run comes out as it was stored.

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
