"""Chat messages to calls: who asked for which tool, and what came back.

Messages stand alone, in a list of runs, or one a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from replanctl.files import End
from replanctl.kinds import Status
from replanctl.traces.asking import ANSWERING, ASKING, Answer, Ask, answers, asks, role_of, type_of
from replanctl.traces.content import args_of, text_of, value_of, words_of
from replanctl.traces.trace import Kind, RecordedCall, Trace
from replanctl.traces.unpacking import unpacked

# A convention of tools, where messages have no field for it: an answer that begins like this is an error.
ERROR_TEXT = "Error:"


# Calls and answers find each other by id. Where a format has none, an answer goes to the earliest call of its tool that
# waits. Time is the place in the list, as messages carry no clock that all formats share; only its order is used.
class Conversation:
    """Messages as they come: calls wait for their answers."""

    def __init__(self) -> None:
        self.calls: list[RecordedCall] = []
        self.goal = ""
        self.last = ""  # who spoke last: `answer` is an assistant's text without a call
        self.strays = 0  # answers to nothing
        self._waiting: list[tuple[str, RecordedCall]] = []
        self._place = 0

    def take(self, message: Any) -> None:
        """Take in the next message."""
        self._place += 1
        message = unpacked(message)
        if not isinstance(message, dict):
            return
        role = role_of(message)
        asked = list(asks(message))
        for ask in asked:
            self._ask(ask)
        for answer in answers(message):
            self._answer(answer)
        said = words_of(message.get("content") if message.get("content") is not None else message.get("parts"))
        if role == "user" and not self.goal:
            self.goal = said
        # Who spoke last says how the run ended: an assistant that asks for nothing more has answered.
        self.last = "answer" if role == "assistant" and not asked and said.strip() else self._kept(role)

    def _kept(self, role: str) -> str:
        """A user's last word after the agent's answer changes nothing about how the agent ended."""
        return self.last if role in ("user", "system") and self.last == "answer" else role

    def _ask(self, ask: Ask) -> None:
        args, cut = args_of(ask.args)
        # It has not ended until it is answered: nothing may be bound to it before.
        call = RecordedCall(ask.tool, args, began=self._place, ended=float("inf"), cut=cut)
        self.calls.append(call)
        self._waiting.append((ask.id, call))

    def _answer(self, answer: Answer) -> None:
        """The earliest waiting call with this id gets it; without an id the earliest of this tool.

        Where several wait under one id, the one of the answer's own tool goes first.
        """
        fitting = [pair for pair in self._waiting if _fits(answer, *pair)]
        found = next((pair for pair in fitting if pair[1].tool == answer.tool), fitting[0] if fitting else None)
        if found is None:
            self.strays += 1
            return
        self._waiting.remove(found)
        hear(found[1], answer, self._place)

    def unanswered(self) -> list[RecordedCall]:
        """The calls that nothing came back for."""
        return [call for _, call in self._waiting]


def _fits(answer: Answer, id_: str, call: RecordedCall) -> bool:
    if answer.id and id_:
        return answer.id == id_
    return not answer.tool or answer.tool == call.tool


def hear(call: RecordedCall, answer: Answer, place: float) -> None:
    """Put a tool's answer into its call: when it ended, its result, and its failure if it was one."""
    content = answer.content
    if isinstance(content, list):
        # A single part of JSON is the value itself; other parts that hold no text stay the list they were.
        content = words_of(content) or (content[0]["json"] if _is_json_part(content) else content)
    call.ended = place
    value = call.result = value_of(None if content is UNSET else content)
    if answer.failed or (isinstance(value, str) and value.startswith(ERROR_TEXT)):
        call.status = Status.ERROR
        call.message = text_of(value)


def _is_json_part(content: list[Any]) -> bool:
    return len(content) == 1 and isinstance(content[0], dict) and content[0].keys() == {"json"}


# Where a run keeps its messages, and what it is called by.
MESSAGE_KEYS = ("messages", "traj", "trajectory", "conversation", "chat_history", "history", "input", "contents")
ID_KEYS = ("id", "run_id", "trace_id", "conversation_id", "session_id", "thread_id", "uuid", "task_id")
THOUGHTS = frozenset({"reasoning"})  # items of the Responses API that stand between messages and calls
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model"})


def is_message(value: Any) -> bool:
    """Whether this is one chat message."""
    value = unpacked(value)
    return isinstance(value, dict) and (
        (role_of(value) in ROLES and bool(value.keys() & {"content", "parts", "tool_calls", "function_call"}))
        or type_of(value) in ASKING
        or type_of(value) in ANSWERING
        or type_of(value) in THOUGHTS
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
    """The id of a run, under one of the usual keys; empty where it has none."""
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
    """The trace of a conversation that is over."""
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
