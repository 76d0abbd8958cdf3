"""Chat messages with `tool_calls` and role `tool`: alone, in a list of runs, or one a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from replanctl.files import End
from replanctl.kinds import Status
from replanctl.traces.conversation import ANSWERING, ASKING, Conversation, role_of, type_of
from replanctl.traces.trace import Kind, RecordedCall, Trace

# Where a run keeps its messages, and what it is called by.
MESSAGE_KEYS = ("messages", "traj", "trajectory", "conversation", "chat_history", "history")
ID_KEYS = ("id", "run_id", "trace_id", "conversation_id", "session_id", "thread_id", "uuid", "task_id")
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model"})


def is_message(value: Any) -> bool:
    """Whether this is one chat message."""
    return isinstance(value, dict) and (
        (role_of(value) in ROLES and bool(value.keys() & {"content", "parts", "tool_calls", "function_call"}))
        or type_of(value) in ASKING
        or type_of(value) in ANSWERING
    )


def messages_of(value: Any) -> list[Any] | None:
    """The messages of a run, or None where it has none."""
    if isinstance(value, list):
        return value if value and all(map(is_message, value[:4])) else None
    if not isinstance(value, dict):
        return None
    found = (value[key] for key in MESSAGE_KEYS if isinstance(value.get(key), list))
    return next((messages for messages in found if messages and all(map(is_message, messages[:4]))), None)


def holds_messages(value: Any) -> bool:
    """Whether this is a chat message, or a run of them."""
    return is_message(value) or messages_of(value) is not None


def id_of(value: Any) -> str:
    """What a run is called; empty where it has no name."""
    if not isinstance(value, dict):
        return ""
    found = (value[key] for key in ID_KEYS if isinstance(value.get(key), str | int) and value[key] != "")
    return str(next(found, ""))


class Messages:
    """Reads runs that are lists of messages; messages that come one a line make one run."""

    def __init__(self, place: str) -> None:
        self._loose: Conversation | None = None
        self._source = place

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in a run, or a message of one."""
        if is_message(value):
            self._loose = self._loose or Conversation()
            self._loose.take(value)
        elif (messages := messages_of(value)) is not None:
            conversation = Conversation()
            for message in messages:
                conversation.take(message)
            yield trace_of(conversation, id_of(value), value, place)

    def close(self) -> Iterator[Trace]:
        """The run that came message by message."""
        if self._loose is not None:
            yield trace_of(self._loose, "", None, self._source)


def trace_of(conversation: Conversation, id_: str, raw: Any, place: str, kind: Kind = Kind.MESSAGES) -> Trace:
    """The recorded run that a conversation was."""
    unanswered = conversation.unanswered()
    calls = [call for call in conversation.calls if not any(call is other for other in unanswered)]
    left_out = [f"a call of {call.tool}: nothing came back" for call in unanswered]
    if conversation.strays:
        left_out.append(f"{conversation.strays} answers to no call")
    end = end_of(calls) if conversation.last == "answer" and not unanswered else None
    return Trace(kind, id_, conversation.goal, calls, end, raw, place, left_out=left_out)


def end_of(calls: Sequence[RecordedCall]) -> End | None:
    """How an agent ended that came to an answer: it failed where the last thing it did failed."""
    if not calls:
        return None
    return End.COMPLETED if calls[-1].status is Status.OK else End.FAILED
