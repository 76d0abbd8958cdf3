"""One step's story on a screen: what it was, what it tried, what was done about it, and where it stands now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import structs

from replanctl.kinds import ChangeKind, StepState
from replanctl.plan import Step, StepChange, same_args, step_change
from replanctl.run import Blocker, ExecutionStory, StepStart, Story, VersionStory, error_in_words
from replanctl.show.changes import describe, unreferenced
from replanctl.show.columns import Columns
from replanctl.show.diff import change_row, same_row
from replanctl.show.execution import ExecutionLines
from replanctl.show.failure import refusal
from replanctl.show.marks import state_span, title
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.text import Glyphs
from replanctl.show.words import REASONS, RESUMED, number, version_cause

FIRST, LAST = 2, 4  # entries of a long story that are shown; those between them are counted

# What becomes of a step, and how a change is drawn.
_STATES: dict[StepState | None, tuple[str, str]] = {
    StepState.DONE: ("done", "done"),
    StepState.FAILED: ("failed", "failed"),
    StepState.SKIPPED: ("skipped", "skipped"),
    StepState.PENDING: ("not run", "notice"),
    StepState.RUNNING: ("running", "notice"),
    None: ("left the plan", "notice"),
}
_FOR = {StepState.PENDING: "waits for", StepState.SKIPPED: "because of"}


def why_screen(paper: Paper, story: Story, run: int | None) -> None:
    """Write the story of a step of this run; None is one that is not stored."""
    columns = Columns(paper)
    columns.grow(_forms(story))
    executions, following = ExecutionLines(columns), _next_calls(story.entries)
    _head(paper, story, run)
    columns.head()
    for told in _shown(story.entries):
        if isinstance(told, VersionStory):
            _change(columns, told)
        elif isinstance(told, ExecutionStory):
            executions.write(told, following.get(id(told)))
        else:
            more = f"{paper.glyphs.ellipsis} {number(told)} more changes and executions: --format json tells them all"
            paper.line(Span(more, "dim"), indent=2)
    _end(paper, story)


def _next_calls(entries: Sequence[VersionStory | ExecutionStory]) -> dict[int, StepStart]:
    """The next call of the same tool after each execution that failed, by the identity of the execution."""
    # A step that was called with other args is best understood by what became of them. Another tool takes other args:
    # there everything would be new, which the change between the two says already.
    calls = [told for told in entries if isinstance(told, ExecutionStory) and told.started is not None]
    return {
        id(told): later.started for told, later in pairwise(calls)
        if told.ended is not None and told.ended.error is not None and later.started is not None
        and told.step.tool == later.step.tool
    }  # fmt: skip


def _forms(story: Story) -> Iterator[Step]:
    """The step as it was at each time."""
    for told in story.entries:
        step = told.step if isinstance(told, ExecutionStory) else told.new
        if step is not None:
            yield step


def _shown(entries: Sequence[VersionStory | ExecutionStory]) -> Iterator[VersionStory | ExecutionStory | int]:
    """All of them; of very many the first and the last, and between them how many are left out."""
    # A step that was replanned fifty times is told by how it began and how it ended.
    left_out = len(entries) - FIRST - LAST
    if left_out <= 1:
        yield from entries
        return
    yield from entries[:FIRST]
    yield left_out
    yield from entries[-LAST:]


def _head(paper: Paper, story: Story, run: int | None) -> None:
    word, style = _STATES[story.state]
    here = story.line[-1]
    as_what = f", as step {here}" if here != story.step_id and story.state is not None else ""
    mark = state_span(story.state, paper)
    paper.line(
        *((mark, " ") if mark.text.strip() else ()),
        Span(f"step {story.step_id}{'' if run is None else f' of run {run}'}: ", "title"),
        Span(word, style),
        as_what,
        indent=2,
    )
    if len(story.line) > 1:
        entry(paper, "lineage", f" {paper.glyphs.arrow} ".join(_ends(story.line, paper.glyphs.ellipsis)))
    paper.blank()


def _ends(line: Sequence[str], ellipsis: str) -> Sequence[str]:
    """A lineage; of a long one its ends."""
    return line if len(line) <= FIRST + LAST + 1 else [*line[:FIRST], ellipsis, *line[-LAST:]]


def _change(columns: Columns, change: VersionStory) -> None:
    """A version, and what it made of the step."""
    columns.paper.line(Span(change.version, "version"), _because(change), indent=2, hang=5)
    difference = step_change(change.old, change.new)
    said = describe(difference, columns.paper.glyphs, {}, columns.below)
    again = change.old is not None and change.new is not None and _is_listed_again(change.old, change.new, difference)
    below = () if again else said.below
    if beside := _unseen(change, difference, columns.paper.glyphs, below):
        said = said._replace(note=beside)
    if change.old is None or change.new is None:
        change_row(columns, difference, said)
    elif again:
        same_row(columns, difference.id, said._replace(words=title(change.new), below=()))
    elif change.old.id != change.new.id:  # as in the diff of the whole plan: another step, in the place of this one
        change_row(columns, structs.replace(difference, kind=ChangeKind.ADDED), said)
    else:
        change_row(columns, difference, said)


def _is_listed_again(old: Step, new: Step, difference: StepChange) -> bool:
    """Whether nothing is done otherwise: the same step, or one that reads and rests on what took the others' places."""
    if old.id == new.id:
        return not difference.fields
    return (title(old), old.tool, len(old.depends_on or ())) == (title(new), new.tool, len(new.depends_on or ())) and (
        same_args(unreferenced(old.args), unreferenced(new.args))
    )


def _because(change: VersionStory) -> str:
    """Why there is this version; nothing for the first."""
    if change.granularity is not None:
        return f" {change.granularity}, because {version_cause(change.cause)}"
    return "" if change.rule is None else f" {RESUMED}"


def _unseen(change: VersionStory, difference: StepChange, glyphs: Glyphs, below: Sequence[str]) -> str:
    """What a difference and the lines `below` do not show: whose place was taken, which premises went, no change."""
    old, new = change.old, change.new
    if old is None or new is None:
        return ""
    if old.id != new.id:
        needs = f" {glyphs.dot} rests on {_needs(old)} {glyphs.arrow} {_needs(new)}"
        told = old.depends_on == new.depends_on or any(line.startswith("rests on") for line in below)
        return f"instead of {old.id}{'' if told else needs}"
    gone = [name for name in old.assumes if name not in new.assumes]
    if gone:
        return f"no longer assumes {', '.join(gone)}"
    return "" if difference.fields else "as it was, to be run again"


def _needs(step: Step) -> str:
    return ", ".join(step.depends_on or ()) or "nothing"


def _end(paper: Paper, story: Story) -> None:
    """Why the step stands where it stands, unless it is done."""
    # A step that is done, or gone, needs no reason for standing where it does.
    if story.state in (StepState.DONE, None):
        return
    paper.blank()
    for at, blocker in enumerate(story.blockers):
        entry(paper, "" if at else _FOR[story.state], _blocker(blocker))
    if story.stop is not None:
        entry(paper, "stopped", refusal(story.stop), style="failed")
    ending = story.ending
    if ending is None:
        entry(paper, "session", "broken off before it came to an end")
    else:
        why = ending.detail or REASONS.get(ending.reason, "")
        entry(paper, "session", f"{ending.status}, {ending.reason}", f": {why}" if why else "")


def _blocker(blocker: Blocker) -> str:
    error = f": {error_in_words(blocker.error)}" if blocker.error is not None else ""
    return f"step {blocker.step_id} ({_STATES[blocker.state][0]}){error}"
