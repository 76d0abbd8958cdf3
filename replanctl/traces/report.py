"""What an import did: for each trace, and in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from replanctl.files import End
from replanctl.traces.check import Parting


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
