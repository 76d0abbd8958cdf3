"""What became of a step between two versions, in words: for the rows of a diff, for Markdown and for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from replanctl.kinds import ChangeKind
from replanctl.plan import StepChange, StepLike
from replanctl.show.naming import title, tool_beside
from replanctl.show.text import Glyphs, cut
from replanctl.show.words import compact, number

ARGS_SHOWN = 6  # changed args of one step that are listed; the others are counted
VALUE = 40  # columns that one value of an arg may take
_CONTEXT = 8  # characters shown before the place where two long values begin to differ


class Described(NamedTuple):
    """A change in words: the action, the tool (the `same_tool` as that of the step whose place was taken), a note to
    stand beside them, and a line for each field that is not the same."""

    words: str
    tool: str = ""
    note: str = ""
    below: Sequence[str] = ()
    same_tool: bool = False

    def without_tool(self, glyphs: Glyphs) -> Described:
        """The same with a new tool in the note, where tools have no column."""
        tool = "" if self.same_tool else self.tool
        return self._replace(tool="", note=f" {glyphs.dot} ".join(filter(None, (tool, self.note))))


def describe(change: StepChange, glyphs: Glyphs, removed: Mapping[str, StepLike]) -> Described:
    """A change in words: the action, a note to stand beside it, and a line for each field that is not the same.

    `removed` are the steps that went, by id: one that stands in the place of such a step says its tool only where it is
    another one, and its args where nothing else tells the two apart.
    """
    old, new = change.old, change.new
    if change.kind is ChangeKind.REMOVED:
        return Described(title(old))
    if change.kind is ChangeKind.ADDED:
        note = f" {glyphs.dot} ".join(_provenance(new))
        gone = removed.get(getattr(new, "replaces", None) or "")
        same_tool = gone is not None and gone.tool == new.tool
        return Described(title(new), tool_beside(new), note, _told_apart(new, removed, glyphs), same_tool)
    if change.kind is ChangeKind.REWIRED:
        return Described(title(new), note=f"rests on {_dependencies(change, glyphs)}")
    before, after = title(old), title(new)
    action = f"{before} {glyphs.arrow} {after}" if before != after else after
    return Described(action, below=list(_fields(change, glyphs)))


def _provenance(step: Any) -> list[str]:
    """What an added step stands in for and what it rests on."""
    replaces: str | None = getattr(step, "replaces", None)
    return [
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
