"""A plan diff as lines: below a replan on the screen, for `diff`, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from replanctl.kinds import ChangeKind
from replanctl.plan import PlanDiff, StepChange, StepLike
from replanctl.show.again import Again, listed_again
from replanctl.show.columns import Columns
from replanctl.show.naming import title, tool_beside
from replanctl.show.paper import Paper, Span
from replanctl.show.stretch import ids_in_words
from replanctl.show.text import UNICODE, Glyphs, clean, cut, width
from replanctl.show.words import compact, number, plural

_STYLES = {
    ChangeKind.REVISED: "revised",
    ChangeKind.REWIRED: "rewired",
    ChangeKind.REMOVED: "gone",
    ChangeKind.ADDED: "added",
}
ARGS_SHOWN = 6  # changed args of one step that are listed; the others are counted
NOTES, LEAST = 40, 20  # columns of text after which notes begin: sooner where they need the room, within bounds
CUT_FROM = 48  # columns of text beside a note: rather cut there than folded
VALUE = 40  # columns that one value of an arg may take
_CONTEXT = 8  # characters shown before the place where two long values begin to differ


def diff_rows(columns: Columns, diff: PlanDiff, kept: Sequence[str] = (), *, most: int | None = None) -> None:
    """Write what changed and one line that counts it. `kept` names the unchanged steps, where they are few.

    Of more than `most` steps in a row to which the same happened the others become one line with their number.
    """
    again = listed_again(diff.changes)
    columns.grow(change.new for change in diff.changes if change.new is not None)
    if diff.kept and diff:
        text = "kept" if kept else f"{plural(diff.kept, 'step')} kept"
        _row(columns, Span(columns.paper.pad("=", columns.mark), "dim"), " ".join(kept), Span(text, "dim"))
    _listed_again(columns, again)
    removed = {change.id: change.old for change in diff.changes if change.kind is ChangeKind.REMOVED}
    stretches = [list(group) for _, group in groupby(again.others, key=lambda change: change.kind)]
    described = [
        [describe(change, columns.paper.glyphs, removed) for change in changes[:most]] for changes in stretches
    ]
    beside = _note_column(columns, [words for stretch in described for words in stretch])
    for changes, stretch in zip(stretches, described, strict=True):
        for change, words in zip(changes, stretch, strict=False):
            _change(columns, change, words, beside)
        _more(columns, changes[len(stretch) :])
    counted = count_line(diff, len(again.old))
    columns.paper.line(Span(counted, "strong"), indent=columns.time + 1, hang=columns.time + 1)


def _listed_again(columns: Columns, again: Again) -> None:
    """One line for the steps that only have another id."""
    if again.old:
        old, new = (ids_in_words(ids, columns.paper.glyphs) for ids in (again.old, again.new))
        text = Span(f"listed again as {new}, nothing else changed", "dim")
        _row(columns, Span(columns.paper.pad("=", columns.mark), "dim"), old, text)


def _more(columns: Columns, changes: Sequence[StepChange]) -> None:
    """A line for the changes of one kind that are not shown."""
    if changes:
        ids = ids_in_words([change.id for change in changes], columns.paper.glyphs)
        mark = Span(columns.paper.pad(changes[0].kind.value, columns.mark), "dim")
        _row(columns, mark, "", Span(f"{number(len(changes))} more: {ids}", "dim"))


def diff_screen(paper: Paper, diff: PlanDiff, because: str = "") -> None:
    """A diff alone; `because` says why the new version was made, where that is known."""
    said = f" {because}" if because else ""
    paper.line(Span(f"{diff.from_} {paper.glyphs.arrow} {diff.to}", "version"), said, indent=2, hang=5)
    diff_rows(Columns(paper, time=1), diff)


def count_line(diff: PlanDiff, again: int = 0) -> str:
    """`Plan: 1 added, 1 revised, 2 removed, 2 kept.` Steps listed `again` are neither added nor removed."""
    counts = {
        "added": len(diff.added) - again,
        "revised": len(diff.revised),
        "rewired": len(diff.rewired),
        "removed": len(diff.removed) - again,
        "listed again": again,
    }
    said = [f"{number(count)} {word}" for word, count in counts.items() if count]
    return f"Plan: {', '.join([*said, f'{number(diff.kept)} kept'])}."


def _note_column(columns: Columns, described: Sequence[Described]) -> int:
    """The columns of text after which notes begin: under each other, unless one needs all the room."""
    rooms = (_room(columns, note) for words, note, _ in described if note)
    return min([columns.action, NOTES, *(room for room in rooms if room >= LEAST)])


def _room(columns: Columns, note: str) -> int:
    """The columns a note leaves to the text it stands beside."""
    return columns.paper.width - columns.text - width(note) - 2


def _change(columns: Columns, change: StepChange, described: Described, beside: int) -> None:
    paper, style = columns.paper, _STYLES[change.kind]
    words, note, below = described
    room = _room(columns, note)
    if note and room < width(words) and room >= CUT_FROM:
        words = columns.paper.cut(words, room)
    elif note and room < width(words):
        note, below = "", [note, *below]
    text = paper.pad(words, min(beside, room) if note else 0)
    mark = Span(paper.pad(change.kind.value, columns.mark), style)
    _row(columns, mark, change.id, Span(text, "removed" if style == "gone" else style), Span(f"  {note}", "dim"))
    for line in below:
        paper.line(Span(line, "dim"), indent=columns.text, hang=columns.text + 2)


def _row(columns: Columns, mark: Span, ids: str, *text: Span) -> None:
    id_ = columns.paper.pad(ids, columns.id)
    columns.paper.line(" " * (columns.time + 1), mark, f" {id_}  ", *text, hang=columns.text)


Described = tuple[str, str, list[str]]


def describe(change: StepChange, glyphs: Glyphs, removed: Mapping[str, StepLike]) -> Described:
    """A change in words: the action, a note to stand beside it, and a line for each field that is not the same.

    `removed` are the steps that went, by id: one that stands in the place of such a step says its tool only where it is
    another one, and its args where nothing else tells the two apart.
    """
    old, new = change.old, change.new
    if change.kind is ChangeKind.REMOVED:
        return title(old), "", []
    if change.kind is ChangeKind.ADDED:
        return title(new), f" {glyphs.dot} ".join(_provenance(new, removed)), _told_apart(new, removed, glyphs)
    if change.kind is ChangeKind.REWIRED:
        return title(new), f"rests on {_dependencies(change, glyphs)}", []
    before, after = title(old), title(new)
    action = f"{before} {glyphs.arrow} {after}" if before != after else after
    return action, "", list(_fields(change, glyphs))


def _provenance(step: Any, removed: Mapping[str, StepLike]) -> list[str]:
    """An added step's tool, what it stands in for and what it rests on."""
    replaces: str | None = getattr(step, "replaces", None)
    old = removed.get(replaces or "")
    return [
        *([tool_beside(step)] if (old is None or old.tool != step.tool) and tool_beside(step) else []),
        *([f"instead of {replaces}"] if replaces else []),
        *([f"rests on {', '.join(step.depends_on)}"] if step.depends_on else []),
    ]


def _told_apart(step: Any, removed: Mapping[str, StepLike], glyphs: Glyphs) -> list[str]:
    """The args that make a step another one than that whose place it takes, where both have one title and tool."""
    old = removed.get(getattr(step, "replaces", None) or "")
    if old is None or (title(old), old.tool) != (title(step), step.tool):
        return []
    return [f"args      {line}" for line in args_in_words(old.args, step.args, glyphs)]


def _fields(change: StepChange, glyphs: Glyphs) -> Iterator[str]:
    if "tool" in change.fields:
        yield f"tool      {change.old.tool} {glyphs.arrow} {change.new.tool}"
    if "args" in change.fields:
        yield from (f"args      {line}" for line in args_in_words(change.old.args, change.new.args, glyphs))
    if "depends_on" in change.fields:
        yield f"rests on  {_dependencies(change, glyphs)}"


def _dependencies(change: StepChange, glyphs: Glyphs) -> str:
    old, new = (", ".join(step.depends_on or ()) or "nothing" for step in (change.old, change.new))
    return f"{old} {glyphs.arrow} {new}"


def args_in_words(old: dict[str, Any], new: dict[str, Any], glyphs: Glyphs) -> list[str]:
    """`vendor: "C" → "D"` for each arg that changed, or `new`, or `dropped`."""
    lines = []
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = (compact(args[key]) if key in args else "" for args in (old, new))
        if before != after:
            lines.append(f"{cut(str(key), VALUE, glyphs)}: {_replaced(before, after, glyphs)}")
    more = len(lines) - ARGS_SHOWN
    return lines if more <= 0 else [*lines[:ARGS_SHOWN], f"{glyphs.ellipsis} {number(more)} more"]


def _replaced(old: str, new: str, glyphs: Glyphs) -> str:
    if not old or not new:
        return f"{cut(old or new, VALUE, glyphs)}, {'dropped' if old else 'new'}"
    return f" {glyphs.arrow} ".join(apart(old, new, glyphs))


def apart(old: str, new: str, glyphs: Glyphs) -> tuple[str, str]:
    """Two values cut so that the place where they differ is seen."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    begin = max(same - _CONTEXT, 0) if max(len(old), len(new)) > VALUE else 0
    lead = glyphs.ellipsis if begin else ""
    return lead + cut(old[begin:], VALUE, glyphs), lead + cut(new[begin:], VALUE, glyphs)


def diff_markdown(diff: PlanDiff) -> str:
    """The diff as a Markdown table and the counting line."""
    lines = [f"### {literal(diff.from_)} → {literal(diff.to)}", ""]
    if diff.changes:
        again = listed_again(diff.changes)
        removed = {change.id: change.old for change in diff.changes if change.kind is ChangeKind.REMOVED}
        rows = [*_markdown_again(again), *(_markdown_row(change, removed) for change in again.others)]
        lines += ["| | step | change |", "| --- | --- | --- |", *rows, ""]
    return "\n".join([*lines, count_line(diff, len(listed_again(diff.changes).old)), ""])


def _markdown_again(again: Again) -> Iterator[str]:
    if again.old:
        old, new = (literal(ids_in_words(ids, UNICODE)) for ids in (again.old, again.new))
        yield f"| `=` | {old} | listed again as {new}, nothing else changed |"


def _markdown_row(change: StepChange, removed: Mapping[str, StepLike]) -> str:
    action, note, below = describe(change, UNICODE, removed)
    action = f"~~{literal(action)}~~" if change.kind is ChangeKind.REMOVED else literal(action)
    said = "<br>".join([action, *(literal(re.sub(" +", " ", line)) for line in (note, *below) if line)])
    return f"| `{change.kind.value}` | {literal(change.id)} | {said} |"


def literal(text: str) -> str:
    """Foreign text that Markdown shows as it is, and of which no forge makes a mention, a link or a picture."""
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
