"""Spans of many traces, mixed: each waits until its trace is whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from replanctl.traces.span import Span
from replanctl.traces.trace import Kind, Trace
from replanctl.traces.tree import trace_from

# Spans arrive as they end, children before their parents and traces mixed, and no format says which is a trace's last.
# Waiting for the end of the file would hold every trace of it in memory: a trace whose root is there is told once so
# many others went by.
SETTLED = 10_000  # spans that came since a trace's last one, until it is taken to be whole


class _Open(msgspec.Struct):
    place: str
    spans: list[Span] = []
    last: int = 0


class Gathering:
    """The traces of one kind that are open. One is taken to be whole when its root came, and none of it for long.

    Spans that name no trace belong to the one of their parent.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._open: dict[str, _Open] = {}
        self.count = 0

    def __contains__(self, trace_id: str) -> bool:
        return trace_id in self._open

    def add(self, trace_id: str, spans: Iterable[Span], place: str) -> Iterator[Trace]:
        """Take spans in; the traces that are whole by now."""
        trace = self._open.setdefault(trace_id, _Open(place))
        for span in spans:
            self.count += 1
            trace.spans.append(span)
            trace.last = self.count
            if self.count % SETTLED == 0:
                yield from self._settled()

    def _settled(self) -> Iterator[Trace]:
        for id_, trace in list(self._open.items()):
            rooted = any(not span.parent for span in trace.spans)
            if id_ and rooted and self.count - trace.last >= SETTLED:
                del self._open[id_]
                yield self._trace(id_, trace)

    def _trace(self, id_: str, trace: _Open) -> Trace:
        return trace_from(self._kind, id_, trace.spans, trace.place)

    def close(self) -> Iterator[Trace]:
        """The traces that are still open, in the order they began."""
        self._adopt()
        for id_, trace in self._open.items():
            yield self._trace(id_, trace)

    def _adopt(self) -> None:
        """Spans without a trace go to their parents', those whose parent is unknown stay together."""
        loose = self._open.pop("", None)
        if loose is None:
            return
        home = {span.id: id_ for id_, trace in self._open.items() for span in trace.spans if span.id}
        parents = {span.id: span.parent for span in loose.spans}
        for span in loose.spans:
            # Parents may name each other in a circle in a broken export.
            parent, seen = span.parent, {span.id}
            while parent not in home and parent in parents and parent not in seen:
                seen.add(parent)
                parent = parents[parent]
            self._open.setdefault(home.get(parent, ""), _Open(loose.place)).spans.append(span)
