"""A number of so many digits that Python refuses to read it is no bug: it is no index, no run and no message."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli

LONG = "9" * 5000
TRACE = {
    "messages": [
        {"role": "user", "content": "look"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "[1]"},
    ]
}
SPAN = {
    "name": "chat",
    "trace_id": "a" * 32,
    "span_id": "b" * 16,
    "start_time_unix_nano": 1,
    "end_time_unix_nano": 2,
    "attributes": {
        f"llm.input_messages.{LONG}.message.role": "user",
        f"gen_ai.prompt.{LONG}.role": "user",
        f"llm.output_messages.0.message.tool_calls.{LONG}.tool_call.id": "c1",
    },
}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import", "trace.json", "--solved", f"/messages/{LONG}=1"], 0),
        (["import", "trace.json", "--classify", "classes.yaml"], 0),
        (["import", "span.json"], 2),
        (["report", LONG], 2),
    ],
    ids=["solved", "classify", "span", "report"],
)
def test_a_number_too_long_to_be_read_is_told_like_any_other_word(cli: Cli, words: list[str], code: int) -> None:
    rule = f"- {{when: {{tool: look, path: /{LONG}, equals: 1}}, status: empty}}\n"
    cli.files({"trace.json": json.dumps(TRACE), "span.json": json.dumps([SPAN]), "classes.yaml": rule})
    done = cli(*words)
    assert (done.code, "this is a bug" in done.err) == (code, False), done.err
