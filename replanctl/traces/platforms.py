"""Exports of platforms whose records are mappings with names of their own: LangSmith, Langfuse, OpenAI Agents.

A table each says where things stand; one reader makes traces of them: in trees, in lists, or one by one and mixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files import LONGEST
from replanctl.traces.gathering import Gathering
from replanctl.traces.span import Span, seconds, text_part
from replanctl.traces.trace import Kind, Trace
from replanctl.traces.tree import trace_from

Paths = tuple[tuple[str, ...], ...]
MOST_TOKENS = 10**12  # of one call of a model: a larger number is something else


class Table(msgspec.Struct, frozen=True):
    """How a platform writes a record down; of several paths the first that leads somewhere counts.

    `marks` are keys, one set of which every record has; `kinds` says by its type what a record is; `inside` holds the
    records of a trace, or a record's children. `plain`: args may be one text, and a result stand alone under `output`.
    """

    kind: Kind
    version: str
    marks: tuple[frozenset[str], ...]
    trace: Paths
    id: Paths
    parent: Paths
    type: Paths
    kinds: dict[str, str]
    name: Paths
    args: Paths
    result: Paths
    began: Paths
    ended: Paths
    error: Paths
    error_type: Paths
    failed: tuple[tuple[tuple[str, ...], str], ...]
    input_tokens: Paths
    output_tokens: Paths
    total_tokens: Paths = ()
    asked: Paths = ()
    answered: Paths = ()
    goal: Paths = ()
    call_id: Paths = ()
    took: Paths = ()  # seconds, where there is no end
    inside: tuple[str, ...] = ()
    plain: bool = False
    hints: tuple[str, ...] = ()

    def recognises(self, value: Any) -> bool:
        """Whether this is a record of the platform, or a list or mapping of such."""
        stack = [value]
        while stack:
            item = stack.pop()
            if isinstance(item, list):
                stack += item[:1]
            elif isinstance(item, dict):
                if any(marks <= item.keys() for marks in self.marks):
                    return True
                stack += [item[key] for key in self.inside if isinstance(item.get(key), list)]
        return False


LANGSMITH = Table(
    kind=Kind.LANGSMITH,
    version="SDK 0.4",
    marks=(frozenset({"run_type"}),),
    trace=(("trace_id",),),
    id=(("id",), ("run_id",)),
    parent=(("parent_run_id",), ("parent_run_ids", "-1")),
    type=(("run_type",),),
    kinds={"tool": "tool", "llm": "model", "chat_model": "model"},
    name=(("name",),),
    args=(("inputs",),),
    result=(("outputs",),),
    began=(("start_time",),),
    ended=(("end_time",),),
    error=(("error",),),
    error_type=(("extra", "error_type"),),
    failed=((("status",), "error"),),
    input_tokens=(("prompt_tokens",), ("outputs", "llm_output", "token_usage", "prompt_tokens")),
    output_tokens=(("completion_tokens",), ("outputs", "llm_output", "token_usage", "completion_tokens")),
    goal=(("inputs",),),
    call_id=(("outputs", "output", "tool_call_id"), ("outputs", "tool_call_id"), ("extra", "metadata", "tool_call_id")),
    inside=("child_runs", "runs"),
    plain=True,
    hints=("LANGSMITH_HIDE_INPUTS=false and LANGSMITH_HIDE_OUTPUTS=false record arguments and results",),
)
LANGFUSE = Table(
    kind=Kind.LANGFUSE,
    version="3",
    marks=(
        frozenset({"type", "startTime"}),
        frozenset({"type", "traceId"}),
        frozenset({"observations"}),
    ),
    trace=(("traceId",), ("trace_id",)),
    id=(("id",),),
    parent=(("parentObservationId",), ("parent_observation_id",)),
    type=(("type",),),
    kinds={"tool": "tool", "generation": "model"},
    name=(("name",),),
    args=(("input",),),
    result=(("output",),),
    began=(("startTime",), ("start_time",), ("timestamp",)),
    ended=(("endTime",), ("end_time",)),
    error=(("statusMessage",), ("status_message",)),
    error_type=(("metadata", "error_type"), ("metadata", "attributes", "error.type")),
    failed=((("level",), "error"),),
    input_tokens=(("usageDetails", "input"), ("usage", "input"), ("promptTokens",)),
    output_tokens=(("usageDetails", "output"), ("usage", "output"), ("completionTokens",)),
    asked=(("output",),),
    answered=(("input",),),
    goal=(("input",),),
    call_id=(("output", "tool_call_id"), ("metadata", "tool_call_id")),
    took=(("latency",),),
    inside=("observations", "data"),
    hints=("capture_input and capture_output of @observe record arguments and results; mind the mask function",),
)
OPENAI_AGENTS = Table(
    kind=Kind.OPENAI_AGENTS,
    version="0.3",
    marks=(frozenset({"object", "span_data"}), frozenset({"object", "workflow_name"})),
    trace=(("trace_id",),),
    id=(("id",),),
    parent=(("parent_id",),),
    type=(("span_data", "type"),),
    kinds={"function": "tool", "generation": "model", "response": "model", "mcp_tool": "tool"},
    name=(("span_data", "name"), ("workflow_name",)),
    args=(("span_data", "input"),),
    result=(("span_data", "output"),),
    began=(("started_at",),),
    ended=(("ended_at",),),
    error=(("error", "message"),),
    error_type=(("error", "data", "error_type"), ("error", "data", "type"), ("error", "data", "error")),
    failed=(),
    input_tokens=(("span_data", "usage", "input_tokens"), ("span_data", "usage", "prompt_tokens")),
    output_tokens=(("span_data", "usage", "output_tokens"), ("span_data", "usage", "completion_tokens")),
    asked=(("span_data", "output"), ("span_data", "response", "output")),
    answered=(("span_data", "input"),),
    goal=(("span_data", "input"),),
    inside=("data", "spans"),
    hints=("RunConfig(trace_include_sensitive_data=True) records arguments and results",),
)


def at(record: Any, paths: Paths) -> Any:
    """The value at the first of these paths that a record has; UNSET where it has none."""
    for path in paths:
        value = record
        for part in path:
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part == "-1":
                value = value[-1] if value else None
            else:
                value = None
                break
        if value is not None:
            return value
    return UNSET


class Records:
    """Reads records; a value that holds a whole trace is told at once."""

    def __init__(self, table: Table, place: str) -> None:
        self._table = table
        self._gathering = Gathering(table.kind)
        self._count = 0

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in records: a tree, a list, or one of many."""
        for root in self._roots(value):
            spans = self._spans(root, place)
            trace_id = _trace_id(self._table, root, alone=len(spans) == 1)
            # A tree in one value is the whole trace; one record may be the first of many.
            if len(spans) > 1 and trace_id not in self._gathering:
                yield trace_from(self._table.kind, trace_id, spans, place)
            else:
                yield from self._gathering.add(trace_id, spans, place)

    def _roots(self, value: Any) -> list[Any]:
        """Trees by themselves; flat records one by one."""
        if isinstance(value, list):
            return [root for item in value for root in self._roots(item)]
        if isinstance(value, dict) and not any(marks <= value.keys() for marks in self._table.marks):
            return [root for key in self._table.inside for root in self._roots(value.get(key) or [])]
        return [value] if isinstance(value, dict) else []

    def _spans(self, root: Any, place: str) -> list[Span]:
        spans: list[Span] = []
        stack: list[tuple[dict[str, Any], str]] = [(root, "")]
        while stack:
            record, parent = stack.pop()
            self._count += 1
            span = _span(self._table, record, parent, self._count, place)
            spans.append(span)
            inner = [child for key in self._table.inside for child in _dicts(record.get(key))]
            stack.extend((child, span.id) for child in reversed(inner))
        return spans

    def close(self) -> Iterator[Trace]:
        """The traces whose records came one by one."""
        yield from self._gathering.close()


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _trace_id(table: Table, root: Any, *, alone: bool) -> str:
    """The trace that a record belongs to; empty where only its parent knows."""
    own = at(root, table.trace)
    if own is UNSET and isinstance(root.get("dotted_order"), str):
        # LangSmith writes the way from the root as one part a run, each a time and the run's uuid: the first uuid is
        # the trace's.
        own = root["dotted_order"].split(".")[0][-36:]
    if own is UNSET and (not alone or at(root, table.parent) is UNSET):
        own = at(root, table.id)
    return text_part(own)


def _span(table: Table, record: dict[str, Any], parent: str, order: int, place: str) -> Span:
    kind = table.kinds.get(text_part(at(record, table.type)).lower(), "")
    began, ended = seconds(_none(at(record, table.began))), seconds(_none(at(record, table.ended)))
    took = at(record, table.took)
    if ended is None and began is not None and type(took) in (int, float) and 0 <= took <= LONGEST:
        ended = began + took
    error = at(record, table.error)
    failed = any(text_part(at(record, (path,))).lower() == value for path, value in table.failed)
    span = Span(
        id=text_part(at(record, table.id)),
        parent=text_part(at(record, table.parent)) or parent,
        name=text_part(at(record, table.name)),
        kind=kind,
        began=began,
        ended=ended,
        order=order,
        goal=_none(at(record, table.goal)),
        place=place,
        raw=record,
        finished=ended is not None or began is None,
    )
    span.failed = failed or (not table.failed and error is not UNSET) or (kind == "tool" and _says_error(table, error))
    span.message = text_part(error) if span.failed else ""
    if kind == "tool":
        span.tool = span.name.strip() or "tool"
        span.args, span.result = at(record, table.args), at(record, table.result)
        span.call_id = text_part(at(record, table.call_id))
        span.error_types = tuple(t for path in table.error_type if (t := at(record, (path,))) is not UNSET)
        span.error_types += _class_in(span.message)
        span.hints, span.plain = table.hints, table.plain
        span.finished = span.finished or span.result is not UNSET or span.failed
    elif kind == "model":
        _model(span, table, record)
    return span


def _says_error(table: Table, error: Any) -> bool:
    """LangSmith has its errors in a field of their own; Langfuse's message may be a remark."""
    return table.kind is Kind.LANGSMITH and error is not UNSET and error != ""


def _class_in(message: str) -> tuple[str, ...]:
    """The exception's class at the head of an error's text, where a `repr` was recorded: `TimeoutError(…`."""
    head = message.lstrip()[:80]
    word = head.partition("(")[0] if "(" in head else head.partition(":")[0]
    return (word,) if word.isidentifier() and word.endswith(("Error", "Exception", "Timeout")) else ()


def _model(span: Span, table: Table, record: dict[str, Any]) -> None:
    counts = [at(record, paths) for paths in (table.input_tokens, table.output_tokens)]
    known = [count for count in counts if type(count) is int and 0 <= count < MOST_TOKENS]
    span.tokens = sum(known) if known else None
    span.asked, span.answered = _none(at(record, table.asked)), _none(at(record, table.answered))


def _none(value: Any) -> Any:
    return None if value is UNSET else value
