"""The names that frameworks give to the same things, one table per dialect. A new dialect is a row here, not code.

Names are looked up in a span's attributes. `@event/name` is the attribute `name` of the span's event `event`.
`@messages` and `@choices` are the messages that events of their own tell, `@gen_ai.prompt` those that are spread over
many names. The body of an ADOT log record is `body/input` and `body/output`. Of several names the first that is there
counts.
"""

from __future__ import annotations

import msgspec

Marks = tuple[tuple[str, str], ...]  # name, value (whatever the case); `*` is any value


class Dialect(msgspec.Struct, frozen=True):
    """How one convention writes spans down. `version` is the state of it that these names were read from.

    `tools`, `models` and `others` are marks of a span's kind, `scope` is a part of the instrumentation's name.
    `args_on` and `results_on` name the setting that records arguments and results, where there is one.
    """

    name: str
    version: str
    tools: Marks = ()
    models: Marks = ()
    others: Marks = ()
    tool: tuple[str, ...] = ()
    call_id: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    args_names: tuple[str, ...] = ()
    result: tuple[str, ...] = ()
    error_type: tuple[str, ...] = ()
    error_message: tuple[str, ...] = ()
    input_tokens: tuple[str, ...] = ()
    output_tokens: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    goal: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    args_on: str = ""
    results_on: str = ""


GENAI = Dialect(
    "OpenTelemetry GenAI",
    "semantic conventions 1.37",
    tools=(("gen_ai.operation.name", "execute_tool"),),
    models=(
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.operation.name", "generate_content"),
        ("gen_ai.operation.name", "text_completion"),
    ),
    others=(("gen_ai.operation.name", "*"),),
    tool=("gen_ai.tool.name",),
    call_id=("gen_ai.tool.call.id",),
    args=("gen_ai.tool.call.arguments", "gen_ai.tool.input"),
    result=("gen_ai.tool.call.result", "gen_ai.tool.output"),
    error_type=("error.type",),
    error_message=("error.message",),
    input_tokens=("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    output_tokens=("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    asked=("gen_ai.output.messages", "@gen_ai.client.inference.operation.details/gen_ai.output.messages"),
    answered=("gen_ai.input.messages", "@gen_ai.client.inference.operation.details/gen_ai.input.messages"),
    goal=(
        "gen_ai.input.messages",
        "@gen_ai.client.inference.operation.details/gen_ai.input.messages",
        "@gen_ai.user.message/content",
    ),
    scope=("openai_v2", "google_genai", "util.genai"),
    args_on="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true records arguments and results",
)
GENAI_EVENTS = Dialect(
    "OpenTelemetry GenAI events (Strands and others)",
    "semantic conventions 1.28 to 1.37",
    args=("@gen_ai.tool.message/content", "@gen_ai.client.inference.operation.details/gen_ai.input.messages"),
    result=("@gen_ai.choice/message", "@gen_ai.client.inference.operation.details/gen_ai.output.messages"),
    asked=("@choices",),
    answered=("@messages",),
)
ADK = Dialect(
    "Google ADK",
    "2.5",
    models=(("gcp.vertex.agent.llm_request", "*"),),
    args=("gcp.vertex.agent.tool_call_args",),
    result=("gcp.vertex.agent.tool_response",),
    asked=("gcp.vertex.agent.llm_response",),
    answered=("gcp.vertex.agent.llm_request",),
    goal=("gcp.vertex.agent.llm_request",),
    scope=("gcp.vertex.agent",),
    args_on="ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true records arguments and results",
)
ANY_AGENT = Dialect(
    "any-agent",
    "1.0",
    args=("gen_ai.tool.args",),
    result=("gen_ai.output",),
    scope=("any_agent",),
)
OPENINFERENCE = Dialect(
    "OpenInference",
    "semantic conventions 0.1.21",
    tools=(("openinference.span.kind", "TOOL"),),
    models=(("openinference.span.kind", "LLM"),),
    others=(("openinference.span.kind", "*"),),
    tool=("tool.name",),
    call_id=("tool.id", "tool_call.id", "tool.call_id"),
    args=("input.value", "tool.parameters"),
    args_names=("tool.parameters", "tool.json_schema"),
    result=("output.value",),
    error_type=("exception.type",),
    error_message=("exception.message",),
    input_tokens=("llm.token_count.prompt",),
    output_tokens=("llm.token_count.completion",),
    asked=("llm.output_messages",),
    answered=("llm.input_messages",),
    goal=("llm.input_messages", "input.value"),
    scope=("openinference",),
    args_on="OPENINFERENCE_HIDE_INPUTS=false records arguments",
    results_on="OPENINFERENCE_HIDE_OUTPUTS=false records results",
)
ADOT = Dialect(
    "ADOT log bodies",
    "AgentCore 2025",
    tools=(("body/kind", "tool"),),
    models=(("body/kind", "model"),),
    tool=("body/tool",),
    call_id=("body/call_id",),
    args=("body/input",),
    result=("body/output",),
    asked=("body/asked",),
    answered=("body/answered",),
    goal=("body/answered", "body/input"),
)
TRACELOOP = Dialect(
    "OpenLLMetry (Traceloop)",
    "0.47",
    tools=(("traceloop.span.kind", "tool"),),
    models=(("llm.request.type", "*"),),
    others=(("traceloop.span.kind", "*"),),
    tool=("traceloop.entity.name",),
    args=("traceloop.entity.input",),
    result=("traceloop.entity.output",),
    asked=("@gen_ai.completion",),
    answered=("@gen_ai.prompt",),
    goal=("traceloop.entity.input", "@gen_ai.prompt"),
    scope=("opentelemetry.instrumentation.",),
    args_on="TRACELOOP_TRACE_CONTENT=true records arguments and results",
)
PYDANTIC_AI = Dialect(
    "Pydantic AI",
    "1.0 to 2.9",
    tools=(("tool_arguments", "*"),),
    args=("tool_arguments",),
    result=("tool_response",),
    asked=(),
    answered=(),
    goal=("pydantic_ai.all_messages", "all_messages_events"),
    scope=("pydantic-ai", "pydantic_ai"),
    args_on="InstrumentationSettings(include_content=True) records arguments and results",
)
VERCEL = Dialect(
    "Vercel AI SDK",
    "5",
    tools=(("ai.operationId", "ai.toolCall"), ("operation.name", "ai.toolCall")),
    models=(("ai.operationId", "ai.generateText.doGenerate"), ("ai.operationId", "ai.streamText.doStream")),
    others=(("ai.operationId", "*"),),
    tool=("ai.toolCall.name",),
    call_id=("ai.toolCall.id",),
    args=("ai.toolCall.args", "ai.toolCall.input"),
    result=("ai.toolCall.result", "ai.toolCall.output"),
    input_tokens=("ai.usage.promptTokens", "ai.usage.inputTokens"),
    output_tokens=("ai.usage.completionTokens", "ai.usage.outputTokens"),
    goal=("ai.prompt",),
    args_on="experimental_telemetry: {recordInputs: true} records arguments",
    results_on="experimental_telemetry: {recordOutputs: true} records results",
)
LANGSMITH_OTEL = Dialect(
    "LangSmith over OpenTelemetry",
    "0.4",
    tools=(("langsmith.span.kind", "tool"),),
    models=(("langsmith.span.kind", "llm"),),
    others=(("langsmith.span.kind", "*"),),
    args=("gen_ai.prompt",),
    result=("gen_ai.completion",),
    args_on="LANGSMITH_HIDE_INPUTS=false records arguments",
    results_on="LANGSMITH_HIDE_OUTPUTS=false records results",
)
LANGFUSE_OTEL = Dialect(
    "Langfuse over OpenTelemetry",
    "3",
    tools=(("langfuse.observation.type", "tool"),),
    models=(("langfuse.observation.type", "generation"),),
    others=(("langfuse.observation.type", "*"),),
    args=("langfuse.observation.input",),
    result=("langfuse.observation.output",),
    error_message=("langfuse.observation.status_message",),
    goal=("langfuse.trace.input",),
)
AUTOGEN = Dialect(
    "AutoGen",
    "0.7",
    scope=("autogen",),
    args_on="AutoGen's own spans have no setting for it: use openinference-instrumentation-autogen-agentchat",
)
SEMANTIC_KERNEL = Dialect(
    "Semantic Kernel",
    "1.37",
    scope=("semantic_kernel", "agent_framework"),
    args_on="SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true records arguments and results",
)
MLFLOW = Dialect(
    "MLflow",
    "3",
    tools=(("mlflow.spanType", "TOOL"), ("mlflow.spanType", "FUNCTION")),
    models=(("mlflow.spanType", "CHAT_MODEL"), ("mlflow.spanType", "LLM")),
    others=(("mlflow.spanType", "*"),),
    tool=("mlflow.spanFunctionName",),
    args=("mlflow.spanInputs",),
    result=("mlflow.spanOutputs",),
    input_tokens=("mlflow.chat.tokenUsage/input_tokens",),
    output_tokens=("mlflow.chat.tokenUsage/output_tokens",),
    goal=("mlflow.spanInputs",),
    trace=("mlflow.traceRequestId",),
    args_on="mlflow.trace(span_type=SpanType.TOOL), or autolog, records inputs and outputs",
)

# Where several name the same thing, the one that stands first is asked first: the particular before the general.
DIALECTS: tuple[Dialect, ...] = (
    ADK,
    ANY_AGENT,
    VERCEL,
    PYDANTIC_AI,
    MLFLOW,
    GENAI,
    OPENINFERENCE,
    ADOT,
    TRACELOOP,
    LANGSMITH_OTEL,
    LANGFUSE_OTEL,
    GENAI_EVENTS,
    AUTOGEN,
    SEMANTIC_KERNEL,
)
# What a failed call's fields say beside the dialect's own, whatever the dialect.
ERROR_TYPES = ("exception.type", "@exception/exception.type", "error.type", "error.code")
ERROR_CODES = ("http.response.status_code", "http.status_code", "rpc.grpc.status_code", "http.status")
ERROR_MESSAGES = ("exception.message", "@exception/exception.message", "error.message", "otel.status_description")

# What says of a call that it failed, where the span's own status does not.
FAILED_MARKS: Marks = (
    ("otel.status_code", "error"),
    ("gen_ai.tool.status", "error"),
    ("tool.status", "error"),
    ("langfuse.observation.level", "error"),
)

# How span files are laid out: the names of the same thing in flat lists, OTLP and exports of platforms.
TRACE_ID = ("trace_id", "traceId", "context.trace_id", "traceID")
SPAN_ID = ("span_id", "spanId", "context.span_id", "spanID")
PARENT_ID = ("parent_span_id", "parentSpanId", "parent_id", "parentId")
NAME = ("name", "operationName", "span_name")
NANOSECONDS_BEGAN = ("startTimeUnixNano", "start_time_unix_nano")
NANOSECONDS_ENDED = ("endTimeUnixNano", "end_time_unix_nano")
NANOSECONDS_LOGGED = ("timeUnixNano", "time_unix_nano")  # a log record's: its place in the order, and no more
BEGAN = ("start_time", "startTime", "start")
ENDED = ("end_time", "endTime", "end")
DURATION = ("duration",)  # Jaeger's, in microseconds, where a span has no end
ATTRIBUTES = ("attributes", "tags")
ATTRIBUTE_COLUMN = "attributes."  # a table has a column for each
EVENTS = ("events", "span_events", "spanEvents")
STATUS = ("status", "status_code", "statusCode")
STATUS_MESSAGE = ("status_message", "statusMessage")
FAILED = frozenset({"ERROR", "STATUS_CODE_ERROR", "2"})
