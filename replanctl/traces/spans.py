"""OpenTelemetry and MLflow spans: flat or in envelopes, in any order, several traces mixed."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from replanctl.traces import dialects as names
from replanctl.traces.attributes import Attributes, first_of, flattened, spans_in
from replanctl.traces.content import value_of
from replanctl.traces.dialects import DIALECTS, Marks
from replanctl.traces.gathering import Gathering
from replanctl.traces.span import Span, seconds, text_part
from replanctl.traces.trace import Kind, Trace


def _names(field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for dialect in DIALECTS for name in getattr(dialect, field)))


# Not one dialect a span: instruments are stacked, and one span carries the names of several. So each fact is looked for
# under all names that any dialect has for it, in the order of `DIALECTS`, the particular before the general.
_ALL: dict[str, tuple[str, ...]] = {
    field: _names(field)
    for field in (
        "tool", "call_id", "args", "args_names", "result", "error_type", "error_message", "input_tokens",
        "output_tokens", "asked", "answered", "goal", "trace",
    )
}  # fmt: skip
_TOOLS: Marks = tuple(mark for dialect in DIALECTS for mark in dialect.tools)
_MODELS: Marks = tuple(mark for dialect in DIALECTS for mark in dialect.models)
_MARKS: Marks = (*_TOOLS, *_MODELS, *(mark for dialect in DIALECTS for mark in dialect.others))


def span_of(raw: dict[str, Any], scope: str, order: int, place: str) -> tuple[str, Span]:
    """A raw span's trace id, and the span."""
    attributes = Attributes(flattened(raw))
    kind = "tool" if attributes.marked(_TOOLS) else "model" if attributes.marked(_MODELS) else ""
    began = seconds(first_of(raw, names.NANOSECONDS_BEGAN), nanoseconds=True)
    ended = seconds(first_of(raw, names.NANOSECONDS_ENDED), nanoseconds=True)
    span = Span(
        id=_id(first_of(raw, names.SPAN_ID)),
        parent=_id(first_of(raw, names.PARENT_ID)),
        name=text_part(first_of(raw, names.NAME)),
        kind=kind,
        began=began if began is not None else seconds(first_of(raw, names.BEGAN)),
        ended=ended if ended is not None else seconds(first_of(raw, names.ENDED)),
        order=order,
        place=place,
    )
    if span.began is None:
        # A log record has a place in the order, and took no time of its own.
        span.began = span.ended = seconds(first_of(raw, names.NANOSECONDS_LOGGED), nanoseconds=True)
        span.untimed = span.began is not None
    if span.ended is None and span.began is not None:
        span.ended = _after(span.began, first_of(raw, names.DURATION))
    # A span without a beginning has no times at all, and says nothing about whether it ended; one with a beginning and
    # no end was cut off.
    span.finished = (span.ended is not None and span.ended != 0) or span.began is None
    span.goal = attributes.first(_ALL["goal"])
    span.goal = None if span.goal is UNSET else span.goal
    _failed(span, raw, attributes)
    if kind == "tool":
        _tool(span, attributes, scope)
    elif kind == "model":
        _model(span, attributes)
    span.raw = {**{key: value for key, value in raw.items() if key != "attributes"}, "attributes": attributes.plain}
    own = _plain(attributes.first(_ALL["trace"]))
    return (own if isinstance(own, str) else _id(first_of(raw, names.TRACE_ID))), span


def _after(began: float, microseconds: Any) -> float | None:
    known = isinstance(microseconds, int | float) and 0 <= microseconds < 1e15
    return began + microseconds / 1e6 if known else None


def _tool(span: Span, attributes: Attributes, scope: str) -> None:
    named = attributes.first(_ALL["tool"])
    span.tool = text_part(_plain(named)).strip() or span.name.removeprefix("execute_tool ").strip() or "tool"
    span.call_id = text_part(attributes.first(_ALL["call_id"]))
    span.args, span.result = attributes.first(_ALL["args"]), attributes.first(_ALL["result"])
    span.args_names = _parameters(attributes.first(_ALL["args_names"]))
    dialects = [d for d in DIALECTS if attributes.marked(d.tools) or any(part in scope for part in d.scope)]
    # Which setting would have recorded what is missing depends on the instrument, and its scope names it more surely
    # than an attribute that several write.
    # Scopes of the general contain those of the particular, which stands first in the list.
    particular = [d for d in dialects if any(part in scope for part in d.scope)][:1] or dialects
    span.hints = tuple(hint for d in particular for hint in (d.args_on, d.results_on) if hint)


def _plain(value: Any) -> Any:
    """A name without the quotes that text of JSON has."""
    return value.strip('"') if isinstance(value, str) else value


def _parameters(value: Any) -> tuple[str, ...]:
    """The names of a tool's parameters, in their order, from its schema."""
    found = value_of(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        return ()
    inner = found.get("properties")
    return tuple(inner if isinstance(inner, dict) else found)


def _model(span: Span, attributes: Attributes) -> None:
    counts = [attributes.first(_ALL[name]) for name in ("input_tokens", "output_tokens")]
    # Counts come as numbers, as texts and as floats (`12.0`), by exporter.
    known = [int(float(c)) for c in counts if re.fullmatch(r"\d{1,12}(?:\.0+)?", str(c)) and not isinstance(c, bool)]
    span.tokens = sum(known) if known else None
    asked, answered = attributes.first(_ALL["asked"]), attributes.first(_ALL["answered"])
    span.asked = None if asked is UNSET else asked
    span.answered = None if answered is UNSET else answered


def _failed(span: Span, raw: dict[str, Any], attributes: Attributes) -> None:
    status = first_of(raw, names.STATUS)
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    types = [attributes.get(name) for name in (*_ALL["error_type"], *names.ERROR_TYPES, *names.ERROR_CODES)]
    span.error_types = tuple(found for found in types if found is not UNSET)
    erring = any(attributes.get(name) is not UNSET for name in ("error.type", "exception.type"))
    marked = attributes.marked(names.FAILED_MARKS)
    span.failed = str(code).upper().removeprefix("STATUSCODE.") in names.FAILED or erring or marked
    if not span.failed:
        return
    said = attributes.first((*_ALL["error_message"], *names.ERROR_MESSAGES))
    told = status.get("message", status.get("description")) if isinstance(status, dict) else None
    span.message = text_part(said) or text_part(told) or text_part(first_of(raw, names.STATUS_MESSAGE))


def _id(value: Any) -> str:
    """An id as text; MLflow writes bytes in base64."""
    text = text_part(value)
    if text.endswith("=") and len(text) in (12, 24):
        try:
            return base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return text
    return "" if text.strip("0") == "" else text


class Spans:
    """Reads spans, envelopes of them, and lists of either."""

    def __init__(self, kind: Kind, place: str) -> None:
        self._gathering = Gathering(kind)

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in a span, an envelope, or a list of either."""
        for raw, scope in spans_in(value) or ():
            trace_id, span = span_of(raw, scope, self._gathering.count, place)
            yield from self._gathering.add(trace_id, [span], place)

    def close(self) -> Iterator[Trace]:
        """The traces that are still open."""
        yield from self._gathering.close()
