"""The parts that pages are made of: sections, tables, bars, values. Colour never says anything alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from replanctl.report.html import Html, each, escape_lines, joined, tag
from replanctl.show import words

Row = TypeVar("Row")

# A session may have 100,000 steps. A browser lays out a few hundred rows at once and hangs on more, so the middle is
# left out, and how much it was is said.
SHOWN = 400  # rows of a table; of more the first and the last, and how many there are
VALUE = 240  # characters of a value that are shown
TEXT = 24_000  # characters of a long text that are shown
BAR = 600  # units of a bar's width


# Pages are made of a few parts, each with what a screen reader needs built in: a table has a caption and headings with
# a scope, a mark is said in words, a bar carries its figures as a title, and what scrolls can be reached by keyboard.
# So no page can lack one of them, and a page reads the same without colour, on paper and aloud.
class Section(NamedTuple):
    """A part of a page with a heading of its own. An `id` is there once on a page."""

    id: str
    title: str
    body: Html


def sections(parts: Iterable[Section | None], level: int = 2) -> Html:
    """The sections that have something to say, with headings of this level."""
    return joined(
        tag("section", tag(f"h{level}", part.title, id=part.id), part.body, aria_labelledby=part.id)
        for part in parts
        if part is not None
    )


def ends(items: Sequence[Row], shown: int = SHOWN) -> tuple[Sequence[Row], int, Sequence[Row]]:
    """Of very many the first, how many are left out, and the last."""
    more = len(items) - shown
    half = shown // 2
    return (items, 0, ()) if more <= 0 else (items[:half], more, items[-half:])


# -- tables ------------------------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """Rows of a table under a heading of their own; an empty one is none."""

    title: str
    rows: Sequence[Sequence[str]]


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()) -> Html:
    """A table; each row begins with its heading. `numbers` are the heads whose columns hold numbers."""
    return grouped(caption, heads, [Group("", rows)], numbers=numbers)


def grouped(caption: str, heads: Sequence[str], groups: Sequence[Group], *, numbers: Sequence[str] = ()) -> Html:
    """A table in groups. It can be scrolled by keyboard where it is wider than the page."""
    kinds = ["number" if head in numbers else None for head in heads]
    head = tag("tr", *(tag("th", name, scope="col", class_=kind) for name, kind in zip(heads, kinds, strict=True)))
    body = joined(_group(group, kinds) for group in groups if group.rows)
    whole = tag("table", tag("caption", tag("span", caption)), tag("thead", head), body)
    return tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _group(group: Group, kinds: Sequence[str | None]) -> Html:
    across = str(len(kinds))
    first, more, last = ends(group.rows)
    title = (
        [tag("tr", tag("th", tag("span", group.title), scope="rowgroup", colspan=across), class_="group")]
        if group.title
        else []
    )
    left_out = [tag("tr", tag("td", f"… {words.number(more)} more …", colspan=across))] if more else []
    return tag("tbody", *title, *(_row(row, kinds) for row in first), *left_out, *(_row(row, kinds) for row in last))


def _row(cells: Sequence[str], kinds: Sequence[str | None]) -> Html:
    head, *others = cells
    return tag(
        "tr",
        tag("th", head, scope="row", class_=kinds[0]),
        *(tag("td", cell, class_=kind) for cell, kind in zip(others, kinds[1:], strict=True)),
    )


# -- texts and values --------------------------------------------------------------------------------------------------


def paragraph(*inside: str, class_: str | None = None) -> Html:
    """A paragraph."""
    return tag("p", *inside, class_=class_)


def bullets(texts: Sequence[str]) -> Html:
    """A list; of very many texts the first and the last."""
    first, more, last = ends(texts)
    return tag("ul", each("li", [*first, *([f"… {words.number(more)} more …"] if more else []), *last]))


def facts(pairs: Iterable[tuple[str, str]], *, wide: bool = False) -> Html:
    """Names and what they stand for, side by side, or (`wide`) one below the other."""
    kind = "wide" if wide else None
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", said)) for name, said in pairs), class_=kind)


def own(text: str) -> Html:
    """Foreign text in a sentence: which way it runs stays its own affair."""
    # Without isolation one right-to-left word in a goal would turn the punctuation and the numbers around it too.
    return tag("bdi", text)


def value(of: Any) -> Html:
    """A value as compact JSON; one that is long is cut, and its size said."""
    return tag("code", cut(words.compact(of)), class_="value")


def cut(text: str, most: int = VALUE) -> str:
    """A text, or its beginning and how much there is of it."""
    return text if len(text) <= most else f"{text[:most]}… ({size(text)} in all)"


def size(text: str) -> str:
    """How much a text is: bytes in UTF-8, or kB."""
    count = len(text.encode("utf-8", "surrogatepass"))
    return f"{count} bytes" if count < 1_000 else f"{count / 1_000:,.1f} kB"


def long_text(text: str, label: str) -> Html:
    """A text of many lines, to be scrolled through on a screen and whole on paper."""
    # Cut before it is escaped: behind it a cut could fall into the middle of an entity.
    shown = escape_lines(text[:TEXT])
    note = [paragraph(f"… cut here: {size(text)} in all.")] if len(text) > TEXT else []
    return joined([tag("pre", shown, tabindex="0", role="region", aria_label=label), *note])


def marked(mark: str, said: str, kind: str) -> Html:
    """A mark and what it means in words; `kind` is a class that gives both a colour."""
    return tag("span", tag("span", mark, aria_hidden="true"), " ", said, class_=kind)


def only_mark(mark: str, said: str, kind: str) -> Html:
    """A mark whose meaning is said to who can't see it."""
    return tag("span", tag("span", mark, aria_hidden="true"), tag("span", said, class_="unseen"), class_=kind)


# -- bars --------------------------------------------------------------------------------------------------------------


class Stretch(NamedTuple):
    """A part of a bar, in its units. `kind` is done (filled), failed (hollow) or wait (a thin line)."""

    begin: float
    end: float
    kind: str


def bar(stretches: Iterable[Stretch], whole: float, said: str) -> Html:
    """A bar of which `whole` is the full length; `said` tells who can't see it what it shows."""
    # A session of no time at all has bars of no length, and nothing to divide by.
    scale = BAR / whole if whole > 0 else 0
    place: Callable[[float], float] = lambda at: min(max(at * scale, 0), BAR)  # noqa: E731 one line, used twice
    parts = [_stretch(place(part.begin), place(part.end), part.kind) for part in stretches]
    frame = {"viewBox": f"0 0 {BAR} 16", "preserveAspectRatio": "none", "role": "img"}
    return tag("svg", tag("title", said), *parts, class_="bar", **frame)


def _stretch(begin: float, end: float, kind: str) -> Html:
    begin = min(begin, BAR - 3)  # what takes no time is seen all the same
    room = {"x": f"{begin:.1f}", "width": f"{max(end - begin, 3):.1f}"}
    top, height = ("7", "2") if kind == "wait" else ("2", "12")
    return tag("rect", class_=kind, y=top, height=height, **room)


def level(reading: float, limit: float, said: str, *, over: bool = False) -> Html:
    """How full something is: filled up to the reading, framed up to the limit."""
    whole = max(limit, reading, 1)
    return bar(
        [Stretch(0, limit, "frame"), Stretch(0, reading, "failed" if over else "done")] if reading else
        [Stretch(0, limit, "frame")],
        whole,
        said,
    )  # fmt: skip
