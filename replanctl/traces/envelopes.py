"""Span files: flat lists, OTLP's envelopes, exports of platforms. What a value holds of them, and their attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from replanctl.traces import dialects as names


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
        and ("attributes" in value or "body" in value or any(key in value for key in names.NAME))
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
        return [_typed(item) for item in _values(inner)]
    if kind in ("kvlistValue", "kvlist_value"):
        pairs = (pair for pair in _values(inner) if isinstance(pair, dict) and isinstance(pair.get("key"), str))
        return {pair["key"]: _typed(pair.get("value")) for pair in pairs}
    return inner if kind.endswith(("Value", "_value")) else value


def _values(inner: Any) -> list[Any]:
    found = inner.get("values") if isinstance(inner, dict) else None
    return found if isinstance(found, list) else []
