"""What became of a step between two versions, in words.

Some changes are none: a step is listed again under a new id, or gone from the list with a result that is kept. Each
kind is told in one line.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from replanctl.kinds import ChangeKind, Health, StepState
from replanctl.plan import StepChange, StepLike, same_args, variable_name
from replanctl.run import SessionResult, VersionView
from replanctl.show.leaves import WIDE, args_in_words
from replanctl.show.marks import title, tool_beside
from replanctl.show.text import Glyphs

_LABEL = 10  # columns of the word that a line below a change begins with
_HANG = 2  # columns by which such a line hangs where it folds


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


def describe(change: StepChange, glyphs: Glyphs, removed: Mapping[str, StepLike], room: int = WIDE) -> Described:
    """A change in words: the action, a note to stand beside it, and a line for each field that is not the same.

    `removed` are the steps that went, by id: one that stands in the place of such a step says its tool only where it is
    another one, and its args where nothing else tells the two apart. `room` is the columns of a line below.
    """
    old, new = change.old, change.new
    if change.kind is ChangeKind.REMOVED:
        return Described(title(old))
    if change.kind is ChangeKind.ADDED:
        note = f" {glyphs.dot} ".join(_provenance(new))
        gone = removed.get(getattr(new, "replaces", None) or "")
        same_tool = gone is not None and gone.tool == new.tool
        return Described(title(new), tool_beside(new), note, _told_apart(new, removed, glyphs, room), same_tool)
    if change.kind is ChangeKind.REWIRED:
        return Described(title(new), note=f"rests on {_dependencies(change, glyphs)}")
    before, after = title(old), title(new)
    action = f"{before} {glyphs.arrow} {after}" if before != after else after
    return Described(action, below=list(_fields(change, glyphs, room)))


def _provenance(step: Any) -> list[str]:
    """What an added step stands in for and what it rests on."""
    replaces: str | None = getattr(step, "replaces", None)
    return [
        *([f"instead of {replaces}"] if replaces else []),
        *([f"rests on {', '.join(step.depends_on)}"] if step.depends_on else []),
    ]


def _told_apart(step: Any, removed: Mapping[str, StepLike], glyphs: Glyphs, room: int) -> list[str]:
    """The args that make a step another one than that whose place it takes, where both have one title and tool."""
    old = removed.get(getattr(step, "replaces", None) or "")
    if old is None or (title(old), old.tool) != (title(step), step.tool):
        return []
    return list(_args(old.args, step.args, glyphs, room))


def _args(old: dict[str, Any], new: dict[str, Any], glyphs: Glyphs, room: int) -> Iterator[str]:
    # A value that does not fit behind its path goes on the next line, which hangs by two columns and has no label.
    yield from (f"{'args':<{_LABEL}}{line}" for line in args_in_words(old, new, glyphs, room - _HANG))


def _fields(change: StepChange, glyphs: Glyphs, room: int) -> Iterator[str]:
    if "tool" in change.fields:
        yield f"tool      {change.old.tool} {glyphs.arrow} {change.new.tool}"
    if "args" in change.fields:
        yield from _args(change.old.args, change.new.args, glyphs, room)
    if "depends_on" in change.fields:
        yield f"rests on  {_dependencies(change, glyphs)}"


def _dependencies(change: StepChange, glyphs: Glyphs) -> str:
    old, new = (", ".join(step.depends_on or ()) or "nothing" for step in (change.old, change.new))
    return f"{old} {glyphs.arrow} {new}"


_VARIABLE = re.compile(r"#E([\w-]+)")


class Again(NamedTuple):
    """The changes that are none, and the others in their order: `old` steps are listed again as `new` ones, and of the
    `held` ones, which left, the results are kept."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    others: tuple[StepChange, ...]
    held: tuple[str, ...] = ()


def listed_again(changes: Sequence[StepChange], held: Container[str] = ()) -> Again:
    """Tell steps that took another's place with the same action, tool, args and dependencies from real changes.

    A reference to a step is the same as one to what stands in its place. `held` are the steps whose results are kept
    even when they leave: a plan that is written anew need not list what is done.
    """
    removed = {change.id: change.old for change in changes if change.kind is ChangeKind.REMOVED}
    added = [change.new for change in changes if change.kind is ChangeKind.ADDED]
    stands_for: dict[str, str] = {step.id: old for step in added if (old := _ancestor_of(step)) is not None}
    pairs = {
        old: step.id for step in added if (old := stands_for.get(step.id)) in removed
        and _is_same(removed[old], step, stands_for)
    }  # fmt: skip
    kept = tuple(id_ for id_ in removed if id_ in held and id_ not in pairs)
    hidden = {*pairs, *pairs.values(), *kept}
    others = tuple(change for change in changes if change.kind in _ALTERED or change.id not in hidden)
    return Again(tuple(pairs), tuple(pairs.values()), others, kept)


def results_kept(result: SessionResult, version: VersionView) -> set[str]:
    """The steps that were done in a version and whose results may be used as they are."""
    usable = {name for name, variable in result.variables.items() if variable.health == Health.CLEAN}
    return {step.id for step in version.steps if step.state is StepState.DONE and variable_name(step.id) in usable}


_ALTERED = (ChangeKind.REVISED, ChangeKind.REWIRED)


def _ancestor_of(step: StepLike) -> str | None:
    replaces: str | None = getattr(step, "replaces", None)
    return replaces


def _is_same(old: StepLike, new: StepLike, stands_for: Mapping[str, str]) -> bool:
    needs = {stands_for.get(id_, id_) for id_ in new.depends_on or ()}
    return (
        title(old) == title(new)
        and old.tool == new.tool
        and needs == set(old.depends_on or ())
        and same_args(old.args, _as_before(new.args, stands_for))
    )


def unreferenced(args: dict[str, Any]) -> Any:
    """Args without the names of what they read."""
    return _as_before(args, _Anything())


class _Anything(dict[str, str]):
    """Takes every reference for one and the same."""

    def get(self, key: str, default: Any = None) -> str:
        return ""


def _as_before(value: Any, stands_for: Mapping[str, str]) -> Any:
    """Args with every reference as it was called before."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: f"#E{stands_for.get(found[1], found[1])}", value)
    if isinstance(value, dict):
        return {key: _as_before(inner, stands_for) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_before(inner, stands_for) for inner in value]
    return value
