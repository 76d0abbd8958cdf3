"""Where a rehearsal came from, in one line."""

from __future__ import annotations

from typing import Protocol


class Recording(Protocol):
    """What is told of a recorded run."""

    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def end(self) -> str | None: ...
    @property
    def solved(self) -> bool | None: ...
    @property
    def calls(self) -> int: ...


def recorded_in_words(recording: Recording) -> str:
    """`recorded run 003 (messages, airline.jsonl.gz): 18 calls, completed, not solved`."""
    where = ", ".join(part for part in (recording.kind, recording.source) if part)
    told = [f"{recording.calls} call{'s' * (recording.calls != 1)}", *([recording.end] if recording.end else [])]
    told += ["solved" if recording.solved else "not solved"] if recording.solved is not None else []
    name = f" {recording.id}" if recording.id else ""
    return f"recorded run{name}{f' ({where})' if where else ''}: {', '.join(told)}"
