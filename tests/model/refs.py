"""References in args: read once with the ids then known, renamed, resolved and written out again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

PART = re.compile(r'\.[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?|\[[0-9]+\]|\["[^"]*"\]')
UNKNOWN = re.compile(r"#E([A-Za-z0-9][A-Za-z0-9_-]{0,63})((?:" + PART.pattern + r")*)\Z")
NO_FIELD = object()


class Ref:
    """One reference: the id it names and the path behind it. `null` marks one that a cure replaced by nothing,
    `nothing` one whose id no step had when it was written: it stays one to nothing, whatever is born later."""

    def __init__(self, step: str, path: str, *, nothing: bool = False) -> None:
        self.step = step
        self.path = path
        self.nothing = nothing
        self.null = False
        self.bad: str | None = None  # how it stood when its step failed over it

    def copy(self) -> Ref:
        other = Ref(self.step, self.path, nothing=self.nothing)
        other.null, other.bad = self.null, self.bad
        return other

    def key(self) -> tuple[str, str, bool]:
        return (self.step, self.path, self.null)

    @property
    def text(self) -> str:
        return f"#E{self.step}{self.path}"

    def parts(self) -> list[str | int]:
        found: list[str | int] = []
        for part in PART.findall(self.path):
            if part.startswith("."):
                found.append(part[1:])
            elif part.startswith('["'):
                found.append(part[2:-2])
            else:
                found.append(int(part[1:-1]))
        return found


class Text:
    """A string of args: raw text and references in turn."""

    def __init__(self, segments: list[str | Ref]) -> None:
        self.segments = segments

    @property
    def whole(self) -> Ref | None:
        only = self.segments[0] if len(self.segments) == 1 else None
        return only if isinstance(only, Ref) else None


def read_text(raw: str, known: set[str]) -> str | Text:
    """Split one string; plain strings stay as they are."""
    segments: list[str | Ref] = []
    plain = ""
    at = 0
    while at < len(raw):
        if re.match(r"##E[A-Za-z0-9]", raw[at:]):
            plain += raw[at : at + 4]
            at += 4
            continue
        if raw.startswith("#E", at):
            step = next(
                (
                    i
                    for i in sorted(known, key=len, reverse=True)
                    if raw.startswith(i, at + 2) and not re.match(r"[A-Za-z0-9]", raw[at + 2 + len(i) :])
                ),
                None,
            )
            if step is not None:
                end = at + 2 + len(step)
                path = ""
                while part := PART.match(raw, end):
                    path += part.group()
                    end = part.end()
                if plain:
                    segments.append(plain)
                    plain = ""
                segments.append(Ref(step, path))
                at = end
                continue
        plain += raw[at]
        at += 1
    if plain:
        segments.append(plain)
    if not any(isinstance(s, Ref) for s in segments):
        if nothing := UNKNOWN.match(raw):
            return Text([Ref(nothing.group(1), nothing.group(2), nothing=True)])
        return Text(segments) if "##E" in raw else raw
    return Text(segments)


def read(value: Any, known: set[str]) -> Any:
    if isinstance(value, str):
        return read_text(value, known)
    if isinstance(value, dict):
        return {k: read(v, known) for k, v in value.items()}
    if isinstance(value, list):
        return [read(v, known) for v in value]
    return value


def copy(tree: Any) -> Any:
    if isinstance(tree, Text):
        return Text([s.copy() if isinstance(s, Ref) else s for s in tree.segments])
    if isinstance(tree, dict):
        return {k: copy(v) for k, v in tree.items()}
    if isinstance(tree, list):
        return [copy(v) for v in tree]
    return tree


def refs(tree: Any) -> Iterator[Ref]:
    """Every reference that still stands, in document order."""
    if isinstance(tree, Text):
        yield from (s for s in tree.segments if isinstance(s, Ref) and not s.null)
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from refs(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from refs(value)


def plain(tree: Any) -> Iterator[str]:
    """What is no reference, in document order."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, Text):
        yield from (s for s in tree.segments if isinstance(s, str))
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from plain(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from plain(value)


def has_null(tree: Any) -> bool:
    if isinstance(tree, Text):
        return any(isinstance(s, Ref) and s.null for s in tree.segments)
    if isinstance(tree, dict):
        return any(has_null(v) for v in tree.values())
    return isinstance(tree, list) and any(has_null(v) for v in tree)


def write(tree: Any) -> Any:
    """The args as a version shows them."""
    if isinstance(tree, Text):
        whole = tree.whole
        if whole is not None and whole.null:
            return None
        return "".join(s if isinstance(s, str) else f"[gap: E{s.step}]" if s.null else s.text for s in tree.segments)
    if isinstance(tree, dict):
        return {k: write(v) for k, v in tree.items()}
    if isinstance(tree, list):
        return [write(v) for v in tree]
    return tree


def fill(tree: Any, value_of: Callable[[Ref], Any]) -> Any:
    """Substitute. `value_of` answers `GAP` for a reference to a gap."""
    if isinstance(tree, Text):
        whole = tree.whole
        if whole is not None:
            value = None if whole.null else value_of(whole)
            return None if value is GAP else value
        out = ""
        for s in tree.segments:
            if isinstance(s, str):
                out += re.sub(r"##E(?=[A-Za-z0-9])", "#E", s)
                continue
            value = GAP if s.null else value_of(s)
            out += f"[gap: E{s.step}]" if value is GAP else value if isinstance(value, str) else compact(value)
        return out
    if isinstance(tree, dict):
        return {k: fill(v, value_of) for k, v in tree.items()}
    if isinstance(tree, list):
        return [fill(v, value_of) for v in tree]
    return tree


GAP = object()


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def walk(value: Any, parts: list[str | int]) -> Any:
    """The value behind a path, or `NO_FIELD`."""
    for part in parts:
        in_mapping = isinstance(part, str) and isinstance(value, dict) and part in value
        in_list = isinstance(part, int) and isinstance(value, list) and part < len(value)
        if not in_mapping and not in_list:
            return NO_FIELD
        value = value[part]
    return value


def same(a: Any, b: Any, eq: Callable[[str, str], bool]) -> bool:
    """Are two args the same, where `eq(x, y)` says whether two ids mean the same step?"""
    if isinstance(a, Text) and isinstance(b, Text):
        return len(a.segments) == len(b.segments) and all(
            (x == y)
            if isinstance(x, str) or isinstance(y, str)
            else (x.path, x.null, x.nothing) == (y.path, y.null, y.nothing)
            and (x.step == y.step if x.nothing else eq(x.step, y.step))
            for x, y in zip(a.segments, b.segments, strict=True)
        )
    if isinstance(a, Text) or isinstance(b, Text):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], eq) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, eq) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and bool(a == b)


def distance(a: str, b: str) -> int:
    """Edit distance: insertions, deletions, substitutions."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]
