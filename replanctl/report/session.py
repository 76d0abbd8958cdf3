"""A run as a page: what it came to, what a person gets, and how it went."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.kinds import Ending, Reason
from replanctl.report import decisions, findings, handing, timeline, tokens, versions
from replanctl.report.facts import RunReport
from replanctl.report.html import Html, joined, tag
from replanctl.report.page import page
from replanctl.report.parts import Section, facts, paragraph
from replanctl.run import SessionResult
from replanctl.show import closing_line, words


def run_page(report: RunReport) -> str:
    """The page of a run: the same for the same run, to the byte."""
    result = report.result
    kind = "rehearsal" if result.run is None else f"run {result.run}"
    return page(result.goal, _lead(result), list(_parts(report)), kind=kind)


def _parts(report: RunReport) -> Iterator[Section | None]:
    result = report.result
    yield handing.over(result)
    yield timeline.section(report)
    yield versions.section(result)
    yield decisions.failures(result)
    yield decisions.gates(result)
    yield findings.variables(result)
    yield findings.gaps(result)
    yield findings.effects(result)
    yield findings.lessons(result)
    yield tokens.section(result)
    yield handing.prompts(report)
    yield findings.warnings(result)


_MET = {Reason.GOAL_MET: ("✓", "done"), Reason.GOAL_MET_WITH_GAPS: ("◐", "warn")}


def _lead(result: SessionResult) -> Html:
    ending, cost = closing_line(result)
    mark, kind = _MET.get(result.reason, ("✗", "failed"))
    if result.status is not Ending.COMPLETED:
        mark, kind = "✗", "failed"
    said = paragraph(tag("span", f"{mark} ", aria_hidden="true"), f"{ending}{cost}", class_=f"verdict {kind}")
    return joined([said, *([paragraph(result.detail)] if result.detail else []), facts(_figures(result))])


def _figures(result: SessionResult) -> Iterator[tuple[str, str]]:
    totals = result.ledger.totals
    yield "Ended", f"{result.status}, {result.reason}"
    yield "Session time", words.seconds(result.seconds)
    yield "Plan versions", words.number(len(result.versions))
    yield "Executions", words.number(sum(bool(each.attempts) for each in result.history))
    yield "Tool calls", words.number(sum(len(each.attempts) for each in result.history))
    yield "Replans", words.number(sum(line.kind == "replan" for line in result.ledger.lines))
    yield (
        "Tokens",
        f"{words.number(totals.all)}: main flow {words.number(totals.main)}, remedy {words.number(totals.remedy)}",
    )
