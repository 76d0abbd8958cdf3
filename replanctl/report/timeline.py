"""How a session went: its executions in time, and the plan's versions with what each replan changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from replanctl.kinds import ChangeKind, StepState
from replanctl.plan import StepChange, diff_plans
from replanctl.report.facts import RunReport
from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import (
    SHOWN,
    Group,
    Section,
    Stretch,
    bar,
    bullets,
    cut,
    ends,
    grouped,
    marked,
    own,
    paragraph,
    sections,
    table,
    value,
)
from replanctl.run import ExecutionView, SessionResult, StepView, VersionView
from replanctl.show import RESUMED, changes, diff, glyphs_for, words

HEADS = ("Step", "Action", "Calls", "Outcome", "Began", "Took", "When")


def timeline_section(report: RunReport) -> Section | None:
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


# The first and last 200 executions may belong to a few of 1,000 versions, each of 10,000 steps: only those that are
# shown are indexed.
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
    # Without the events nobody knows when each call began: then an execution is one stretch, which shows no waits.
    plain = (Stretch(each.started, each.ended, "done" if each.status is StepState.DONE else "failed"),)
    calls = report.calls.get(each.seq, plain) if report.calls is not None else plain
    said = (
        f"from {words.seconds(each.started)} to {words.seconds(each.ended)}, {words.plural(len(each.attempts), 'call')}"
    )
    return bar(calls, _whole(report), said)


VERSIONS = 40  # that are shown; of more the first and the last
GLYPHS = glyphs_for("utf-8")
STATES = {
    StepState.DONE: ("✓", "done"),
    StepState.FAILED: ("✗", "failed"),
    StepState.SKIPPED: ("○", "note"),
    StepState.RUNNING: ("…", "note"),
    StepState.PENDING: ("·", "note"),
}
_CHANGES = {
    ChangeKind.REVISED: ("revised", "warn"),
    ChangeKind.REWIRED: ("rests on others", "warn"),
    ChangeKind.REMOVED: ("removed", "failed"),
    ChangeKind.ADDED: ("added", "done"),
}


def versions_section(result: SessionResult) -> Section | None:
    """A part for each version; the last plan comes with the state of its steps."""
    versions = result.versions
    if not versions:
        return None
    changed = [(new, _changes(result, old, new)) for old, new in pairwise(versions)]
    first, more, last = ends(changed, VERSIONS)
    parts = [_part(versions[0].version, versions[0].version, _steps(versions[0], states=len(versions) == 1))]
    parts += [_part(new.version, new.version, body) for new, body in first]
    note = [paragraph(f"… {words.plural(more, 'more version')} …", class_="note")] if more else []
    late = [_part(new.version, new.version, body) for new, body in last]
    if len(versions) > 1:
        end = versions[-1]
        late.append(_part("end", f"{end.version} as it ended", _steps(end, states=True)))
    body = joined([sections(parts, 3), *note, sections(late, 3)])
    return Section("versions", "Plan versions", body)


def _part(name: str, title: str, body: Html) -> Section:
    return Section(f"version-{name}", title, body)


def why(result: SessionResult, version: VersionView) -> str:
    """Why a version was made: `tail, because step 3 failed (assumption): no public price list`."""
    if version.parent is None:
        return "the first plan"
    if version.granularity is None:
        # Without a granularity no replanner cut anything: a person changed the plan when the run was taken up again.
        return RESUMED
    # A version's cause names step and class; the newest signal of that kind in the version before is the one that was
    # answered.
    said = [
        signal.error_msg
        for signal in result.signals
        if signal.version == version.parent and f"{signal.error_type}@{signal.step_id}" == version.cause
    ]
    return f"{version.granularity}, because {words.version_cause(version.cause)}{f': {cut(said[-1])}' if said else ''}"


def _changes(result: SessionResult, old: VersionView, new: VersionView) -> Html:
    found = diff_plans(old.steps, new.steps, old_name=old.version, new_name=new.version)
    head = [paragraph(own(why(result, new)), *([f"; rule {new.rule}"] if new.rule else []), ".")]
    if not found.changes:
        return joined([*head, paragraph("No step is another one.")])
    # A tail lists what rests on the failure again under new ids. Shown step by step that would bury the one step that
    # really changed.
    listed = changes.listed_again(found.changes, changes.results_kept(result, old))
    removed = {change.id: change.old for change in found.changes if change.kind is ChangeKind.REMOVED}
    rows = [*_listed_again(listed), *(_change(change, removed) for change in listed.others)]
    caption = f"What {new.version} changed in {old.version}"
    whole = table(caption, ("Step", "Change", "Action", "Details"), rows)
    return joined([*head, whole, paragraph(diff.count_line(found, listed))])


def _listed_again(listed: changes.Again) -> Iterator[list[str]]:
    """A row for the steps that left with their results kept, and one for those that only have another id."""
    if listed.held:
        yield [words.some([*listed.held], "…"), _marked("=", "done", "note"), "left the plan, the result is kept", ""]
    if listed.old:
        old, new = (words.some([*ids], "…") for ids in (listed.old, listed.new))
        yield [old, _marked("=", "listed again", "note"), f"as {new}, nothing else changed", ""]


def _change(change: StepChange, removed: Mapping[str, StepView]) -> list[str]:
    action, _, note, below, _ = changes.describe(change, GLYPHS, removed).without_tool(GLYPHS)
    said, kind = _CHANGES[change.kind]
    gone = "gone" if change.kind is ChangeKind.REMOVED else None
    details = [line for line in (note, *below) if line]
    listed: Html | str = bullets(details) if len(details) > 1 else joined(details)
    return [change.id, _marked(change.kind.value, said, kind), tag("bdi", cut(action), class_=gone), listed]


def _marked(mark: str, said: str, kind: str) -> Html:
    return tag("span", tag("span", mark, aria_hidden="true", class_="mark"), " ", said, class_=kind)


def _steps(version: VersionView, *, states: bool) -> Html:
    heads = ["Step", "Action", "Tool", "Args", "Rests on", *(["Assumes"] if _assumes(version.steps) else [])]
    rows = [_step(step, heads, states=states) for step in version.steps]
    caption = f"The {words.plural(len(rows), 'step')} of {version.version}"
    return table(caption, [*heads, *(["State at the end"] if states else [])], rows)


def _assumes(steps: Sequence[StepView]) -> bool:
    return any(step.assumes for step in steps)


def _step(step: StepView, heads: Sequence[str], *, states: bool) -> list[str]:
    cells = [
        step.id,
        own(cut(step.action)),
        tag("code", step.tool),
        value(step.args) if step.args else "none",
        ", ".join(step.depends_on) or "nothing",
    ]
    if "Assumes" in heads:
        cells.append(", ".join(step.assumes))
    if states:
        mark, kind = STATES[step.state]
        cells.append(marked(mark, str(step.state), kind))
    return cells
