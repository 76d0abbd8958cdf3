"""What changed between the args of two calls, value by value, each under its path.

An arg may be a list of records of which one number is another: the two texts side by side hide it, its path says it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from replanctl.show.text import Glyphs, cut, middle, width
from replanctl.show.words import compact, number

SHOWN = 4  # changed values of one step that are listed; the others are counted, unless it is only one
DEEPEST = 8  # levels that are compared part by part; what lies below is one value
KEY = 40  # columns that one key of a path may take
WIDE = 100  # columns of a value where the paper has no width, as on a page
_CONTEXT = 8  # characters shown before the place where two long values begin to differ


class Leaf(NamedTuple):
    """A value that is not the same, and where it stands; None as a text is one that is not there."""

    path: str
    before: str | None
    after: str | None


# Mappings are compared by key. Lists are compared from both ends, since a planner mostly adds an item or drops one:
# what is the same at the beginning and at the end stays out of it, and what is left between is compared in its order.
# Everything else, and a mapping that became a list, is one value.
def changed_leaves(old: Mapping[str, Any], new: Mapping[str, Any], glyphs: Glyphs) -> Iterator[Leaf]:
    """Every value that is another one, is new or was dropped, in the order of the args."""
    yield from _keys(old, new, "", DEEPEST, glyphs)


def args_in_words(old: Mapping[str, Any], new: Mapping[str, Any], glyphs: Glyphs, room: int = WIDE) -> list[str]:
    """`payments[0].amount: 299 → 128` for each value that changed, `payments[1]: new {…}`, or `dropped`.

    A value is cut only where it alone is wider than `room` columns; the line may be wider than that.
    """
    leaves = list(changed_leaves(old, new, glyphs))
    shown = leaves if len(leaves) <= SHOWN + 1 else leaves[:SHOWN]
    lines = [f"{leaf.path}: {_in_words(leaf, glyphs, room)}" for leaf in shown]
    return [*lines, f"{glyphs.ellipsis} {number(len(leaves) - SHOWN)} more"] if len(shown) < len(leaves) else lines


def _in_words(leaf: Leaf, glyphs: Glyphs, room: int) -> str:
    if leaf.before is None:
        return f"new {middle(leaf.after or '', room, glyphs)}"
    if leaf.after is None:
        return f"dropped {middle(leaf.before, room, glyphs)}"
    return f" {glyphs.arrow} ".join(apart(leaf.before, leaf.after, glyphs, room))


def apart(old: str, new: str, glyphs: Glyphs, room: int) -> tuple[str, str]:
    """Two values in at most so many columns each, cut so that they do not look the same."""
    short = middle(old, room, glyphs), middle(new, room, glyphs)
    if short[0] != short[1]:
        return short
    # They differ in the middle, which is what was left out: then both begin where they part.
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    begin, left = max(same - _CONTEXT, 0), room - width(glyphs.ellipsis)
    lead = glyphs.ellipsis if begin else ""
    return lead + cut(old[begin:], left, glyphs), lead + cut(new[begin:], left, glyphs)


def _keys(old: Mapping[str, Any], new: Mapping[str, Any], path: str, levels: int, glyphs: Glyphs) -> Iterator[Leaf]:
    for key in [*old, *(key for key in new if key not in old)]:
        here = f"{path}.{cut(str(key), KEY, glyphs)}" if path else cut(str(key), KEY, glyphs)
        if key in old and key in new:
            yield from _values(old[key], new[key], here, levels - 1, glyphs)
        else:
            yield _one_sided(old, new, key, here)


def _one_sided(old: Mapping[str, Any], new: Mapping[str, Any], key: str, path: str) -> Leaf:
    return Leaf(path, compact(old[key]), None) if key in old else Leaf(path, None, compact(new[key]))


def _values(old: Any, new: Any, path: str, levels: int, glyphs: Glyphs) -> Iterator[Leaf]:
    if levels and isinstance(old, dict) and isinstance(new, dict):
        yield from _keys(old, new, path, levels, glyphs)
    elif levels and isinstance(old, list) and isinstance(new, list):
        yield from _items(old, new, path, levels, glyphs)
    elif (before := compact(old)) != (after := compact(new)):
        yield Leaf(path, before, after)


def _items(old: list[Any], new: list[Any], path: str, levels: int, glyphs: Glyphs) -> Iterator[Leaf]:
    first = last = 0
    if len(old) != len(new):
        first = _alike(old, new)
        last = _alike(old[first:][::-1], new[first:][::-1])
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    for at, (one, other) in enumerate(zip(before, after, strict=False), first):
        yield from _values(one, other, f"{path}[{at}]", levels - 1, glyphs)
    both = min(len(before), len(after))
    yield from (Leaf(f"{path}[{at}]", compact(item), None) for at, item in enumerate(before[both:], first + both))
    yield from (Leaf(f"{path}[{at}]", None, compact(item)) for at, item in enumerate(after[both:], first + both))


def _alike(old: list[Any], new: list[Any]) -> int:
    """How many items are the same from the beginning."""
    # By their text: Python takes 1, 1.0 and True for equal.
    return sum(1 for _ in takewhile(lambda pair: compact(pair[0]) == compact(pair[1]), zip(old, new, strict=False)))
