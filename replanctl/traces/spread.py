"""Messages that a span tells in pieces: spread over numbered names, in events of their own, or in a log's body.

Each is put together under one name, which `dialects` lists like any other.
"""

from __future__ import annotations

import re
from typing import Any

from replanctl.traces.content import value_of
from replanctl.traces.span import text_part
from replanctl.traces.tree import messages_in

# Attributes hold no lists of mappings, so instruments number the messages in the names: OpenInference as
# `llm.output_messages.0.message.tool_calls.0.tool_call.id`, OpenLLMetry as `gen_ai.completion.0.tool_calls.0.id`.
# The first group is what they are gathered under, behind a `@` where that name has another meaning.
_SPREAD = (
    (re.compile(r"(llm\.(?:input|output)_messages)\.([0-9]{1,9})\.message\.(.+)"), ""),
    (re.compile(r"(gen_ai\.(?:prompt|completion))\.([0-9]{1,9})\.(.+)"), "@"),
)
_NUMBERED = re.compile(r"(tool_calls|contents)\.([0-9]{1,9})\.(?:(?:tool_call|message_content)\.)?(.+)")
_STARTS = ("llm.", "gen_ai.prompt.", "gen_ai.completion.")


def gather(plain: dict[str, Any]) -> None:
    """Put messages that are spread over many names under one, in the order of their numbers."""
    messages: dict[str, dict[int, dict[str, Any]]] = {}
    for key, value in plain.items():
        if not key.startswith(_STARTS):
            continue
        for pattern, mark in _SPREAD:
            if (found := pattern.fullmatch(key)) is not None:
                numbered = messages.setdefault(mark + found[1], {})
                _put(numbered.setdefault(int(found[2]), {}), found[3], value)
    for name, numbered in messages.items():
        plain[name] = [_whole(numbered[number]) for number in sorted(numbered)]


def _put(message: dict[str, Any], name: str, value: Any) -> None:
    inner = _NUMBERED.fullmatch(name)
    if inner is None:
        message[name] = value
    else:
        message.setdefault(inner[1], {}).setdefault(int(inner[2]), {})[inner[3]] = value


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if isinstance(calls, dict):
        message["tool_calls"] = [
            {"id": c.get("id"), "function": {field: c.get(f"function.{field}", c.get(field)) for field in _CALL}}
            for _, c in sorted(calls.items())
        ]
    contents = message.pop("contents", None)
    if isinstance(contents, dict) and not message.get("content"):
        message["content"] = "\n".join(str(c["text"]) for _, c in sorted(contents.items()) if c.get("text"))
    return message


_CALL = ("name", "arguments")

# The conventions up to 1.36 tell each message as an event. What the model was given is told again with every call of
# it; what it answered is the one choice.
_GIVEN = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE = "gen_ai.choice"


def add_event(plain: dict[str, Any], name: str, told: dict[str, Any]) -> None:
    """Take in an event that is a message: one that a model was given, or its answer."""
    if name == _CHOICE:
        message = value_of(told.get("message"))
        fields = message if isinstance(message, dict) else {"content": message}
        plain.setdefault("@choices", []).append({"role": "assistant", **fields})
    elif name in _GIVEN:
        fields = {key: value_of(told[key]) for key in ("content", "tool_calls") if told.get(key) is not None}
        plain.setdefault("@messages", []).append({"role": _GIVEN[name], **fields, "id": text_part(told.get("id"))})


def add_body(plain: dict[str, Any], body: dict[str, Any]) -> None:
    """The body of a log record: what went in and came out, and, by its form, whether a tool or a model did."""
    asked, answered = _blocks(body.get("output")), _blocks(body.get("input"))
    if asked or answered:
        plain["body/kind"], plain["body/asked"], plain["body/answered"] = "model", asked, answered
        return
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


def _blocks(value: Any) -> list[dict[str, Any]]:
    """The messages of a body whose contents are mappings, with the blocks inside as text: Strands' own logs."""
    found: list[dict[str, Any]] = []
    for message in messages_in(value) if isinstance(value, dict | list) else []:
        content = message.get("content")
        if isinstance(content, dict) and (inner := content.get("message", content.get("content"))) is not None:
            found.append({"role": message.get("role"), "content": value_of(inner)})
    return found


def _last_content(value: Any) -> Any:
    messages = messages_in(value) if isinstance(value, dict | list) else []
    return next((m["content"] for m in reversed(messages) if isinstance(m.get("content"), str)), None)


def _generations(value: Any) -> list[Any]:
    """The messages in a model's answer, as LangChain nests them."""
    flat = [item for each in value if isinstance(each, list) for item in each] if isinstance(value, list) else []
    found = [item.get("message") for item in flat if isinstance(item, dict)]
    return [{"role": "assistant", **message} for message in found if isinstance(message, dict)]
