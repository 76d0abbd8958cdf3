"""Exports of platforms whose records are mappings with names of their own: LangSmith, Langfuse, OpenAI Agents.

One table each; `records` reads what they have in common.
"""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.traces.trace import Kind

Paths = tuple[tuple[str, ...], ...]


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
