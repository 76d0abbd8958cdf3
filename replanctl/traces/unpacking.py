"""Chat messages out of what frameworks wrap around them. A new wrapping is a row of the table and its function.

Below this, every message is one of a provider's: a role or a type, content, calls that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]

# How LangChain names the classes of its messages.
_CLASSES = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "SystemMessage": "system",
}
_TYPES = frozenset({"human", "ai", "AIMessageChunk", "tool", "function", "system"})


def _constructed(message: Fields) -> Fields | None:
    """LangChain writes a message down as the call that makes it: `{lc, type, id: [… AIMessage], kwargs}`."""
    path, fields = message.get("id"), message.get("kwargs")
    if not isinstance(path, list) or not path or not isinstance(fields, dict):
        return None
    return {**fields, "role": _CLASSES.get(str(path[-1]), fields.get("type"))}


def _typed(message: Fields) -> Fields | None:
    """LangChain's `messages_to_dict`: what a message is beside its fields, `{type: ai, data: {…}}`."""
    fields, kind = message["data"], message.get("type")
    return {**fields, "role": kind} if isinstance(fields, dict) and kind in _TYPES and "role" not in message else None


def _logged(message: Fields) -> Fields | None:
    """The line of a log with the message under a key, and who wrote it beside that."""
    inner = message["message"]
    return inner if isinstance(inner, dict) and "role" in inner and "role" not in message else None


def _event(message: Fields) -> Fields | None:
    """AutoGen's events: who spoke stands as `source`, and a list of calls or results is the content."""
    content = message.get("content")
    match message.get("type"):
        case "TextMessage":
            return {"role": "user" if message["source"] == "user" else "assistant", "content": content}
        case "ToolCallRequestEvent":
            return {"role": "assistant", "content": None, "tool_calls": content}
        case "ToolCallExecutionEvent" if isinstance(content, list):
            results = [each for each in content if isinstance(each, dict)]
            return {"role": "tool", "content": [{**each, "type": "FunctionExecutionResult"} for each in results]}
    return None


# The key that gives a wrapping away, and what takes the message out of it (None: it was something else).
_WRAPPINGS: tuple[tuple[str, Callable[[Fields], Fields | None]], ...] = (
    ("lc", _constructed),
    ("data", _typed),
    ("source", _event),
    ("message", _logged),
)


def unpacked(message: Any) -> Any:
    """A message without what a framework wrapped around it; anything else as it is."""
    if not isinstance(message, dict):
        return message
    found = (unpack(message) for key, unpack in _WRAPPINGS if key in message)
    return next((inner for inner in found if inner is not None), message)
