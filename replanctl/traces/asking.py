"""What one chat message asks of tools and what came back in it, in the shapes that providers write it in.

A shape is a row of a table: the type of a part, or the key that gives it away, and where its fields stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET


class Ask(msgspec.Struct, frozen=True):
    """A model asked for a call."""

    id: str
    tool: str
    args: Any


class Answer(msgspec.Struct, frozen=True):
    """A tool answered. `tool` is empty where the answer does not name it."""

    id: str
    tool: str
    content: Any
    failed: bool = False


# Parts of a message that ask: type → where the id, the name and the args stand.
ASKING: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "tool_call": (("id", "tool_call_id"), ("name",), ("arguments", "args")),
    "tool_use": (("id", "toolUseId"), ("name",), ("input",)),
    "server_tool_use": (("id",), ("name",), ("input",)),
    "mcp_tool_use": (("id",), ("name",), ("input",)),
    "function_call": (("call_id", "id"), ("name",), ("arguments", "args")),
    "tool-call": (("toolCallId",), ("toolName",), ("args", "input")),
    "custom_tool_call": (("call_id", "id"), ("name",), ("input",)),
    "FunctionCall": (("id",), ("name",), ("arguments",)),
}
# Parts that answer: type → id, name, content.
ANSWERING: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "tool_call_response": (("id", "tool_call_id"), ("name",), ("response", "result", "content", "output")),
    "tool_result": (("tool_use_id", "toolUseId"), ("name",), ("content",)),
    "mcp_tool_result": (("tool_use_id",), ("name",), ("content",)),
    "web_search_tool_result": (("tool_use_id",), ("name",), ("content",)),
    "function_call_output": (("call_id", "id"), ("name",), ("output",)),
    "custom_tool_call_output": (("call_id", "id"), ("name",), ("output",)),
    "tool-result": (("toolCallId",), ("toolName",), ("result", "output")),
    "FunctionExecutionResult": (("call_id",), ("name",), ("content",)),
}
TOOL_ROLES = frozenset({"tool", "function"})


def role_of(message: dict[str, Any]) -> str:
    """Who speaks: user, assistant, tool, system."""
    role = message.get("role") or message.get("type") or ""
    return {"human": "user", "ai": "assistant", "model": "assistant"}.get(role, role) if isinstance(role, str) else ""


def type_of(part: dict[str, Any]) -> str:
    """The type of a message or of a part of one; empty where it names none."""
    found = part.get("type")
    return found if isinstance(found, str) else ""


def asks(message: Any) -> Iterator[Ask]:
    """Every call that a message asks for."""
    if not isinstance(message, dict):
        return
    for call in _list(message.get("tool_calls")):
        if isinstance(call, dict):
            yield _ask(call)
    if isinstance(message.get("function_call"), dict):
        yield _ask(message["function_call"])
    for part in _parts(message):
        if (names := ASKING.get(type_of(part))) is not None:
            yield Ask(_text(part, names[0]), _text(part, names[1]), first_of(part, names[2]))


def _ask(call: dict[str, Any]) -> Ask:
    # A custom tool of OpenAI takes one text instead of args by name.
    found = (call[key] for key in ("function", "custom") if isinstance(call.get(key), dict))
    inner: dict[str, Any] = next(found, call)
    return Ask(_text(call, ("id", "call_id")), _text(inner, ("name",)), first_of(inner, ("arguments", "args", "input")))


def answers(message: Any) -> Iterator[Answer]:
    """Every answer of a tool that a message carries."""
    if not isinstance(message, dict):
        return
    parts = [part for part in _parts(message) if type_of(part) in ANSWERING]
    for part in parts:
        ids, names, contents = ANSWERING[part["type"]]
        found = first_of(part, contents)
        content, failed = _labelled(found) if part["type"] == LABELLED else (found, False)
        yield Answer(_text(part, ids), _text(part, names), content, failed or _says_failed(part))
    if role_of(message) in TOOL_ROLES and not parts:
        content = first_of(message, ("content", "response", "result"))
        yield Answer(_text(message, ("tool_call_id", "id")), _text(message, ("name",)), content, _says_failed(message))


def _says_failed(answer: dict[str, Any]) -> bool:
    return answer.get("is_error") is True or answer.get("isError") is True or answer.get("status") == "error"


# The Vercel AI SDK says beside a tool's answer what it is: `{type: json, value: …}`. Which of these are failures.
LABELLED = "tool-result"
_LABELS = {
    "text": False,
    "json": False,
    "content": False,
    "error-text": True,
    "error-json": True,
}


def _labelled(content: Any) -> tuple[Any, bool]:
    """An answer without the label of its type, and whether the label says that the call failed."""
    if not isinstance(content, dict) or not content.keys() >= {"type", "value"} or type_of(content) not in _LABELS:
        return content, False
    return content["value"], _LABELS[content["type"]]


# Parts that are named by a key instead of a type (Bedrock, Gemini): which type each is.
KEYED = {
    "toolUse": "tool_use",
    "toolResult": "tool_result",
    "functionCall": "tool_call",
    "function_call": "tool_call",
    "functionResponse": "tool_call_response",
    "function_response": "tool_call_response",
}


def _parts(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield message  # an item of the Responses API is a part by itself
    for name in ("content", "parts"):
        yield from (_typed(part) for part in _list(message.get(name)) if isinstance(part, dict))


def _typed(part: dict[str, Any]) -> dict[str, Any]:
    key = next((key for key in KEYED if isinstance(part.get(key), dict)), None)
    return part if key is None else {**part[key], "type": KEYED[key]}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def first_of(part: dict[str, Any], names: Iterable[str]) -> Any:
    """What stands under the first of these names that is there; UNSET where none is."""
    return next((part[name] for name in names if name in part), UNSET)


def _text(part: dict[str, Any], names: Iterable[str]) -> str:
    found = first_of(part, names)
    return found if isinstance(found, str) else "" if found is UNSET or found is None else str(found)
