"""Which kind of recording something is, found from its content, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import msgspec

from replanctl.traces import attributes, magentic, messages, ours, platforms, rewoo, spans
from replanctl.traces.reading import Item
from replanctl.traces.trace import Kind, Refused, Trace


class TraceReader(Protocol):
    """Makes traces of the values of one kind. Values may be parts of traces: what is open is told at `close`."""

    def feed(self, value: Any, place: str) -> Iterator[Trace | Refused]:
        """Take in a value."""
        ...

    def close(self) -> Iterator[Trace | Refused]:
        """What is still open."""
        ...


class _Row(msgspec.Struct, frozen=True):
    kind: Kind
    recognises: Callable[[Any], bool]
    reader: Callable[[str], TraceReader]


def _records(table: platforms.Table) -> _Row:
    return _Row(table.kind, table.recognises, lambda place: platforms.Records(table, place))


# The first that recognises a value reads it: what is particular comes before what is general.
_KINDS: tuple[_Row, ...] = (
    _Row(Kind.RUN, ours.is_ours, ours.Ours),
    _Row(Kind.MAGENTIC, magentic.is_log, magentic.Magentic),
    _records(platforms.OPENAI_AGENTS),
    _records(platforms.LANGSMITH),
    _records(platforms.LANGFUSE),
    _Row(Kind.MLFLOW, attributes.is_mlflow, lambda place: spans.Spans(Kind.MLFLOW, place)),
    _Row(Kind.OTEL, attributes.is_otel, lambda place: spans.Spans(Kind.OTEL, place)),
    _Row(Kind.MESSAGES, messages.holds_messages, messages.Messages),
    _Row(Kind.REWOO, lambda value: rewoo.is_plan(rewoo.text_in(value)), rewoo.Rewoo),
)
# Lists of runs under a key of their own.
_WRAPPERS = ("runs", "traces", "data", "results", "trajectories", "items", "logs", "samples", "conversations")


class Readers:
    """Reads values of any kind, or of the one that is given; every kind has one reader, opened when it is needed."""

    def __init__(self, kind: Kind | None, source: str) -> None:
        self._kind = kind
        self._source = source
        self._open: dict[Kind, TraceReader] = {}

    def traces(self, items: Iterable[Item | Refused]) -> Iterator[Trace | Refused]:
        """The traces that these values make, as soon as each is whole."""
        for item in items:
            if isinstance(item, Refused):
                yield item
            elif item.text is not None:
                yield from self._text(item.text, item.place)
            else:
                yield from self._value(item.value, item.place, 0)
        for reader in self._open.values():
            yield from reader.close()

    def _text(self, text: str, place: str) -> Iterator[Trace | Refused]:
        if self._kind in (None, Kind.REWOO) and rewoo.is_plan(text):
            yield from self._reader(Kind.REWOO).feed(text, place)
        else:
            yield Refused(place, *_strange_text(text))

    def _value(self, value: Any, place: str, depth: int) -> Iterator[Trace | Refused]:
        row = _row_of(value, self._kind)
        if row is not None:
            yield from self._reader(row.kind).feed(value, place)
        # A file that nests lists for ever is given up soon.
        elif depth < 3 and (inner := _inside(value)) is not None:
            for number, item in enumerate(inner):
                yield from self._value(item, f"{place}[{number}]", depth + 1)
        else:
            yield Refused(place, *_strange_value(value, self._kind))

    def _reader(self, kind: Kind) -> TraceReader:
        # One reader a kind for the whole source: spans of one trace may be spread over all its lines.
        if kind not in self._open:
            self._open[kind] = next(row for row in _KINDS if row.kind is kind).reader(self._source)
        return self._open[kind]


def _row_of(value: Any, kind: Kind | None) -> _Row | None:
    return next((row for row in _KINDS if (kind is None or row.kind is kind) and row.recognises(value)), None)


def _inside(value: Any) -> list[Any] | None:
    """The runs of a list, or of a mapping that holds one."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    found = (value[key] for key in _WRAPPERS if isinstance(value.get(key), list))
    return next(found, None)


def _strange_text(text: str) -> tuple[str, str]:
    """What a text that is no recording looks like, and the way out."""
    if "goal:" in text and "steps:" in text:
        return "it looks like a plan of ours, not like a recording", "replanctl run reads plans"
    hint = f"one of {', '.join(Kind)}; all but rewoo are JSON"
    head = " ".join(text[:200].split())[:60]
    return f"it is no recording that is known: it begins with {head!r}", hint


def _strange_value(value: Any, kind: Kind | None) -> tuple[str, str]:
    """What a value that is no recording looks like, and the way out."""
    if isinstance(value, dict) and {"goal", "steps"} <= value.keys():
        return "it looks like a plan of ours, not like a recording", "replanctl run reads plans"
    if kind is not None and (row := _row_of(value, None)) is not None:
        return f"it does not look like {kind}, but like {row.kind}", f"leave --from out, or say --from {row.kind}"
    if isinstance(value, dict):
        keys = ", ".join(list(map(str, value))[:6]) or "no keys"
        return f"it is no recording that is known: a mapping with {keys}", f"one of {', '.join(Kind)}"
    return f"it is no recording that is known: {type(value).__name__}", f"one of {', '.join(Kind)}"
