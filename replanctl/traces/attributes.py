"""Span files: flat lists, OTLP's envelopes, exports of platforms; and all that a span in them says.

A span's attributes, its events and the bodies of its logs are read under the names that `dialects` lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from replanctl.traces import dialects as names
from replanctl.traces import spread
from replanctl.traces.content import value_of
from replanctl.traces.dialects import Marks
from replanctl.traces.span import text_part


def first_of(raw: dict[str, Any], wanted: Iterable[str]) -> Any:
    """What a raw span has under the first of these names that is there; None where none is."""
    context = raw.get("context")
    for name in wanted:
        head, dot, tail = name.partition(".")
        found = context.get(tail) if dot and head == "context" and isinstance(context, dict) else raw.get(name)
        if found is not None:
            return found
    return None


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and any(key in value for key in (*names.SPAN_ID, "context"))
        and any(key in value for key in (*names.ATTRIBUTES, "body", *names.NAME))
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
    found = next((raw[name] for name in names.ATTRIBUTES if raw.get(name) is not None), None)
    if found is None:  # a table's columns
        start = names.ATTRIBUTE_COLUMN
        return {key.removeprefix(start): value for key, value in raw.items() if key.startswith(start)}
    if isinstance(found, list):
        pairs = (pair for pair in found if isinstance(pair, dict) and isinstance(pair.get("key"), str))
        return {pair["key"]: _typed(pair.get("value")) for pair in pairs}
    return found if isinstance(found, dict) else {}


def _typed(value: Any) -> Any:
    """An OTLP value: `{stringValue: …}`, `{intValue: "7"}`, lists and mappings of such; `{}` is null."""
    if not isinstance(value, dict) or len(value) != 1:
        return None if value == {} else value
    kind, inner = next(iter(value.items()))
    if kind in ("intValue", "int_value"):
        return int(inner) if isinstance(inner, str) and re.fullmatch(r"-?\d{1,19}", inner) else inner
    if kind in ("arrayValue", "array_value"):
        return [_typed(item) for item in _values(inner)]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = (pair for pair in _values(inner) if isinstance(pair, dict) and isinstance(pair.get("key"), str))
        return {pair["key"]: _typed(pair.get("value")) for pair in pairs}
    return inner if kind.endswith(("Value", "_value")) else value


def _values(inner: Any) -> list[Any]:
    found = inner.get("values") if isinstance(inner, dict) else None
    return found if isinstance(found, list) else []


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
        """The value under the first of these names that the span has; UNSET where it has none of them."""
        return next((found for name in wanted if (found := self.get(name)) is not UNSET), UNSET)

    def marked(self, marks: Marks) -> bool:
        """Whether the span has one of these attributes with the value that goes with it."""
        for name, value in marks:
            found = self.get(name)
            if isinstance(found, str) and (value == "*" or found.strip('"').casefold() == value.casefold()):
                return True
        return False


def _field(value: Any, name: str) -> Any:
    if isinstance(value, str):
        value = value_of(value)
    return value.get(name, UNSET) if isinstance(value, dict) else UNSET


def flattened(raw: dict[str, Any]) -> dict[str, Any]:
    """One mapping of all a span says: its attributes, those of its events, and messages spread over many names."""
    plain = dict(attributes_of(raw))
    for event in _events(raw):
        if isinstance(event, dict):
            _add_event(plain, event)
    if isinstance(raw.get("body"), dict):
        spread.add_body(plain, raw["body"])
    spread.gather(plain)
    return plain


def _add_event(plain: dict[str, Any], event: dict[str, Any]) -> None:
    name = text_part(event.get("name") or event.get("event_name"))
    told = attributes_of(event)
    for key, value in told.items():
        plain.setdefault(f"@{name}/{key}", value)
    spread.add_event(plain, name, told)
    body = event.get("body")
    if isinstance(body, dict):
        spread.add_body(plain, body)


def _events(raw: dict[str, Any]) -> list[Any]:
    found = first_of(raw, names.EVENTS)
    return found if isinstance(found, list) else []
