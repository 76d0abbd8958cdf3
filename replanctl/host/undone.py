"""What a run that was taken up again had come to before: its stored events no longer say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from replanctl.errors import ReplanctlError
from replanctl.host.effects import EffectLog
from replanctl.host.rehearse import events_of
from replanctl.run import Event
from replanctl.store import Inputs

Effects = Sequence[tuple[int, str, Any]]


def undone(inputs: Inputs, stored: Sequence[Event], effects: Effects = ()) -> Iterator[Event]:
    """For each time that a run was taken up again: the event in whose place it went on otherwise.

    It is found by running the session again as it was before, on what was recorded of real tools; one that can't be run
    again tells nothing.
    """
    for number in range(len(inputs.amendments)):
        before = msgspec.structs.replace(inputs, amendments=inputs.amendments[:number])
        try:
            event = _first_other(events_of(before, EffectLog(effects)), stored)
        except ReplanctlError:
            continue
        if event is not None:
            yield event


def _first_other(again: Iterator[Event], stored: Sequence[Event]) -> Event | None:
    encode = msgspec.json.Encoder().encode
    for event, kept in zip(again, stored, strict=False):
        if encode(event) != encode(kept):
            return event
    return next(again, None)
