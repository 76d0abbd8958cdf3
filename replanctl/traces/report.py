"""What an import did, for each trace and in all; and the check of faithfulness that it reports.

A rehearsal is run once, without gates, and makes the recorded calls, or the first other. Every failure goes to a
replan, so that the recorded drafts answer it. Repeats of one call after an environmental failure count as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from replanctl.files import End, Rehearsal
from replanctl.kinds import Granularity
from replanctl.replan import GateLimits, RouteRule, RoutingPolicy, ScriptedReplanner
from replanctl.run import Call, Event, Outcome, Policy, RetryPolicy, Session, SessionComplete
from replanctl.script import ScriptedTools

Calls = Sequence[tuple[str, dict[str, Any]]]  # tool and args

# The default routes would hand an environmental failure to a person and patch a small one. The recorded agent went on
# by itself every time, and a recorded draft lists all that came until the next failure: a `tail`.
_ROUTING = RoutingPolicy(rules=(RouteRule("recorded", Granularity.TAIL),))


class Parting(msgspec.Struct, frozen=True):
    """Where rehearsal and recording part: which call, what was recorded, what came, and how the session ended."""

    at: int
    recorded: str
    came: str
    ended: str = ""


class _Listening:
    """Scripted tools, and which calls were made of them; further attempts of one call are not counted."""

    def __init__(self, tools: ScriptedTools) -> None:
        self._tools = tools
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def call(self, call: Call) -> Outcome:
        """Answer as the script says."""
        # How often an execution layer tried again is its own affair; the agent made the call once.
        if call.attempt == 1:
            self.calls.append((call.tool, call.args))
        return self._tools.call(call)


def compared(recorded: Calls, rehearsal: Rehearsal) -> Parting | None:
    """Run a rehearsal with gates lifted and every failure sent to a replan; where it parts from the recording."""
    attempts = max((len(rule.returns) for rule in rehearsal.outcomes), default=1)
    policy = Policy(
        retry=RetryPolicy(max_attempts=attempts, backoff=0.0), routing=_ROUTING, gates=_lifted(len(rehearsal.planner))
    )
    tools = _Listening(ScriptedTools(rehearsal.outcomes))
    replanner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
    last: Event | None = None
    for event in Session(rehearsal.plan, policy, tools=tools, replanner=replanner, checked=True).events():
        last = event
    apart = parting(recorded, tools.calls)
    if apart is None or not isinstance(last, SessionComplete):
        return apart
    return msgspec.structs.replace(apart, ended=f"{last.reason}: {last.detail}" if last.detail else last.reason)


def _lifted(replans: int) -> GateLimits:
    """No limits, but on replans: there is one for each that was recorded, so that no session goes round for ever."""
    return GateLimits(
        per_step=None,
        max_replans=replans,
        max_replan_tokens=None,
        max_steps=None,
        max_tool_calls=None,
        max_seconds=None,
        max_repeat=None,
    )


def parting(recorded: Calls, made: Calls) -> Parting | None:
    """The first call that differs, or None where all are the same."""
    for number, (one, other) in enumerate(zip(recorded, made, strict=False), start=1):
        if one[0] != other[0] or _bytes(one[1]) != _bytes(other[1]):
            return Parting(number, _told(one), _told(other))
    if len(recorded) == len(made):
        return None
    at = min(len(recorded), len(made))
    longer = recorded if len(recorded) > len(made) else made
    told = (_told(longer[at]), "no call")
    return Parting(at + 1, *(told if longer is recorded else told[::-1]))


def _bytes(args: dict[str, Any]) -> bytes:
    # Two mappings with the same keys in another order are the same args.
    return msgspec.json.encode(args, order="deterministic")


def _told(call: tuple[str, dict[str, Any]]) -> str:
    text = f"{call[0]} {msgspec.json.encode(call[1]).decode()}"
    return text if len(text) <= 100 else f"{text[:99]}…"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One trace. `refused` says why there is no rehearsal of it, empty where there is one.

    `attempts` counts every recorded call, `steps` those that are calls of their own, `versions` the plans of the
    recorded run, `v1` the steps of its first and `v1_whole` those of a plan of all that succeeded; `statuses` counts
    the attempts by status, `bound` the values of args that became references. `faithful` is None where nothing was run.
    `file` is where the rehearsal was written, if it was.
    """

    place: str
    kind: str = ""
    id: str = ""
    name: str = ""
    refused: str = ""
    hint: str = ""
    empty: bool = False
    calls: int = 0
    steps: int = 0
    attempts: int = 0
    versions: int = 0
    v1: int = 0
    v1_whole: int = 0
    bound: int = 0
    statuses: dict[str, int] = {}
    end: End | None = None
    solved: bool | None = None
    missing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    faithful: bool | None = None
    parting: Parting | None = None
    file: str | None = None


class Imported(msgspec.Struct, frozen=True):
    """A rehearsal made of a trace, with its report. `document` and `text` are None where the trace was refused.

    `document` is the rehearsal as plain values, `text` the same as YAML. It unpacks into document and report.
    """

    report: Report
    document: dict[str, Any] | None = None
    text: str | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.document, self.report))


class Totals(msgspec.Struct, frozen=True):
    """All traces of an import together; `checked` counts those that were run, `faithful` those that went that way."""

    traces: int
    imported: int
    refused: int
    calls: int
    steps: int
    attempts: int
    bound: int
    statuses: dict[str, int]
    checked: int
    faithful: int
    replans: int


def totals(reports: Iterable[Report]) -> Totals:
    """The sums over reports."""
    all_ = list(reports)
    read = [report for report in all_ if not report.refused]
    statuses: Counter[str] = Counter()
    for report in read:
        statuses.update(report.statuses)
    return Totals(
        traces=len(all_),
        imported=len(read),
        refused=len(all_) - len(read),
        calls=sum(report.calls for report in read),
        steps=sum(report.steps for report in read),
        attempts=sum(report.attempts for report in read),
        bound=sum(report.bound for report in read),
        statuses=dict(sorted(statuses.items())),
        checked=sum(report.faithful is not None for report in read),
        faithful=sum(report.faithful is True for report in read),
        replans=sum(max(0, report.versions - 1) for report in read),
    )
