"""Whether a trace holds what a rehearsal needs: tool calls, what they were given, and what came back."""

from __future__ import annotations

from msgspec import UNSET

from replanctl.kinds import Status
from replanctl.traces.trace import RecordedCall, Refused, Trace

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
    if not trace.goal.strip():
        trace.missing.append("what was asked for")
    if trace.planned:
        return None
    lacks = [what for what in (_without_args(trace), _without_results(trace), *_cut(trace)) if what]
    if lacks and not partial:
        hint = "; ".join([*dict.fromkeys(trace.hints), "--partial takes what there is"])
        return Refused(trace.place, "; ".join(lacks), hint, trace.id)
    trace.missing += lacks
    return None


def _without_args(trace: Trace) -> str:
    """Where some calls have their args, recording them was on: a call without any had none."""
    lacking = [call for call in trace.calls if call.args is UNSET]
    if not lacking:
        return ""
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
