"""When each step ran: a row an execution, its calls as a bar along the session's time."""

from __future__ import annotations

from itertools import groupby

from replanctl.kinds import StepState
from replanctl.report.facts import RunReport
from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import (
    SHOWN,
    Group,
    Section,
    Stretch,
    bar,
    cut,
    ends,
    grouped,
    marked,
    own,
    paragraph,
    value,
)
from replanctl.report.versions import STATES, why
from replanctl.run import ExecutionView, SessionResult
from replanctl.show import words

HEADS = ("Step", "Action", "Calls", "Outcome", "Began", "Took", "When")


def section(report: RunReport) -> Section | None:
    """A table in the order in which executions ended, by the version they belong to."""
    history = report.result.history
    if not history:
        return None
    first, more, last = ends(history)
    actions, begun = _Actions(report.result), {each.version: each for each in report.result.versions}
    groups = []
    for part in (first, last):
        for version, executions in groupby(part, key=lambda each: each.version):
            title = f"{version}: {why(report.result, begun[version])}" if version in begun else version
            groups.append(Group(title, [_row(each, report, actions) for each in executions]))
    caption = f"Executions and skipped steps as they ended; the bars are on the session's {_long(report)}"
    notes = ["A filled bar is a call that was answered as expected, a hollow one a call that failed, a line a wait."]
    if more:
        notes.append(f"The first and the last {SHOWN // 2} are shown; {words.number(more)} between them are not.")
    whole = grouped(caption, HEADS, groups, numbers=("Began", "Took"))
    return Section("timeline", "Timeline", joined([paragraph(" ".join(notes), class_="note"), whole]))


def _long(report: RunReport) -> str:
    return words.seconds(_whole(report))


def _whole(report: RunReport) -> float:
    return max(report.result.seconds, report.result.history[-1].ended)


class _Actions:
    """What a step of a version is for; versions are looked at when they are asked for."""

    def __init__(self, result: SessionResult) -> None:
        self._versions = {each.version: each.steps for each in result.versions}
        self._found: dict[str, dict[str, str]] = {}

    def of(self, version: str, step_id: str) -> str:
        if version not in self._found:
            self._found[version] = {step.id: step.action for step in self._versions.get(version, ())}
        return self._found[version].get(step_id, "")


def _row(each: ExecutionView, report: RunReport, actions: _Actions) -> list[str]:
    mark, kind = STATES[each.status]
    action = own(cut(actions.of(each.version, each.step_id) or each.tool))
    args = [tag("div", value(each.args), class_="note")] if each.args else []
    return [
        each.step_id,
        joined([action, " ", tag("code", each.tool), *args]),
        _calls(each),
        _outcome(each, mark, kind),
        words.seconds(each.started),
        words.seconds(each.ended - each.started) if each.attempts else "",
        _bar(each, report),
    ]


def _calls(each: ExecutionView) -> str:
    called = [
        f"{a.tool if a.tool != each.tool else ''} {a.status} {words.seconds(a.latency)}".strip() for a in each.attempts
    ]
    first, more, last = ends(called, 12)
    return ", ".join([*first, *([f"… {more} more …"] if more else []), *last]) or "none"


def _outcome(each: ExecutionView, mark: str, kind: str) -> Html:
    said = marked(mark, str(each.status), kind)
    if each.error is None:
        return said
    return joined([said, f", {each.error.error_type}: ", own(cut(each.error.error_msg))])


def _bar(each: ExecutionView, report: RunReport) -> Html:
    if not each.attempts:
        return Html("")
    plain = (Stretch(each.started, each.ended, "done" if each.status is StepState.DONE else "failed"),)
    calls = report.calls.get(each.seq, plain) if report.calls is not None else plain
    said = (
        f"from {words.seconds(each.started)} to {words.seconds(each.ended)}, {words.plural(len(each.attempts), 'call')}"
    )
    return bar(calls, _whole(report), said)
