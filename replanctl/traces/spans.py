"""OpenTelemetry and MLflow spans: flat or in envelopes, in any order, several traces mixed."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.traces import dialects as names
from replanctl.traces.content import value_of
from replanctl.traces.dialects import DIALECTS, Marks
from replanctl.traces.span import Span, seconds, text_part
from replanctl.traces.tree import messages_in, trace_from
from replanctl.traces.trace import Kind, Trace

SETTLED = 10_000  # spans that came since a trace's last one, until it is taken to be whole


class Attributes:
    """A span's attributes by the names of `dialects`: dotted, nested, in its events, or in the body of a log."""

    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain = plain
        self._nested = any(isinstance(value, dict) for value in plain.values())

    def get(self, name: str) -> Any:
        """The value under a name; UNSET where there is none."""
        found = self.plain.get(name, UNSET)
        if found is not UNSET:
            return UNSET if found is None else found
        head, slash, tail = name.partition("/")
        if slash and head in self.plain:
            return _field(self.plain[head], tail)
        return self._walk(name) if self._nested and "." in name else UNSET

    def _walk(self, name: str) -> Any:
        value: Any = self.plain
        while name:
            if not isinstance(value, dict):
                return UNSET
            if name in value:
                return value[name]
            head, _, name = name.partition(".")
            value = value.get(head)
        return UNSET

    def first(self, wanted: Iterable[str]) -> Any:
        """The first of these names that is there."""
        return next((found for name in wanted if (found := self.get(name)) is not UNSET), UNSET)

    def marked(self, marks: Marks) -> bool:
        """Whether one of the marks is there."""
        for name, value in marks:
            found = self.get(name)
            if isinstance(found, str) and (value == "*" or found.strip('"').casefold() == value.casefold()):
                return True
        return False


def _field(value: Any, name: str) -> Any:
    if isinstance(value, str):
        value = value_of(value)
    return value.get(name, UNSET) if isinstance(value, dict) else UNSET


def _names(field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for dialect in DIALECTS for name in getattr(dialect, field)))


_ALL: dict[str, tuple[str, ...]] = {
    field: _names(field)
    for field in (
        "tool", "call_id", "args", "args_names", "result", "error_type", "error_message", "input_tokens",
        "output_tokens", "asked", "answered", "goal", "session",
    )
}  # fmt: skip
_TOOLS: Marks = tuple(mark for dialect in DIALECTS for mark in dialect.tools)
_MODELS: Marks = tuple(mark for dialect in DIALECTS for mark in dialect.models)
_MARKS: Marks = (*_TOOLS, *_MODELS, *(mark for dialect in DIALECTS for mark in dialect.others))
_MESSAGES = re.compile(r"(llm\.(?:input|output)_messages)\.(\d+)\.message\.(.+)")
_NUMBERED = re.compile(r"(tool_calls|contents)\.(\d+)\.(?:tool_call|message_content)\.(.+)")


# -- envelopes ---------------------------------------------------------------------------------------------------------


def _is_span(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in (*names.SPAN_ID, "context")) and (
        "attributes" in value or "body" in value or any(key in value for key in names.NAME)
    )


def spans_in(value: Any) -> list[tuple[dict[str, Any], str]] | None:
    """The raw spans of a value, each with the name of what recorded it; None where it holds none."""
    if isinstance(value, list):
        found = [spans_in(item) for item in value]
        return None if not found or found[0] is None else [pair for each in found for pair in each or ()]
    if not isinstance(value, dict):
        return None
    if _is_span(value):
        return [(value, _scope(value))]
    for outer in ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
        if isinstance(value.get(outer), list):
            return [pair for item in value[outer] for pair in spans_in(item) or ()]
    if isinstance(value.get("spans"), list):
        scope = _scope(value)
        return [(raw, _scope(raw) or scope) for raw in value["spans"] if isinstance(raw, dict)]
    data = value.get("data")
    return spans_in(data) if isinstance(data, dict | list) else None


def _scope(raw: dict[str, Any]) -> str:
    scope = raw.get("scope") or raw.get("instrumentationScope") or raw.get("instrumentation_scope")
    found = scope.get("name") if isinstance(scope, dict) else scope
    return found if isinstance(found, str) else ""


def is_otel(value: Any) -> bool:
    """Whether this is a span, or holds spans."""
    found = spans_in(value)
    return found is not None and (not found or _is_span(found[0][0]))


def is_mlflow(value: Any) -> bool:
    """Whether these are spans of MLflow."""
    found = spans_in(value) or []
    return any(key.startswith("mlflow.") for raw, _ in found[:5] for key in attributes_of(raw))


def attributes_of(raw: dict[str, Any]) -> dict[str, Any]:
    """A span's attributes, out of OTLP's typed pairs where they stand in such."""
    found = raw.get("attributes")
    if isinstance(found, list):
        pairs = (pair for pair in found if isinstance(pair, dict) and isinstance(pair.get("key"), str))
        return {pair["key"]: _typed(pair.get("value")) for pair in pairs}
    return found if isinstance(found, dict) else {}


def _typed(value: Any) -> Any:
    """An OTLP value: `{stringValue: …}`, `{intValue: "7"}`, lists and mappings of such."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind in ("intValue", "int_value"):
        return int(inner) if isinstance(inner, str) and re.fullmatch(r"-?\d{1,19}", inner) else inner
    if kind in ("arrayValue", "array_value"):
        return [_typed(item) for item in (inner.get("values") or [] if isinstance(inner, dict) else [])]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = inner.get("values") or [] if isinstance(inner, dict) else []
        return {pair["key"]: _typed(pair.get("value")) for pair in pairs if isinstance(pair, dict) and "key" in pair}
    return inner if kind.endswith(("Value", "_value")) else value


# -- one span ----------------------------------------------------------------------------------------------------------


def _first(raw: dict[str, Any], wanted: Iterable[str]) -> Any:
    context = raw.get("context")
    for name in wanted:
        head, dot, tail = name.partition(".")
        found = context.get(tail) if dot and head == "context" and isinstance(context, dict) else raw.get(name)
        if found is not None:
            return found
    return None


def span_of(raw: dict[str, Any], scope: str, order: int, place: str) -> tuple[str, Span]:
    """A raw span's trace id, and the span."""
    attributes = Attributes(_flattened(raw))
    kind = "tool" if attributes.marked(_TOOLS) else "model" if attributes.marked(_MODELS) else ""
    began = seconds(_first(raw, names.NANOSECONDS_BEGAN), nanoseconds=True)
    ended = seconds(_first(raw, names.NANOSECONDS_ENDED), nanoseconds=True)
    span = Span(
        id=_id(_first(raw, names.SPAN_ID)),
        parent=_id(_first(raw, names.PARENT_ID)),
        name=text_part(_first(raw, names.NAME)),
        kind=kind,
        began=began if began is not None else seconds(_first(raw, names.BEGAN)),
        ended=ended if ended is not None else seconds(_first(raw, names.ENDED)),
        order=order,
        place=place,
    )
    span.finished = span.ended is not None and span.ended != 0 or span.began is None
    span.goal = attributes.first(_ALL["goal"])
    span.goal = None if span.goal is UNSET else span.goal
    _failed(span, raw, attributes)
    if kind == "tool":
        _tool(span, attributes, scope)
    elif kind == "model":
        _model(span, attributes)
    span.raw = {**{key: value for key, value in raw.items() if key != "attributes"}, "attributes": attributes.plain}
    return _id(_first(raw, names.TRACE_ID)), span


def _tool(span: Span, attributes: Attributes, scope: str) -> None:
    named = attributes.first(_ALL["tool"])
    span.tool = text_part(_plain(named)).strip() or span.name.removeprefix("execute_tool ").strip() or "tool"
    span.call_id = text_part(attributes.first(_ALL["call_id"]))
    span.args, span.result = attributes.first(_ALL["args"]), attributes.first(_ALL["result"])
    span.args_names = _parameters(attributes.first(_ALL["args_names"]))
    dialects = [d for d in DIALECTS if attributes.marked(d.tools) or any(part in scope for part in d.scope)]
    particular = [d for d in dialects if any(part in scope for part in d.scope)] or dialects
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
    known = [int(float(c)) for c in counts if re.fullmatch(r"\d{1,12}(?:\.0+)?", str(c)) and not isinstance(c, bool)]
    span.tokens = sum(known) if known else None
    asked, answered = attributes.first(_ALL["asked"]), attributes.first(_ALL["answered"])
    span.asked = None if asked is UNSET else asked
    span.answered = None if answered is UNSET else answered


def _failed(span: Span, raw: dict[str, Any], attributes: Attributes) -> None:
    status = _first(raw, names.STATUS)
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    types = [attributes.get(name) for name in (*_ALL["error_type"], *names.ERROR_TYPES, *names.ERROR_CODES)]
    span.error_types = tuple(found for found in types if found is not UNSET)
    erring = any(attributes.get(name) is not UNSET for name in ("error.type", "exception.type"))
    span.failed = str(code).upper().removeprefix("STATUSCODE.") in names.FAILED or erring
    if not span.failed:
        return
    said = attributes.first((*_ALL["error_message"], *names.ERROR_MESSAGES))
    told = status.get("message", status.get("description")) if isinstance(status, dict) else None
    span.message = text_part(said) or text_part(told) or text_part(_first(raw, names.STATUS_MESSAGE))


def _id(value: Any) -> str:
    """An id as text; MLflow writes bytes in base64."""
    text = text_part(value)
    if text.endswith("=") and len(text) in (12, 24):
        try:
            return base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return text
    return "" if text.strip("0") == "" else text


def _flattened(raw: dict[str, Any]) -> dict[str, Any]:
    """All attributes of a span under one roof: its own, those of its events, the messages that are spread over names."""
    plain = dict(attributes_of(raw))
    for event in _first(raw, names.EVENTS) or () if isinstance(_first(raw, names.EVENTS), list) else ():
        if isinstance(event, dict):
            _add_event(plain, event)
    if isinstance(raw.get("body"), dict):
        _add_body(plain, raw["body"])
    if any(key.startswith("llm.") for key in plain):
        _gather_messages(plain)
    return plain


def _add_event(plain: dict[str, Any], event: dict[str, Any]) -> None:
    name = text_part(event.get("name") or event.get("event_name"))
    for key, value in attributes_of(event).items():
        plain.setdefault(f"@{name}/{key}", value)
    body = event.get("body")
    if isinstance(body, dict):
        _add_body(plain, body)


def _add_body(plain: dict[str, Any], body: dict[str, Any]) -> None:
    """The body of a log record: what went in and came out, and, by its form, whether a tool or a model did."""
    given, came = _last_content(body.get("input")), _last_content(body.get("output"))
    if given is None or came is None:
        return
    plain["body/input"], plain["body/output"] = given, came
    value = value_of(came)
    if not isinstance(value, dict):
        return
    if value.get("type") == "tool" or "tool_call_id" in value:
        plain["body/kind"], plain["body/tool"] = "tool", value.get("name") or ""
        plain["body/call_id"] = text_part(value.get("tool_call_id"))
    elif "generations" in value:
        plain["body/kind"], plain["body/asked"] = "model", _generations(value["generations"])


def _last_content(value: Any) -> Any:
    messages = messages_in(value) if isinstance(value, dict | list) else []
    return next((m["content"] for m in reversed(messages) if isinstance(m.get("content"), str)), None)


def _generations(value: Any) -> list[Any]:
    """The messages in a model's answer, as LangChain nests them."""
    flat = [item for each in value if isinstance(each, list) for item in each] if isinstance(value, list) else []
    found = [item.get("message") for item in flat if isinstance(item, dict)]
    return [{"role": "assistant", **message} for message in found if isinstance(message, dict)]


def _gather_messages(plain: dict[str, Any]) -> None:
    """OpenInference spreads messages over names: `llm.output_messages.0.message.tool_calls.0.tool_call.id`."""
    messages: dict[str, dict[int, dict[str, Any]]] = {}
    for key, value in plain.items():
        if (found := _MESSAGES.fullmatch(key)) is not None:
            _spread(messages.setdefault(found[1], {}).setdefault(int(found[2]), {}), found[3], value)
    for name, numbered in messages.items():
        plain[name] = [_whole_message(numbered[number]) for number in sorted(numbered)]


def _spread(message: dict[str, Any], name: str, value: Any) -> None:
    inner = _NUMBERED.fullmatch(name)
    if inner is None:
        message[name] = value
    else:
        message.setdefault(inner[1], {}).setdefault(int(inner[2]), {})[inner[3]] = value


def _whole_message(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if isinstance(calls, dict):
        message["tool_calls"] = [
            {"id": c.get("id"), "function": {"name": c.get("function.name"), "arguments": c.get("function.arguments")}}
            for _, c in sorted(calls.items())
        ]
    contents = message.pop("contents", None)
    if isinstance(contents, dict) and not message.get("content"):
        message["content"] = "\n".join(str(c["text"]) for _, c in sorted(contents.items()) if c.get("text"))
    return message


# -- traces ------------------------------------------------------------------------------------------------------------


class _Open(msgspec.Struct):
    spans: list[Span]
    last: int
    place: str


class Spans:
    """Gathers spans by trace. One is taken to be whole when its root came and no span of it for a long while."""

    def __init__(self, kind: Kind, place: str) -> None:
        self._kind, self._source = kind, place
        self._open: dict[str, _Open] = {}
        self._count = 0

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in a span, an envelope, or a list of either."""
        for raw, scope in spans_in(value) or ():
            self._count += 1
            trace_id, span = span_of(raw, scope, self._count, place)
            trace = self._open.setdefault(trace_id, _Open([], 0, place))
            trace.spans.append(span)
            trace.last = self._count
            if self._count % SETTLED == 0:
                yield from self._settled()

    def _settled(self) -> Iterator[Trace]:
        for id_, trace in list(self._open.items()):
            rooted = any(not span.parent for span in trace.spans)
            if rooted and self._count - trace.last >= SETTLED:
                del self._open[id_]
                yield self._trace(id_, trace)

    def _trace(self, id_: str, trace: _Open) -> Trace:
        return trace_from(self._kind, id_, trace.spans, trace.place)

    def close(self) -> Iterator[Trace]:
        """The traces that are still open, in the order they began."""
        for id_, trace in self._open.items():
            yield self._trace(id_, trace)


