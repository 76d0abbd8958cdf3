"""Where an imported rehearsal came from, and how the recording ended: what `recorded:` says in a plan file."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files.faults import At
from replanctl.files.reader import read
from replanctl.files.shapes import MOST, Fields, boolean, choice, list_of, made_of, optional, record, text, whole


class End(StrEnum):
    """How a recording ended, as far as it says."""

    COMPLETED = "completed"
    FAILED = "failed"


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """One recorded run. `end` and `solved` are None where the recording does not say.

    `calls` counts the tool calls it made, `bound` the values of args that became references; `missing` names what the
    recording did not hold.
    """

    source: str = ""
    kind: str = ""
    id: str = ""
    end: End | None = None
    solved: bool | None = None
    calls: int = 0
    bound: int = 0
    missing: tuple[str, ...] = ()


_FIELDS: Fields = {
    "source": text,
    "kind": text,
    "id": text,
    "end": optional(choice(End)),
    "solved": optional(boolean),
    "calls": whole(0, MOST),
    "bound": whole(0, MOST),
    "missing": list_of(text),
}

_recorded = record(Recorded, _FIELDS, what="where a recording came from and how it ended")


@made_of("optional", _recorded)
def recorded(value: Any, at: At) -> Any:
    """Where an imported rehearsal came from; null where it was not imported."""
    return UNSET if value is None else _recorded(value, at)


def recorded_in(name: str, text: str) -> Recorded | None:
    """What a plan file's text says of the recording it was made of; None where it says nothing."""
    # Most files are no imports; to look for the word is cheaper than to read the file.
    if "recorded" not in text:
        return None
    document = read(name, text)
    if not document.has("recorded"):
        return None
    found = document.made(lambda value, at: recorded(value["recorded"], at["recorded"]))
    return found if isinstance(found, Recorded) else None
