"""From the spans of a trace to its calls: tool spans in the order they began, or what model spans tell of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files import End
from replanctl.kinds import Status
from replanctl.traces.asking import Answer, Ask, answers, asks, role_of
from replanctl.traces.classes import status_of
from replanctl.traces.content import ContentError, args_of, loads, text_of, unwrap, value_of, words_of
from replanctl.traces.messages import Conversation, end_of, hear, trace_of
from replanctl.traces.span import Span, latency
from replanctl.traces.trace import Kind, RecordedCall, Trace


def trace_from(kind: Kind, id_: str, spans: Iterable[Span], place: str) -> Trace:
    """The trace that these spans make, in whatever order they come."""
    whole = _ordered(spans)
    # Exporters retry, and two instruments in one process each record the call: without this every call would be two
    # steps.
    kept, dropped = _once(whole)
    talk = _Talk(kept)
    tools = [span for span in kept if span.kind == "tool" and span.finished]
    root = _root(kept)
    # Some instruments record models alone. Then the calls are in what the models asked for and were told.
    if not tools:
        trace = trace_of(talk.conversation(), id_, root.raw, place, kind)
        trace.goal = trace.goal or _goal(kept, root)
        trace.hints = list(dict.fromkeys(hint for span in kept for hint in span.hints))
        return trace
    calls = [_call(span, talk) for span in tools]
    _share_tokens(tools, calls, kept)
    trace = Trace(kind, id_, _goal(kept, root), calls, _end(root, kept, calls), root.raw, place)
    trace.hints = list(dict.fromkeys(hint for span in tools for hint in span.hints))
    if dropped:
        trace.left_out.append(f"{dropped} span{'s' * (dropped != 1)} recorded twice")
    unfinished = [span for span in kept if span.kind == "tool" and not span.finished]
    trace.left_out += [f"a call of {span.tool}: its span has no end" for span in unfinished]
    return trace


def _ordered(spans: Iterable[Span]) -> list[Span]:
    """In the order of time; where a span has none, in the order of the file."""
    all_ = list(spans)
    latest = max((span.began for span in all_ if span.began is not None), default=0.0)
    for span in all_:
        if span.began is None:
            # Behind everything that has a time, in the order of the file: the one order that is known.
            span.began = span.ended = latest + span.order
            span.untimed = span.finished = True
    return sorted(all_, key=lambda span: (span.began, span.order))


def _once(spans: Sequence[Span]) -> tuple[list[Span], int]:
    """The spans without those that were exported twice, and calls that two instruments recorded, one in the other."""
    kept: dict[tuple[Any, ...], Span] = {}
    for number, span in enumerate(spans):
        key = (span.id, span.name, None if span.untimed else span.began) if span.id else (number,)
        if key not in kept:
            kept[key] = span
    by_id = {span.id: span for span in kept.values()}
    found = [span for span in kept.values() if not _inner(span, by_id)]
    return found, len(spans) - len(found)


def _inner(span: Span, by_id: dict[str, Span]) -> bool:
    """Whether the span is the same call as the tool span around it."""
    around = by_id.get(span.parent)
    if span.kind != "tool" or around is None or around is span or around.kind != "tool":
        return False
    if span.call_id and around.call_id:
        return span.call_id == around.call_id
    return span.tool == around.tool and span.args == around.args


def _root(spans: Sequence[Span]) -> Span:
    known = {span.id for span in spans}
    return next((span for span in spans if not span.parent or span.parent not in known), spans[0])


class _Talk:
    """What the model spans of a trace say: calls they asked for, and answers they were given, by id."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._models = [span for span in spans if span.asked or span.answered]
        self.asks: dict[str, Ask] = {}
        self.answers: dict[str, Answer] = {}
        for span in self._models:
            for message in (*messages_in(span.answered), *messages_in(span.asked)):
                self.asks.update((ask.id, ask) for ask in asks(message) if ask.id)
                self.answers.update((answer.id, answer) for answer in answers(message) if answer.id)

    def conversation(self) -> Conversation:
        """The whole talk: messages that a later span repeats are told once."""
        talk = Conversation()
        seen: set[bytes] = set()
        for span in self._models:
            for message in (*messages_in(span.answered), *messages_in(span.asked)):
                key = msgspec.json.encode(_essence(message))
                if key not in seen:
                    seen.add(key)
                    talk.take(message)
        return talk


def _essence(message: Any) -> Any:
    """What makes two messages the same one: ids of calls and answers, else who said what."""
    ids = [("ask", ask.id) for ask in asks(message) if ask.id] + [("answer", a.id) for a in answers(message) if a.id]
    if ids:
        return ids
    said = message.get("content") if message.get("content") is not None else message.get("parts")
    return [role_of(message), words_of(said)]


def messages_in(value: Any) -> list[dict[str, Any]]:
    """The messages in an attribute: a list, text of one, or a mapping that holds one or several."""
    if isinstance(value, str):
        try:
            value = loads(value)
        except ContentError:
            return []
    if isinstance(value, dict):
        value = next((value[key] for key in ("messages", "contents") if key in value), [_inner_message(value)])
    return [message for message in value if isinstance(message, dict)] if isinstance(value, list) else []


def _inner_message(value: dict[str, Any]) -> dict[str, Any]:
    """The message that a model's answer holds: Gemini's is `{content: {parts, role}, finish_reason, …}`."""
    content = value.get("content")
    return content if isinstance(content, dict) and "parts" in content else value


def _spoken(value: Any) -> str | None:
    """The words of a value that is nothing but messages of the GenAI conventions; None where it is anything else."""
    messages = value_of(value)
    if not isinstance(messages, list) or not messages:
        return None
    whole = all(isinstance(message, dict) and message.keys() >= {"role", "parts"} for message in messages)
    return "\n".join(words_of(message["parts"]) for message in messages) if whole else None


def _call(span: Span, talk: _Talk) -> RecordedCall:
    args, cut = _args(span, talk)
    call = RecordedCall(span.tool, args, began=span.began or 0.0, latency=latency(span), cut=cut)
    call.ended = span.ended if span.ended is not None else call.began
    failed = _result(call, span, talk)
    if span.failed or failed:
        call.status = status_of(*span.error_types)
        said = "" if call.result is UNSET or isinstance(call.result, dict | list) else text_of(call.result)
        call.message = span.message or said or next((text_of(t) for t in span.error_types if t), "")
    return call


def _args(span: Span, talk: _Talk) -> tuple[Any, str]:
    """What a call was given: the span's own args, else what the model asked for under the call's id."""
    raw = span.args
    if raw is UNSET and span.call_id in talk.asks:
        raw = talk.asks[span.call_id].args
    if (message := next((m for m in messages_in(raw) if m.keys() & {"parts", "role"}), None)) is not None:
        # What went into a tool may stand as the words of a message.
        spoken = _spoken(raw)
        raw = next((ask.args for ask in asks(message)), raw if spoken is None else spoken)
    return args_of(raw, span.args_names, wrapped=True, texts=span.plain)


def _result(call: RecordedCall, span: Span, talk: _Talk) -> bool:
    """Put what came back into the call; whether its wrapper says that it failed."""
    raw = span.result
    if raw is UNSET and span.call_id in talk.answers:
        answer = talk.answers[span.call_id]
        ended, status = call.ended, call.status
        hear(call, answer, ended)
        failed, call.status, call.message = answer.failed, status, ""
        return failed
    if raw is UNSET:
        return False
    given = [answer for message in messages_in(raw) for answer in answers(message)]
    if given:
        raw = given[0].content
    elif (spoken := _spoken(raw)) is not None:
        raw = spoken
    value = value_of(raw)
    if isinstance(value, list) and value and all(isinstance(part, dict) and "text" in part for part in value):
        value = value_of(words_of(value))
    call.result, failed = unwrap(value, outputs=span.plain)
    return failed or any(answer.failed for answer in given)


def _share_tokens(tools: Sequence[Span], calls: Sequence[RecordedCall], spans: Sequence[Span]) -> None:
    """A model span's tokens go to the calls it asked for: those inside it, or that follow it under the same parent."""
    by_id = {span.id: span for span in spans if span.id}
    # Tokens are the model's and calls are the tool's. A call is booked with its share of the model call that asked for
    # it, so that an imported rehearsal costs in all what the recording did.
    asked_by: dict[int, list[RecordedCall]] = {}
    for span, call in zip(tools, calls, strict=True):
        model = _model_around(span, by_id) or _model_before(span, spans)
        if model is not None and model.tokens is not None:
            asked_by.setdefault(id(model), []).append(call)
    for model in spans:
        shared = asked_by.get(id(model), [])
        for number, call in enumerate(shared):
            assert model.tokens is not None
            call.tokens = model.tokens // len(shared) + (number < model.tokens % len(shared))


def _model_around(span: Span, by_id: dict[str, Span]) -> Span | None:
    seen: set[str] = set()
    around = by_id.get(span.parent)
    while around is not None and around.id not in seen:
        if around.kind == "model" and around.tokens is not None:
            return around
        seen.add(around.id)
        around = by_id.get(around.parent)
    return None


def _model_before(span: Span, spans: Sequence[Span]) -> Span | None:
    began = span.began or 0.0
    before = [
        model
        for model in spans
        if model.kind == "model" and model.parent == span.parent and model.ended is not None and model.ended <= began
    ]
    return max(before, key=lambda model: (model.ended or 0.0, model.order), default=None)


def _goal(spans: Sequence[Span], root: Span) -> str:
    """What the user asked for: the first words of a user, in the outermost span that holds any."""
    ordered = [span for span in (root, *spans) if span.kind != "tool"]
    return next((said for span in ordered if (said := _said(span.goal))), "")


def _said(value: Any) -> str:
    """The words in an input: its first user message, a text, or the one text in a mapping."""
    messages = messages_in(value)
    user = next((m for m in messages if role_of(m) == "user" or _is_human(m)), None)
    if user is not None:
        content = user.get("content") if user.get("content") is not None else user.get("parts")
        return words_of(content if content is not None else user.get("kwargs"))
    value = value_of(value)
    if isinstance(value, dict):
        keys = (
            "task",
            "goal",
            "question",
            "query",
            "prompt",
            "input",
            "inputs",
            "message",
            "text",
            "user_input",
            "content",
        )
        found = (value[key] for key in keys if value.get(key))
        return next((said for inner in found if (said := _said(inner))), "")
    return value if isinstance(value, str) else ""


def _is_human(message: dict[str, Any]) -> bool:
    kwargs = message.get("kwargs")
    return isinstance(kwargs, dict) and kwargs.get("type") in ("human", "user", None)


def _end(root: Span, spans: Sequence[Span], calls: Sequence[RecordedCall]) -> End | None:
    """How it ended, as far as the outermost span that took time says."""
    outer = root if root.ended is not None else next((span for span in spans if _is_child(span, root)), root)
    if outer.kind == "tool":
        return None
    if outer.failed:
        return End.FAILED
    if outer.ended is None:
        return None
    last = max(calls, key=lambda call: call.began)
    return End.COMPLETED if last.status is Status.OK else end_of([last])


def _is_child(span: Span, root: Span) -> bool:
    return span is not root and span.parent == root.id and span.ended is not None and span.kind != "tool"
