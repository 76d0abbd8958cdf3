"""What an import did: a line for each trace, then all of them together, then what they can't say."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Protocol

from replanctl.show.paper import Paper, Span
from replanctl.show.words import number, plural

MOST_LINES = 40  # traces that are told one by one; of more, those that came out as recorded are counted


# This room draws what it is given: what it reads of a report is said here as protocols, so that the room of traces,
# which has what it is about, need not be loaded to draw a line.
class Parted(Protocol):
    """Where rehearsal and recording part."""

    @property
    def at(self) -> int: ...
    @property
    def recorded(self) -> str: ...
    @property
    def came(self) -> str: ...
    @property
    def ended(self) -> str: ...


class TraceReport(Protocol):
    """What is shown of a trace."""

    @property
    def place(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def refused(self) -> str: ...
    @property
    def hint(self) -> str: ...
    @property
    def empty(self) -> bool: ...
    @property
    def calls(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def versions(self) -> int: ...
    @property
    def v1(self) -> int: ...
    @property
    def v1_whole(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def statuses(self) -> Mapping[str, int]: ...
    @property
    def solved(self) -> bool | None: ...
    @property
    def missing(self) -> tuple[str, ...]: ...
    @property
    def left_out(self) -> tuple[str, ...]: ...
    @property
    def faithful(self) -> bool | None: ...
    @property
    def parting(self) -> Parted | None: ...
    @property
    def file(self) -> str | None: ...


class Sums(Protocol):
    """What is shown of all of them."""

    @property
    def traces(self) -> int: ...
    @property
    def imported(self) -> int: ...
    @property
    def refused(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def statuses(self) -> Mapping[str, int]: ...
    @property
    def checked(self) -> int: ...
    @property
    def faithful(self) -> int: ...
    @property
    def replans(self) -> int: ...


def imported_screen(
    paper: Paper,
    reports: Sequence[TraceReport],
    sums: Sums,
    *,
    hidden: bool = False,
    brief: bool = False,
    unsolved: str = "",
) -> None:
    """Write the report. `hidden`: the values were changed; `brief`: only what went wrong, and the count; `unsolved`
    says of how many traces it is not known whether they were solved, where that was asked for."""
    # Of thousands of traces nobody reads a line each. Those that came out as recorded are the good news and can be
    # counted; whatever needs a person stands alone.
    told = reports if len(reports) <= MOST_LINES else [report for report in reports if _is_telling(report)]
    for report in told:
        _trace(paper, report)
    if len(told) < len(reports):
        _folded(paper, [report for report in reports if not _is_telling(report)])
    if reports:
        paper.blank()
    _sums(paper, sums)
    if unsolved:
        paper.line(Span(unsolved, "notice"), indent=2, hang=4)
    if not brief and sums.imported:
        _caution(paper, reports, hidden)


def unsolved_in_words(pointer: str, reports: Sequence[TraceReport]) -> str:
    """Of how many traces that were read a pointer finds nothing; empty where it finds something in each."""
    read = [report for report in reports if not report.refused]
    lacking = sum(report.solved is None for report in read)
    if not lacking:
        return ""
    who = "no trace has" if lacking == len(read) else f"{number(lacking)} of {plural(len(read), 'trace')} do not have"
    return f"--solved {pointer}: {who} a value there, so that it is not known whether {_they(len(read))} solved."


def _they(traces: int) -> str:
    return "it was" if traces == 1 else "they were"


def _folded(paper: Paper, reports: Sequence[TraceReport]) -> None:
    """What is not told one by one: rehearsals that go the recorded way, and traces without a call."""
    empty = sum(report.empty for report in reports)
    same = len(reports) - empty
    said = [*([f"{plural(same, 'rehearsal')} as recorded"] if same else [])]
    said += [f"{plural(empty, 'trace')} without a finished tool call"] if empty else []
    paper.line(f"not listed: {', '.join(said)} (--format json lists them)", indent=2)


def _is_telling(report: TraceReport) -> bool:
    return bool(report.faithful is False or report.missing or report.left_out or (report.refused and not report.empty))


def _trace(paper: Paper, report: TraceReport) -> None:
    glyphs = paper.glyphs
    if report.refused:
        # A trace without calls is nothing to mend: it is told apart from one that could not be read.
        mark = Span(glyphs.notice, "notice") if report.empty else Span(glyphs.failed, "failed")
        paper.line(mark, f" {report.id or report.place}  {report.refused}", indent=2, hang=4)
        if report.id:
            paper.line(Span(report.place, "dim"), indent=4)
        if report.hint:
            paper.line(Span(report.hint, "dim"), indent=4, hang=6)
        return
    mark = Span(glyphs.failed, "failed") if report.faithful is False else Span(glyphs.done, "done")
    paper.line(mark, f" {report.name}  ", Span(paper.joined(_facts(report)), "dim"), indent=2, hang=4)
    if report.parting is not None:
        parted = report.parting
        paper.line(f"parts at call {parted.at}: recorded {parted.recorded}, here {parted.came}", indent=4, hang=6)
        if parted.ended:
            paper.line(f"the rehearsal ended with {parted.ended}", indent=6)
    for note in (*(f"missing: {text}" for text in report.missing), *(f"left out: {text}" for text in report.left_out)):
        paper.line(Span(note, "notice"), indent=4, hang=6)


def _facts(report: TraceReport) -> list[str]:
    failed = [f"{count} {status}" for status, count in report.statuses.items() if status != "ok"]
    facts = [report.kind, plural(report.calls, "call"), plural(report.steps, "step"), f"{report.bound} bound", *failed]
    if report.versions > 1:
        facts.append(
            f"{report.versions} versions, v1 has {plural(report.v1, 'step')} ({report.v1_whole} with --plan whole)"
        )
    return facts


def _sums(paper: Paper, sums: Sums) -> None:
    refused = f", {number(sums.refused)} refused" if sums.refused else ""
    paper.line(
        Span(f"{plural(sums.traces, 'trace')}: {plural(sums.imported, 'rehearsal')}{refused}", "strong"), indent=2
    )
    if not sums.imported:
        return
    statuses = [f"{number(count)} {status}" for status, count in sums.statuses.items()]
    facts = [plural(sums.calls, "call"), plural(sums.steps, "step"), *statuses]
    facts += [plural(sums.replans, "replan"), f"{number(sums.bound)} values bound"]
    paper.line(paper.joined(facts), indent=2)
    if sums.checked:
        faithful = f"{number(sums.faithful)} of {number(sums.checked)}"
        paper.line(f"{faithful} make the same calls with the same args in the same order as recorded.", indent=2)


def _caution(paper: Paper, reports: Sequence[TraceReport], hidden: bool) -> None:
    paper.line("What flowed from call to call is inferred from equal values.", indent=2)
    if not hidden:
        text = "The files hold the recordings' values, which may be other people's data: --values shape or hash."
        paper.line(Span(text, "notice"), indent=2)
    first = next((report.file for report in reports if report.file), None)
    if first is not None:
        paper.line(Span("Next: ", "label"), Span(f"replanctl run {shlex.quote(first)}", "command"), indent=2)
