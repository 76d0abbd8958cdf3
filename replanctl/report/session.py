"""A run as a page: what it came to, what a person is handed, and how it went."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.kinds import Ending, Reason
from replanctl.report import findings, timeline
from replanctl.report.facts import Prompt, RunReport
from replanctl.report.html import Html, joined, tag
from replanctl.report.page import page
from replanctl.report.parts import (
    Section,
    bullets,
    cut,
    ends,
    facts,
    long_text,
    own,
    paragraph,
    sections,
    size,
    table,
    value,
)  # fmt: skip
from replanctl.run import HandOver, SessionResult
from replanctl.show import closing_line, handover, words


def run_page(report: RunReport) -> str:
    """The page of a run: the same for the same run, to the byte."""
    result = report.result
    kind = "rehearsal" if result.run is None else f"run {result.run}"
    return page(result.goal, _lead(result), list(_parts(report)), kind=kind)


def _parts(report: RunReport) -> Iterator[Section | None]:
    result = report.result
    yield _handed(result)
    yield timeline.timeline_section(report)
    yield timeline.versions_section(result)
    yield findings.failures(result)
    yield findings.gates(result)
    yield findings.variables(result)
    yield findings.gaps(result)
    yield findings.effects(result)
    yield findings.lessons(result)
    yield findings.tokens_section(result)
    yield _prompts(report)
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


PROMPTS = 40  # that are shown; of more the first and the last
UNKNOWN = "A result does not hold them: report the stored run, its events or the rehearsal to see them."


def _handed(result: SessionResult) -> Section | None:
    """Partial results, what never ran, the way there, and what to do next."""
    handed = result.handover
    if handed is None:
        return None
    return Section("handover", "Hand-over", joined([facts(_facts(result, handed)), _results(handed), _lists(handed)]))


def _facts(result: SessionResult, handed: HandOver) -> list[tuple[str, str]]:
    failed = handover.last_failure(result)
    return [
        ("Reason", words.REASONS.get(handed.reason, handed.reason)),
        *([("Gate", handover.gate_in_words(handed.gate))] if handed.gate is not None else []),
        *([("Newest failure", own(cut(failed)))] if failed else []),
        ("Never run", words.some([*handed.open], "…") or "no step is open"),
    ]


def _results(handed: HandOver) -> Html:
    if not handed.clean_results:
        return paragraph("No result is still clean.")
    rows = [[name, value(of)] for name, of in handed.clean_results.items()]
    return table("Results that may be used", ("Variable", "Value"), rows)


def _lists(handed: HandOver) -> Html:
    parts = []
    if handed.next:
        first, _, last = ends(handed.next)
        commands = tag("ul", *(tag("li", _command(command)) for command in (*first, *last)))
        parts.append(Section("next", "What to do next", commands))
    parts.append(Section("trajectory", "The way there", bullets([cut(line) for line in handed.trajectory])))
    return sections(parts, 3)


def _command(text: str) -> Html:
    return tag("code" if text.startswith("replanctl ") else "bdi", text)


def _prompts(report: RunReport) -> Section | None:
    """The text of each request, where there were any."""
    if report.prompts is None:
        asked = any(line.kind == "replan" for line in report.result.ledger.lines)
        return Section("prompts", "Prompts", paragraph(UNKNOWN)) if asked else None
    if not report.prompts:
        return None
    numbered = list(enumerate(report.prompts, start=1))
    first, more, last = ends(numbered, PROMPTS)
    note = [paragraph(f"… {words.plural(more, 'more prompt')} …", class_="note")] if more else []
    shown = [sections((_prompt(*one) for one in part), 3) for part in (first, last)]
    lead = paragraph("What a model would have been asked for each replan, letter by letter.", class_="note")
    return Section("prompts", "Prompts", joined([lead, shown[0], *note, shown[1]]))


def _prompt(number: int, prompt: Prompt) -> Section:
    came = f"for {prompt.version}" if prompt.version else "of which no version came"
    title = f"Prompt {number}, {came}"
    about = f"step {prompt.step_id} in {prompt.asked_in}" if prompt.step_id is not None else prompt.asked_in
    head = paragraph(f"Asked at {about}, to cut as deep as {prompt.granularity}: {size(prompt.text)}.", class_="note")
    return Section(f"prompt-{number}", title, joined([head, long_text(prompt.text, title)]))
