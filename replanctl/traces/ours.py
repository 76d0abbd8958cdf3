"""Runs of our own: `--format json`, a result, and `--format jsonl`, its events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from replanctl.files import End
from replanctl.kinds import Status
from replanctl.run import AnyEvent, ResultFold
from replanctl.traces.content import loads, sound
from replanctl.traces.trace import Kind, RecordedCall, Refused, Trace

_STATUSES = frozenset(status.value for status in Status)


def is_result(value: Any) -> bool:
    """Whether this is the result of a run of ours."""
    return isinstance(value, dict) and {"history", "versions", "goal", "status"} <= value.keys()


def is_event(value: Any) -> bool:
    """Whether this is an event of a run of ours."""
    return isinstance(value, dict) and {"seq", "at", "version", "type"} <= value.keys()


def is_ours(value: Any) -> bool:
    """Whether this is a result or an event of a run of ours."""
    return is_result(value) or is_event(value)


class Ours:
    """Reads results, one a value, and events, all of which make runs: each begins with `session.start`."""

    def __init__(self, place: str) -> None:
        self._source = place
        self._fold: ResultFold | None = None

    def feed(self, value: Any, place: str) -> Iterator[Trace | Refused]:
        """Take in a result or an event."""
        if is_event(value):
            if value["type"] == "session.start":
                yield from self.close()
                self._fold = ResultFold()
                self._source = place
            yield from self._take(value, place)
        elif is_result(value):
            yield _trace(value, place)
        else:
            yield Refused(place, "it is neither a result nor an event")

    def _take(self, value: Any, place: str) -> Iterator[Refused]:
        if self._fold is None:
            yield Refused(place, "the events before this one are missing: no session.start")
            return
        try:
            self._fold.apply(msgspec.convert(value, AnyEvent, strict=False))
        except (msgspec.ValidationError, LookupError, TypeError, ValueError, AttributeError) as error:
            yield Refused(place, f"no event of ours: {error}")

    def close(self) -> Iterator[Trace]:
        """The run whose events came."""
        fold, self._fold = self._fold, None
        if fold is not None:
            yield _trace(loads(msgspec.json.encode(fold.result())), self._source)


def _trace(result: dict[str, Any], place: str) -> Trace:
    end = {"completed": End.COMPLETED, "failed": End.FAILED}.get(str(result.get("status")))
    # A run that broke off may be taken up again: it has no end yet.
    end = None if result.get("reason") == "interrupted" else end
    run = result.get("run")
    id_ = f"run-{run}" if isinstance(run, int) else ""
    calls = [call for row in _rows(result) for call in _calls(row)]
    goal = result.get("goal")
    return Trace(Kind.RUN, id_, goal if isinstance(goal, str) else "", calls, end, result, place)


def _rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    history = result.get("history")
    rows = [row for row in history if isinstance(row, dict)] if isinstance(history, list) else []
    return sorted(rows, key=lambda row: _seconds(row.get("started")))


def _calls(row: dict[str, Any]) -> Iterator[RecordedCall]:
    """The calls of one execution, one an attempt; the last carries what it came to."""
    attempts = row.get("attempts")
    attempts = [a for a in attempts if isinstance(a, dict)] if isinstance(attempts, list) else []
    args = row.get("args")
    clock = _seconds(row.get("started"))
    for number, attempt in enumerate(attempts):
        said = attempt.get("status")
        status = Status(said) if said in _STATUSES else Status.ERROR
        call = RecordedCall(
            str(attempt.get("tool") or row.get("tool") or "tool"),
            sound(args) if isinstance(args, dict) else {},
            status=status,
            latency=round(_seconds(attempt.get("latency")), 6),
            began=clock,
            ended=(clock := clock + _seconds(attempt.get("latency"))),
        )
        if status is Status.OK:
            call.result = sound(row.get("result"))
        elif number == len(attempts) - 1 and isinstance(row.get("error"), dict):
            call.message = str(row["error"].get("error_msg") or "")
        yield call


def _seconds(value: Any) -> float:
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0 else 0.0
    )
