"""What we take for OTLP is OTLP: spans as its own schema writes them as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.traces.making import args_of, loaded, one

trace_pb2 = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
json_format = pytest.importorskip("google.protobuf.json_format")

BEGAN = 1_700_000_000_000_000_000


def span(spans: Any, number: int, attributes: dict[str, Any], *, error: str = "") -> None:
    made = spans.add(
        trace_id=bytes([7] * 16),
        span_id=bytes([0] * 7 + [number]),
        parent_span_id=b"" if number == 1 else bytes([0] * 7 + [1]),
        name=f"span {number}",
        start_time_unix_nano=BEGAN + number * 10**9,
        end_time_unix_nano=BEGAN + number * 10**9 + 250_000_000,
    )
    for key, value in attributes.items():
        pair = made.attributes.add(key=key)
        if isinstance(value, dict):
            for name, inner in value.items():
                pair.value.kvlist_value.values.add(key=name).value.int_value = inner
        elif isinstance(value, int):
            pair.value.int_value = value
        else:
            pair.value.string_value = value
    if error:
        made.status.code = trace_pb2.Status.STATUS_CODE_ERROR
        made.status.message = error


@pytest.mark.parametrize("names", [True, False], ids=["fields as in the schema", "fields as in JSON"])
def test_spans_of_the_schema(names: bool) -> None:
    data = trace_pb2.TracesData()
    spans = data.resource_spans.add().scope_spans.add().spans
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}
    span(spans, 1, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 90, "gen_ai.usage.output_tokens": 10})
    span(spans, 2, {**tool, "gen_ai.tool.call.arguments": {"cents": 4200}, "error.type": "503"}, error="busy")
    span(spans, 3, {**tool, "gen_ai.tool.call.arguments": {"cents": 4200}, "gen_ai.tool.call.result": '{"id": "P-1"}'})
    found = one(json_format.MessageToDict(data, preserving_proto_field_name=names))
    assert (found.report.id, found.report.faithful) == ("07" * 16, True)
    assert args_of(found, 1) == {"cents": 4200}
    (rule,) = loaded(found).outcomes
    assert [(entry.status, entry.latency, entry.tokens, entry.message) for entry in rule.returns] == [
        ("unavailable", 0.25, 50, "busy"),
        ("ok", 0.25, 50, ""),
    ]
    assert rule.returns[1].value == {"id": "P-1"}
