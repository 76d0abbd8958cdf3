"""The same two calls in the shapes that providers and instruments write them in: one must come out of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.traces.making import loaded, one, steps_of

# What each shape says: a user asks, `find` is called and answers, the agent says so.
ASKED = "Where is order AB-17?"
ARGS = {"order": "AB-17", "deep": [True, None, 2.5]}
TEXT = json.dumps(ARGS)
CAME = {"at": "the depot", "days": 3}


def blocks(*parts: Any) -> str:
    return json.dumps(parts)


def span(id_: str, began: int, attributes: dict[str, Any], *events: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    told = [{"name": name, "attributes": fields} for name, fields in events]
    times = {"start_time": began * 10**9, "end_time": (began + 1) * 10**9}
    return {"trace_id": "t", "span_id": id_, "name": id_, **times, "attributes": attributes, "events": told}


def logged(id_: str, given: list[Any], came: list[Any], at: int) -> dict[str, Any]:
    body = {"input": {"messages": given}, "output": {"messages": came}}
    return {"traceId": "t", "spanId": id_, "timeUnixNano": at, "body": body}


CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": TEXT}}
USER = {"role": "user", "content": ASKED}
DONE = {"role": "assistant", "content": "At the depot."}
CHAT = {"gen_ai.operation.name": "chat"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
DETAILS = "gen_ai.client.inference.operation.details"
ASK_PART = {"functionCall": {"name": "find", "args": ARGS}}
SAID_LOG = {"role": "user", "content": {"content": blocks({"text": ASKED})}}


def openllmetry() -> list[dict[str, Any]]:
    """OpenLLMetry numbers the messages in the names of attributes."""
    request = {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": ASKED}
    call = {"id": "c1", "name": "find", "arguments": TEXT}
    ask = {f"gen_ai.completion.0.tool_calls.0.{key}": value for key, value in call.items()}
    told = {f"gen_ai.prompt.1.tool_calls.0.{key}": value for key, value in call.items()}
    answer = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(CAME)}
    heard = {f"gen_ai.prompt.2.{key}": value for key, value in answer.items()}
    roles = {"gen_ai.prompt.1.role": "assistant", "gen_ai.completion.0.role": "assistant"}
    end = {"gen_ai.completion.0.content": "At the depot."}
    return [
        span("m1", 1, {**request, "gen_ai.completion.0.role": "assistant", **ask}),
        span("m2", 3, {**request, **roles, **told, **heard, **end}),
    ]


def told_as_events() -> list[dict[str, Any]]:
    """The GenAI conventions up to 1.36: every message is an event of the model's span."""
    user, ask = ("gen_ai.user.message", {"content": ASKED}), {"tool_calls": [CALL]}
    given = ("gen_ai.assistant.message", {"tool_calls": json.dumps([CALL])})
    tool = ("gen_ai.tool.message", {"id": "c1", "content": json.dumps(CAME)})
    return [
        span("m1", 1, CHAT, user, ("gen_ai.choice", {"message": json.dumps(ask)})),
        span("m2", 3, CHAT, user, given, tool, ("gen_ai.choice", {"message": json.dumps(DONE)})),
    ]


def adk() -> list[dict[str, Any]]:
    """Google ADK without spans of tools: what the model was asked, and what it answered."""
    user = {"role": "user", "parts": [{"text": ASKED}]}
    ask = {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "find", "args": ARGS}}]}
    came = {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "find", "response": CAME}}]}
    end = {"role": "model", "parts": [{"text": "At the depot."}]}

    def asked(contents: list[Any], content: Any) -> dict[str, Any]:
        about = {"llm_request": {"contents": contents}, "llm_response": {"content": content}}
        return {f"gcp.vertex.agent.{key}": json.dumps(value) for key, value in about.items()}

    return [span("m1", 1, asked([user], ask)), span("m2", 3, asked([user, ask, came], end))]


def strands_logs() -> list[dict[str, Any]]:
    """Strands' own log records, the later one first: contents are mappings with blocks as text."""
    use = {"toolUse": {"toolUseId": "c1", "name": "find", "input": ARGS}}
    result = {"toolResult": {"toolUseId": "c1", "content": [{"json": CAME}]}}
    ask = {"role": "assistant", "content": {"message": blocks(use), "finish_reason": "tool_use"}}
    came = {"role": "tool", "content": {"content": blocks(result)}}
    end = {"role": "assistant", "content": {"message": blocks({"text": "At the depot."})}}
    return [logged("m2", [SAID_LOG, came], [end], 2000), logged("m1", [SAID_LOG], [ask], 1000)]


def typed(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


SHAPES: dict[str, Any] = {
    "langchain's messages_to_dict": {
        "messages": [
            typed("human", content=ASKED),
            typed("ai", content="", tool_calls=[{"id": "c1", "name": "find", "args": ARGS}]),
            typed("tool", content=json.dumps(CAME), tool_call_id="c1"),
            typed("ai", content="At the depot."),
        ]
    },
    "vercel's labelled answers": {
        "messages": [
            USER,
            {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "find", "input": ARGS}],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "find",
                        "output": {"type": "json", "value": CAME},
                    }
                ],
            },
            DONE,
        ]
    },
    "anthropic's MCP parts": {
        "messages": [
            USER,
            {"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "c1", "name": "find", "input": ARGS}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "mcp_tool_result",
                        "tool_use_id": "c1",
                        "is_error": False,
                        "content": [{"type": "text", "text": json.dumps(CAME)}],
                    }
                ],
            },
            DONE,
        ]
    },
    "OpenLLMetry's numbered names": openllmetry(),
    "messages as events": told_as_events(),
    "Google ADK's models": adk(),
    "Strands' logs": strands_logs(),
}
ONE_SPAN: dict[str, dict[str, Any]] = {
    "gen_ai.tool.input and .output": span(
        "a", 1, {**TOOL, "gen_ai.tool.input": TEXT, "gen_ai.tool.output": json.dumps(CAME)}
    ),
    "the words of messages": span(
        "a",
        1,
        TOOL,
        (
            DETAILS,
            {
                "gen_ai.input.messages": blocks({"role": "user", "parts": [{"type": "text", "content": TEXT}]}),
                "gen_ai.output.messages": blocks(
                    {"role": "assistant", "parts": [{"type": "text", "content": json.dumps(CAME)}]}
                ),
            },
        ),
    ),
    "a tool's message": span(
        "a",
        1,
        TOOL,
        (
            DETAILS,
            {
                "gen_ai.input.messages": blocks({"role": "user", "parts": [{"type": "text", "content": TEXT}]}),
                "gen_ai.output.messages": blocks({"role": "tool", "id": "c1", "response": CAME}),
            },
        ),
    ),
}


def said_of(recording: Any) -> Iterator[Any]:
    found = one(recording)
    document = found.document
    assert document is not None, found.report.refused
    yield [(step["tool"], step["args"]) for step in steps_of(found).values()]
    yield [entry["value"] for rule in document["outcomes"] for entry in rule["returns"]]
    yield found.report.faithful


@pytest.mark.parametrize("recording", SHAPES.values(), ids=SHAPES)
def test_a_conversation_in_every_shape(recording: Any) -> None:
    assert [*said_of(recording)] == [[("find", ARGS)], [CAME], True]
    document = one(recording).document
    assert document is not None
    assert (document["goal"], document["recorded"]["end"]) == (ASKED, "completed")


@pytest.mark.parametrize("recording", ONE_SPAN.values(), ids=ONE_SPAN)
def test_a_span_in_every_shape(recording: Any) -> None:
    assert [*said_of([recording])] == [[("find", ARGS)], [CAME], True]


def test_a_failure_that_vercel_labels() -> None:
    output = {"type": "error-text", "value": "no such order"}
    ask = {"type": "tool-call", "toolCallId": "c1", "toolName": "find", "input": {}}
    came = {"type": "tool-result", "toolCallId": "c1", "toolName": "find", "output": output}
    found = one({"messages": [USER, {"role": "assistant", "content": [ask]}, {"role": "tool", "content": [came]}]})
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"] == [{"status": "error", "message": "no such order"}]


def test_a_custom_tool_takes_one_text() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "3 files"}
    found = one([USER, {"role": "assistant", "content": None, "tool_calls": [call]}, answer, DONE])
    assert steps_of(found)[1]["args"] == {"input": "ls -l"}


def test_calls_under_one_id_are_told_apart_by_their_tools() -> None:
    """Some models number their calls anew in every message, and some give all of them one id."""
    calls = [{"id": "call", "function": {"name": name, "arguments": "{}"}} for name in ("find", "mail")]
    came = [{"role": "tool", "tool_call_id": "call", "name": name, "content": name} for name in ("mail", "find")]
    found = one([USER, {"role": "assistant", "tool_calls": calls}, *came, DONE])
    assert found.document is not None
    assert [rule["returns"][0]["value"] for rule in found.document["outcomes"]] == ["mail", "find"]


def test_digits_in_quotes_are_a_text() -> None:
    answer = {**TOOL, "gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": '"-1234"'}
    found = one([span("a", 1, answer), span("b", 3, {**answer, "gen_ai.tool.call.arguments": '{"n": -1234}'})])
    assert steps_of(found)[2]["args"] == {"n": -1234}


def test_an_empty_value_of_otlp_is_null() -> None:
    args = {"kvlistValue": {"values": [{"key": "limit", "value": {}}]}}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in TOOL.items()]
    attributes += [{"key": "gen_ai.tool.call.arguments", "value": args}]
    attributes += [{"key": "gen_ai.tool.call.result", "value": {"arrayValue": {"values": [{}, {"intValue": "7"}]}}}]
    found = one({"traceId": "t", "spanId": "a", "name": "find", "attributes": attributes})
    assert found.document is not None
    assert steps_of(found)[1]["args"] == {"limit": None}
    assert found.document["outcomes"][0]["returns"][0]["value"] == [None, 7]


@pytest.mark.parametrize(
    "times",
    [
        {"startTime": [1700000000, 250000000], "endTime": [1700000001, 500000000]},
        {"startTime": 1700000000.25, "endTime": 1700000001.5},
        {"startTime": "2026-03-01T10:00:00.25Z", "endTime": "2026-03-01T10:00:01.500000000+00:00"},
    ],
)
def test_times_in_every_shape(times: dict[str, Any]) -> None:
    attributes = {**TOOL, "gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "yes"}
    found = one([{"traceId": "t", "spanId": "a", "name": "find", **times, "attributes": attributes}])
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"][0]["latency"] == 1.25


def test_a_time_that_is_none_is_left_out() -> None:
    """A beginning of 0, or an end that was never set, makes a call of fifty years, which no plan file takes."""
    attributes = {**TOOL, "gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "yes"}
    times = {"startTimeUnixNano": "1", "endTimeUnixNano": "1786051888270252114"}
    found = one([{"traceId": "t", "spanId": "a", "name": "find", **times, "attributes": attributes}])
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"] == [{"status": "ok", "value": "yes"}]
    assert found.report.left_out == ("the time of a call of find: longer than anything takes",)


def test_a_number_of_tokens_that_is_none_is_left_out() -> None:
    call = {"run_type": "tool", "id": "a", "name": "find", "inputs": {}, "outputs": {"output": "yes"}}
    model = {"run_type": "llm", "id": "m", "name": "model", "prompt_tokens": -5, "child_runs": [call]}
    found = one(model)
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"] == [{"status": "ok", "value": "yes"}]


def test_a_tools_name_of_any_length() -> None:
    """YAML looks no further than 1,024 bytes for the colon behind a key."""
    name = "find " * 400
    ask = {"id": "c1", "function": {"name": name, "arguments": "{}"}}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "yes"}
    found = one([USER, {"role": "assistant", "tool_calls": [ask]}, answer, DONE])
    assert found.report.faithful is True
    assert loaded(found).plan.steps[0].tool == name


def test_an_observation_without_an_end_says_how_long_it_took() -> None:
    tool = {"type": "TOOL", "name": "find", "startTime": "2026-03-01T10:00:00Z", "latency": 2.5}
    found = one({"id": "x", "observations": [{**tool, "id": "a", "input": {}, "output": "yes"}]})
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"][0]["latency"] == 2.5


def test_an_agent_with_a_short_name_is_known_by_it() -> None:
    history = [
        {"name": "Orchestrator (-> Coder)", "role": "assistant", "content": "write it"},
        {"name": "Coder", "role": "assistant", "content": "written"},
    ]
    found = one({"history": history, "question": ASKED})
    assert found.document is not None
    assert found.document["outcomes"][0]["returns"] == [{"status": "ok", "value": "written"}]


REWOO: list[tuple[str, str, list[str]]] = [
    ("a name that no evidence has", "#E3 = A[x]\n#E10 = B[#E3 of #E1]", ["x", "#E1 of ##E1"]),
    ("nothing but such a name", "#E3 = A[x]\n#E10 = B[#E1]", ["x", "##E1"]),
    ("a reference to nothing", "#E1 = A[#E9]", ["#E9"]),
    ("named before it is there", "#E5 = A[see #E7]\n#E7 = B[#E5]", ["see #E2", "#E1"]),
    ("named again", "#E1 = A[x]\n#E1 = B[#E1]\n#E2 = C[#E1]", ["x", "#E1", "#E2"]),
]


@pytest.mark.parametrize(("text", "inputs"), [row[1:] for row in REWOO], ids=[row[0] for row in REWOO])
def test_evidence_by_its_own_name(text: str, inputs: list[str]) -> None:
    found = one({"plan": f"Plan: go\n{text}"})
    assert [step["args"]["input"] for step in steps_of(found).values()] == inputs
