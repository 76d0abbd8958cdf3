"""A plan diff as lines: below a replan on the screen, for `diff`, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby

from replanctl.kinds import ChangeKind
from replanctl.plan import PlanDiff, StepChange, StepLike
from replanctl.show.changes import Again, Described, describe, listed_again
from replanctl.show.columns import NARROW, Columns
from replanctl.show.paper import Paper, Span
from replanctl.show.stretch import ids_in_words
from replanctl.show.text import UNICODE, Glyphs, clean, width
from replanctl.show.words import number, plural

_STYLES = {
    ChangeKind.REVISED: "revised",
    ChangeKind.REWIRED: "rewired",
    ChangeKind.REMOVED: "gone",
    ChangeKind.ADDED: "added",
}
NOTES, LEAST = 40, 20  # columns of text after which notes begin: sooner where they need the room, within bounds
CUT_FROM = 48  # columns of text beside a note: rather cut there than folded


# Compare first, draw second: what changed comes from the one differ in `plan`, and this only chooses words and places.
# What did not change is not shown, but counted, and the line at the end counts everything, so that a reader can check
# that nothing was left out without a word.
def diff_rows(
    columns: Columns,
    diff: PlanDiff,
    kept: Sequence[str] = (),
    *,
    held: Container[str] = (),
    most: int | None = None,
) -> None:
    """Write what changed and one line that counts it. `kept` names the unchanged steps, where they are few, and `held`
    those whose results stay, whatever becomes of the steps.

    Of more than `most` steps in a row to which the same happened the others become one line with their number.
    """
    again = listed_again(diff.changes, held)
    columns.grow(change.new for change in diff.changes if change.new is not None)
    if diff.kept and diff:
        text = "kept" if kept else f"{plural(diff.kept, 'step')} kept"
        _row(columns, Span(columns.paper.pad("=", columns.mark), "dim"), " ".join(kept), Span(text, "dim"))
    _listed_again(columns, again)
    removed = {change.id: change.old for change in diff.changes if change.kind is ChangeKind.REMOVED}
    stretches = [list(group) for _, group in groupby(again.others, key=lambda change: change.kind)]
    described = [
        [describe(change, columns.paper.glyphs, removed, columns.below) for change in changes[:most]]
        for changes in stretches
    ]
    beside = _note_column(columns, [words for stretch in described for words in stretch])
    for changes, stretch in zip(stretches, described, strict=True):
        for change, words in zip(changes, stretch, strict=False):
            _change(columns, change, words, beside)
        _more(columns, changes[len(stretch) :])
    columns.paper.line(Span(count_line(diff, again), "strong"), indent=columns.left, hang=columns.left)


def _listed_again(columns: Columns, again: Again) -> None:
    """One line for the steps that left with their results kept, and one for those that only have another id."""
    for ids, text in unchanged(again, columns.paper.glyphs):
        _row(columns, Span(columns.paper.pad("=", columns.mark), "dim"), ids, Span(text, "dim"))


def unchanged(again: Again, glyphs: Glyphs) -> Iterator[tuple[str, str]]:
    """What was done with steps of which nothing is lost: which ones, and the words for it."""
    if again.held:
        results = "its result is kept" if len(again.held) == 1 else "their results are kept"
        yield ids_in_words(again.held, glyphs), f"done, {results}"
    if again.old:
        yield (
            ids_in_words(again.old, glyphs),
            f"listed again as {ids_in_words(again.new, glyphs)}, nothing else changed",
        )


def _more(columns: Columns, changes: Sequence[StepChange]) -> None:
    """A line for the changes of one kind that are not shown."""
    if changes:
        ids = ids_in_words([change.id for change in changes], columns.paper.glyphs)
        mark = Span(columns.paper.pad(changes[0].kind.value, columns.mark), "dim")
        _row(columns, mark, "", Span(f"{number(len(changes))} more: {ids}", "dim"))


def diff_screen(paper: Paper, diff: PlanDiff, because: str = "", *, held: Container[str] = ()) -> None:
    """A diff alone; `because` says why the new version was made, where that is known, and `held` are the steps whose
    results stay."""
    said = f" {because}" if because else ""
    paper.line(Span(f"{diff.from_} {paper.glyphs.arrow} {diff.to}", "version"), said, indent=2, hang=5)
    diff_rows(Columns(paper, time=1), diff, held=held)


def count_line(diff: PlanDiff, again: Again | None = None) -> str:
    """`Plan: 1 added, 1 revised, 2 removed, 2 kept.` Steps listed `again` are neither added nor removed, and those of
    which the results are kept are not removed."""
    listed, held = (len(again.old), len(again.held)) if again is not None else (0, 0)
    counts = {
        "added": len(diff.added) - listed,
        "revised": len(diff.revised),
        "rewired": len(diff.rewired),
        "removed": len(diff.removed) - listed - held,
        "listed again": listed,
        "kept as results": held,
    }
    said = [f"{number(count)} {word}" for word, count in counts.items() if count]
    said += [f"{number(diff.kept)} kept"] if diff.kept or not held else []
    return f"Plan: {', '.join(said)}."


# Notes stand behind the column of tools where the paper is wide enough for all of them. Else they stand beside the
# words, as far as the column of tools leaves room for them, and where it does not, below: tools have one column.
def _note_column(columns: Columns, described: Sequence[Described]) -> int | None:
    """The columns of text after which notes beside it begin: under each other, unless one needs all the room; None
    where they stand behind the tools."""
    noted = [each for each in described if each.note]
    if all(_fits_behind(columns, each) for each in noted):
        return None
    return min([columns.action, NOTES, *(room for each in noted if (room := _room(columns, each)) >= LEAST)])


def _room(columns: Columns, described: Described) -> int:
    """The columns that a note leaves to the text it stands beside: where there is a tool, that has its column."""
    whole = not described.tool or columns.paper.width < NARROW
    return (columns.paper.width - columns.text if whole else columns.action) - width(described.note) - 2


def _fits_behind(columns: Columns, described: Described) -> bool:
    """Whether a note has room behind the column of tools."""
    room = columns.paper.width - columns.behind
    return columns.paper.width >= NARROW and width(described.note) <= room and width(described.words) <= columns.action


def change_row(columns: Columns, change: StepChange, described: Described) -> None:
    """Write a change with its note and its tool."""
    _change(columns, change, described, _note_column(columns, [described]))


def _change(columns: Columns, change: StepChange, described: Described, beside: int | None) -> None:
    """Write a change with its note and its tool; `beside` is where notes begin that stand beside the words."""
    paper, style = columns.paper, _STYLES[change.kind]
    if paper.width < NARROW:
        described = described.without_tool(paper.glyphs)
    words, behind, below = _placed(columns, described, beside)
    mark = Span(paper.pad(change.kind.value, columns.mark), style)
    _row(columns, mark, change.id, Span(words, "removed" if style == "gone" else style), Span(behind, "dim"))
    for line in below:
        paper.line(Span(line, "dim"), indent=columns.text, hang=columns.text + 2)


def _placed(columns: Columns, described: Described, beside: int | None) -> tuple[str, str, Sequence[str]]:
    """The words, what stands behind them on the same line, and the lines below."""
    paper, room = columns.paper, _room(columns, described)
    words, tool, note, below, _ = described
    if note and beside is None and paper.width >= NARROW:
        behind = f"{'':{columns.action - width(words)}}  {paper.cell(tool, columns.tool)}  {note}"
        return words, behind, below
    if note and room < width(words):
        if room < CUT_FROM:
            return words, _in_its_column(columns, words, "", tool), [note, *below]
        words = paper.cut(words, room)
    words = paper.pad(words, min(beside or 0, room) if note else 0)
    return words, _in_its_column(columns, words, f"  {note}" if note else "", tool), below


def _in_its_column(columns: Columns, words: str, note: str, tool: str) -> str:
    """What stands behind the words: a note, and the tool in the column of tools."""
    return f"{columns.paper.pad(note, columns.action - width(words))}  {tool}" if tool else note


def same_row(columns: Columns, id_: str, described: Described) -> None:
    """Write a step of which nothing but its place in the plan is another one."""
    mark = Span(columns.paper.pad("=", columns.mark), "dim")
    _row(columns, mark, id_, Span(described.words), Span(f"  {described.note}" if described.note else "", "dim"))


def _row(columns: Columns, mark: Span, ids: str, *text: Span) -> None:
    id_ = columns.paper.pad(ids, columns.id)
    columns.paper.line(" " * columns.left, mark, f" {id_}  ", *text, hang=columns.text)


def diff_markdown(diff: PlanDiff, *, held: Container[str] = ()) -> str:
    """The diff as a Markdown table and the counting line; of the steps that are `held` the results stay."""
    lines, again = [f"### {literal(diff.from_)} → {literal(diff.to)}", ""], listed_again(diff.changes, held)
    if diff.changes:
        removed = {change.id: change.old for change in diff.changes if change.kind is ChangeKind.REMOVED}
        rows = [*_markdown_again(again), *(_markdown_row(change, removed) for change in again.others)]
        lines += ["| | step | change |", "| --- | --- | --- |", *rows, ""]
    return "\n".join([*lines, count_line(diff, again), ""])


def _markdown_again(again: Again) -> Iterator[str]:
    for ids, text in unchanged(again, UNICODE):
        yield f"| `=` | {literal(ids)} | {literal(text)} |"


def _markdown_row(change: StepChange, removed: Mapping[str, StepLike]) -> str:
    action, _, note, below, _ = describe(change, UNICODE, removed).without_tool(UNICODE)
    action = f"~~{literal(action)}~~" if change.kind is ChangeKind.REMOVED else literal(action)
    said = "<br>".join([action, *(literal(re.sub(" +", " ", line)) for line in (note, *below) if line)])
    return f"| `{change.kind.value}` | {literal(change.id)} | {said} |"


def literal(text: str) -> str:
    """Foreign text that Markdown shows as it is, and of which no forge makes a mention, a link or a picture."""
    # A diff is posted where forges read it: an action `fix @team` must not call anybody.
    plain = re.sub(r"([\\`*_{}\[\]<>#|~&!@$])", r"\\\1", clean(text))
    return _LINKED.sub(r"\g<0><!-- -->", plain)


# Where a forge would begin to make something of plain text; what is invisible behind it keeps the two halves apart.
_LINKED = re.compile(
    r"""
    [@#](?=\w)                      # mentions and issues
    | :(?=[\w+-]+:)                 # pictures of emotions
    | :(?=//)                       # addresses
    | \bwww(?=\.)
    | \bGH(?=-\d)                   # issues once more
    | \b[0-9a-f]{6}(?=[0-9a-f]{1,58}\b)   # commits
    """,
    re.VERBOSE | re.IGNORECASE,
)
