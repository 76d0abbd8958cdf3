"""A recorded run in our own words, whatever it was read from, and whether it holds what a rehearsal needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.files import LONGEST, End
from replanctl.kinds import Status


# All formats meet here. A reader knows one format and makes a `Trace`; what follows (classification, binding, steps,
# versions) knows none. So a new format is a reader, and a new rule holds for all formats.
class Kind(StrEnum):
    """The formats that recordings are read from."""

    MESSAGES = "messages"
    OTEL = "otel"
    LANGSMITH = "langsmith"
    LANGFUSE = "langfuse"
    OPENAI_AGENTS = "openai-agents"
    MLFLOW = "mlflow"
    MAGENTIC = "magentic"
    REWOO = "rewoo"
    RUN = "run"


class RecordedCall(msgspec.Struct):
    """One tool call. `args` and `result` are UNSET where the recording does not hold them.

    `began` and `ended` are seconds on any clock, or places in the recording: only their order counts, `latency` is in
    seconds. `line` is where it stands in its file, 0 where that is not known. `cut` says that the args, or the result,
    were cut off by whoever recorded them.
    """

    tool: str
    args: dict[str, Any] | UnsetType = UNSET
    result: Any = UNSET
    status: Status = Status.OK
    message: str = ""
    cause: str = ""
    latency: float | None = None
    tokens: int | None = None
    began: float = 0.0
    ended: float = 0.0
    cut: str = ""
    action: str = ""
    retry_after: float | None = None


class Trace(msgspec.Struct):
    """One recorded run. `raw` is what a `--solved` pointer looks into.

    `missing` says what the recording did not hold, `left_out` what it held and a rehearsal has no place for; `hints`
    name the settings that would have recorded what is missing.
    """

    kind: Kind
    id: str = ""
    goal: str = ""
    calls: list[RecordedCall] = []
    end: End | None = None
    raw: Any = None
    place: str = ""
    missing: list[str] = []
    left_out: list[str] = []
    hints: list[str] = []
    sequence: bool = False  # the order of the calls is a dependency even where no value says so
    planned: bool = False  # it is a plan: nothing was called yet


class Refused(msgspec.Struct, frozen=True):
    """What could not be read: where, what it looks like, and the way out."""

    place: str
    reason: str
    hint: str = ""
    id: str = ""
    empty: bool = False


UNNAMED = "unnamed"


def shortfall(trace: Trace, *, partial: bool) -> Refused | None:
    """Why this trace makes no rehearsal, or None. What is missing and can be done without is noted in the trace."""
    if not trace.calls:
        left_out = f" ({trace.left_out[0]})" if trace.left_out else ""
        return Refused(trace.place, f"it holds no finished tool call{left_out}", id=trace.id, empty=True)
    for call in trace.calls:
        if not call.tool.strip():
            call.tool = UNNAMED
            trace.missing.append("the name of a tool")
        if call.latency is not None and call.latency > LONGEST:
            # One of its times is none: a clock that began at 1970, or a 0 in place of an end.
            call.latency = None
            trace.left_out.append(f"the time of a call of {call.tool}: longer than anything takes")
    if not trace.goal.strip():
        trace.missing.append("what was asked for")
    if trace.planned:
        return None
    # Nothing is made up. A rehearsal without args would bind nothing and match any call, one without results would hand
    # on empty values, and both would look like an import that worked.
    lacks = [what for what in (_without_args(trace), _without_results(trace), *_cut(trace)) if what]
    if lacks and not partial:
        # The way out is the recorder's own setting, which the dialect's row knows.
        hint = "; ".join([*dict.fromkeys(trace.hints), "--partial takes what there is"])
        return Refused(trace.place, "; ".join(lacks), hint, trace.id)
    trace.missing += lacks
    return None


def _without_args(trace: Trace) -> str:
    """Where some calls have their args, recording them was on: a call without any had none."""
    lacking = [call for call in trace.calls if call.args is UNSET]
    if not lacking:
        return ""
    # Recorders leave an empty mapping out: where others are there, none were given.
    if len(lacking) < len(trace.calls):
        return _note(trace, "arguments", lacking)
    return f"no call has arguments: the {_calls(len(lacking))} of {_tools(lacking)}"


def _without_results(trace: Trace) -> str:
    succeeded = [call for call in trace.calls if call.status is Status.OK]
    lacking = [call for call in succeeded if call.result is UNSET]
    if not lacking:
        return ""
    if len(lacking) < len(succeeded):
        return _note(trace, "results", lacking)
    return f"no call that succeeded has a result: the {_calls(len(lacking))} of {_tools(lacking)}"


def _note(trace: Trace, what: str, lacking: list[RecordedCall]) -> str:
    trace.missing.append(f"{what} of {_calls(len(lacking))} of {_tools(lacking)}")
    return ""


def _cut(trace: Trace) -> list[str]:
    return [f"the arguments of a call of {call.tool} were cut off" for call in trace.calls if call.cut]


def _calls(count: int) -> str:
    return f"{count} call{'s' * (count != 1)}"


def _tools(calls: list[RecordedCall]) -> str:
    names = list(dict.fromkeys(call.tool for call in calls))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
