"""Every event of a run, one line each: when, in which version, what, and its facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from replanctl.run import Event
from replanctl.show.paper import Paper, Span
from replanctl.show.words import compact, seconds

_BARE = re.compile(r"[\w.@+-]+")
_FRAME = frozenset({"type", "seq", "at", "version"})
_STYLES = {
    "plan.commit": "version",
    "plan.rejected": "failed",
    "signal": "failed",
    "route": "strong",
    "goal.changed": "notice",
    "session.start": "title",
    "session.complete": "title",
}


def view(paper: Paper, events: Iterable[Event]) -> None:
    """Write the events; what does not fit on a line is cut (the JSON lines hold it all)."""
    paper.hold()
    for event in events:
        kind = str(event.__struct_config__.tag)
        head = f"{event.seq:>5} {seconds(event.at):>7} {event.version:<4} "
        room = max(paper.width - len(head) - 18, 0)
        paper.line(Span(head, "dim"), Span(f"{kind:<16}", _STYLES.get(kind, "")), "  " + paper.cut(facts(event), room))
    paper.flush()


def facts(event: Event) -> str:
    """An event's own fields that say something, as `name=value`."""
    fields: dict[str, Any] = {name: getattr(event, name) for name in event.__struct_fields__ if name not in _FRAME}
    # What is empty says nothing, and most fields of most events are.
    said = {name.rstrip("_"): value for name, value in fields.items() if value not in (None, (), {}, "")}
    return " ".join(f"{name}={_value(value)}" for name, value in said.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) and _BARE.fullmatch(value) else compact(value)
