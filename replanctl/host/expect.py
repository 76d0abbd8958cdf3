"""What a rehearsal's `expect:` block asks of its result.

The block has the shape of the result document (`replanctl run --format json`) and needs to name only what matters:
mappings match by subset, lists entry by entry, and a number in the place of a list means how many entries it has. A
text like `"<= 2000"` compares a number, one like `"!= failed"` a text. `exit` is the exit code, `replans` how many
replans changed the plan.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from replanctl.nearest import or_nearest
from replanctl.run import SessionResult

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "!=": operator.ne,
}  # fmt: skip
_COMPARISON = re.compile(r"(<=|>=|<|>|!=)\s*(-?[0-9]+(?:\.[0-9]+)?)")
_OTHER_THAN = re.compile(r"!=\s*(.+)", re.DOTALL)


def mismatches(expect: Mapping[str, Any], result: SessionResult) -> list[str]:
    """Everything the result is not that it was expected to be: its place, what was expected, what came."""
    document = _document(result)
    return [_with_successor(said, result) for said in _differences(expect, document, "")]


def _document(result: SessionResult) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(result, str_keys=True)
    replans = sum(revision.granularity is not None for revision in result.revisions)  # a resume's version is none
    return document | {"exit": 0 if result.status == "completed" else 1, "replans": replans}


def updates(expect: Mapping[str, Any], result: SessionResult) -> dict[tuple[str | int, ...], Any]:
    """What would have to stand in an `expect:` block instead, by its path in it, for the result to be as expected.

    A field that the result does not have is left as it is. A list of another length is written anew, each entry with
    the keys that the old ones had; where there were none, it becomes a number. An empty block says how it ended.
    """
    document = _document(result)
    if not expect:
        return {(): {name: document[name] for name in ("exit", "reason", "replans")}}
    return dict(_instead(expect, document, ()))


def _instead(expected: Any, found: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            if key in found:
                yield from _instead(value, found[key], (*path, key))
    elif isinstance(expected, list) and isinstance(found, list | tuple):
        if len(expected) == len(found):
            for index, (one, other) in enumerate(zip(expected, found, strict=True)):
                yield from _instead(one, other, (*path, index))
        else:
            yield path, _like(expected, found)
    elif isinstance(found, list | tuple) and _counts(expected):
        if not _equal(expected, len(found)):
            yield path, len(found)
    elif not _equal(expected, found):
        yield path, found


def _like(expected: list[Any], found: list[Any] | tuple[Any, ...]) -> Any:
    """The entries that were found, with no more said of each than was said of the expected ones."""
    # What a person left out of an expectation is left out on purpose: an update says no more than the old one did.
    keys = dict.fromkeys(key for each in expected if isinstance(each, Mapping) for key in each)
    if not keys:
        return list(found) if expected else len(found)
    return [{key: each[key] for key in keys if key in each} if isinstance(each, Mapping) else each for each in found]


_VARIABLE = re.compile(r"variables\.E([A-Za-z0-9][A-Za-z0-9_-]*)(?=[.:\[])")


def _with_successor(said: str, result: SessionResult) -> str:
    """A complaint about a variable names what stands for it now, where its step was replaced or left the plan."""
    # A replan gives work a new id. Whoever expects `E3` and finds it gone wants to know where its value is now.
    about = _VARIABLE.match(said)
    if about is None:
        return said
    now, left = _standing_for(about[1], result)
    if left:
        return f"{said.split(', did you mean')[0]} (step {about[1]} left the plan in {left})"
    if now == about[1]:
        return said
    stands = f"E{now} stands for it now" if f"E{now}" in result.variables else f"step {now} stands for it now, not done"
    return f"{said.split(', did you mean')[0]} (step {about[1]} was replaced: {stands})"


def _standing_for(id_: str, result: SessionResult) -> tuple[str, str]:
    """The step of the last version that stands for this one, and the version in which nothing did any more, if any."""
    known = False
    for version in result.versions:
        ids = {step.id for step in version.steps}
        heir = next((step.id for step in version.steps if step.replaces == id_ and step.id != id_), None)
        if heir is not None and id_ not in ids:
            id_ = heir
        elif known and id_ not in ids:
            return id_, version.version
        known = known or id_ in ids
    return id_, ""


def _differences(expected: Any, found: Any, place: str) -> Iterator[str]:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        yield from _in_mapping(expected, found, place)
    elif isinstance(expected, list) and isinstance(found, list | tuple):
        yield from _in_list(expected, found, place)
    elif isinstance(found, list | tuple) and _counts(expected):
        if not _equal(expected, len(found)):
            yield f"{place}: expected {_short(expected)}, got {len(found)} entries: {_short(found)}"
    elif not _equal(expected, found):
        yield f"{place}: expected {_short(expected)}, got {_short(found)}"


def _in_mapping(expected: Mapping[str, Any], found: Mapping[str, Any], place: str) -> Iterator[str]:
    for key, value in expected.items():
        here = f"{place}.{key}" if place else key
        if key in found:
            yield from _differences(value, found[key], here)
        else:
            hint = or_nearest(key, found)
            yield f"{here}: the result has no such field{f', {hint}' if hint else ''}"


def _in_list(expected: list[Any], found: list[Any] | tuple[Any, ...], place: str) -> Iterator[str]:
    if len(expected) != len(found):
        yield f"{place}: expected {len(expected)} entries, got {len(found)}: {_short(found)}"
    for index, (one, other) in enumerate(zip(expected, found, strict=False)):
        yield from _differences(one, other, f"{place}[{index}]")


def _counts(expected: Any) -> bool:
    """Whether what is expected of a list is how many entries it has."""
    number = isinstance(expected, int) and not isinstance(expected, bool)
    return number or (isinstance(expected, str) and _COMPARISON.fullmatch(expected.strip()) is not None)


def _equal(expected: Any, found: Any) -> bool:
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if number and isinstance(expected, str) and (asked := _COMPARISON.fullmatch(expected.strip())):
        return _COMPARE[asked[1]](found, float(asked[2]))
    if isinstance(found, str) and isinstance(expected, str) and (other := _OTHER_THAN.fullmatch(expected.strip())):
        return found != other[1]
    return isinstance(expected, bool) == isinstance(found, bool) and bool(expected == found)


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 120 else f"{text[:119]}…"
