"""Lines of styled text on a console: cleaned at the door, folded with a hanging indent, never wider than it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from replanctl.show.text import GLUE, UNICODE, cell, clean, cut, encodable, glyphs_for, pad, split, width

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment
    from rich.style import Style

MOST_HELD = 1_000  # segments
_WORD = re.compile(r"(?:[^ \u2e80-\uffff]+|[\u2e80-\uffff]) *| +")

# What a span may be styled as. The words carry the meaning; colour only helps.
STYLES = {
    "title": "bold",
    "strong": "bold",
    "label": "dim",
    "dim": "dim",
    "version": "bold cyan",
    "done": "green",
    "failed": "bold red",
    "skipped": "dim",
    "notice": "yellow",
    "met": "bold green",
    "gaps": "bold yellow",
    "not met": "bold red",
    "added": "green",
    "removed": "strike red",
    "gone": "red",
    "revised": "yellow",
    "rewired": "cyan",
    "main": "dim blue",
    "remedy": "dim magenta",
    "person": "bold magenta",
    "command": "cyan",
}


class Span(NamedTuple):
    """A piece of a line; `style` is a key of `STYLES` or empty."""

    text: str
    style: str = ""


Line = list[Span]


class Paper:
    """Writes lines to a console. Everything passes `clean` here, so no text can forget to.

    `width` is in columns; `glyphs` are the marks the stream can encode.
    """

    def __init__(self, console: Console) -> None:
        self.width = console.width
        self.glyphs = glyphs_for(console.encoding)
        self._console = console
        self._encoding = console.encoding
        self._styles: dict[str, Style] = {}
        self._holding = False
        self._held: list[Segment] = []

    def line(self, *spans: Span | str, indent: int = 0, hang: int | None = None) -> None:
        """Write one line; what does not fit goes on below, indented by `hang` columns (by default `indent`)."""
        whole = [self._span(span) for span in spans]
        most = self.width * 9 // 20  # what is indented further would be a column of single words
        hang = min(indent if hang is None else hang, most)
        indent = min(indent, most)
        self._write(
            [Span(" " * (hang if at else indent)), *line]
            for at, line in enumerate(fold(whole, self.width - indent, self.width - hang))
        )

    def whole(self, *spans: Span | str) -> None:
        """Write one line as it is, however wide it is."""
        self._write([[self._span(span) for span in spans]])

    # A row that is folded at the paper's end can't be read down its columns any more: nothing is won by having any.
    def stacked(self, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Write a table that is too wide for the paper, its rows one below the other: each as its name, the first cell,
        and below it the other cells that are not empty, each with its head."""
        for name, *cells in rows:
            self.line(Span(name, "strong"), indent=2, hang=4)
            said = [f"{head.strip()}{GLUE}{cell}".strip() for head, cell in zip(heads[1:], cells, strict=True) if cell]
            self.line(self.joined(said).replace(f",{GLUE}", ", "), indent=4)

    def blank(self) -> None:
        """Write an empty line."""
        self._write([[]])

    def cut(self, text: str, columns: int) -> str:
        """The text cleaned and cut to so many columns."""
        return cut(self.encodable(text), columns, self.glyphs)

    def cell(self, text: str, columns: int) -> str:
        """The text in exactly so many columns."""
        return cell(self.encodable(text), columns, self.glyphs)

    def pad(self, text: str, columns: int, *, right: bool = False) -> str:
        """The text cleaned, with spaces up to so many columns; never cut."""
        return pad(self.clean(text), columns, right=right)

    def clean(self, text: str) -> str:
        """The text as this stream may print it."""
        return clean(self.encodable(text), self.glyphs)

    def encodable(self, text: str) -> str:
        """The text with what the stream's encoding can't say spelled out."""
        return text if self.glyphs is UNICODE else encodable(text, self._encoding)

    def joined(self, parts: Iterable[str]) -> str:
        """Parts side by side, with a dot between; a part does not fold inside."""
        return f"{GLUE}{self.glyphs.dot} ".join(part.replace(" ", GLUE) for part in parts)

    def _span(self, span: Span | str) -> Span:
        return Span(self.clean(span)) if isinstance(span, str) else Span(self.clean(span.text), span.style)

    def hold(self) -> None:
        """Write many lines at a time from now on: Rich takes as long for one line as for thirty. Ends with `flush`."""
        self._holding = True

    def flush(self) -> None:
        """Write what is held, and every line at once from now on."""
        self._holding = False
        self._emit()

    def _emit(self) -> None:
        from rich.segment import Segments

        self._console.print(Segments(self._held), end="", soft_wrap=True)
        self._held = []

    def _write(self, lines: Iterable[Line]) -> None:
        from rich.segment import Segment

        for line in lines:
            self._held += [Segment(text, self._style(style)) for text, style in _trimmed(line)]
            self._held.append(Segment.line())
        if not self._holding or len(self._held) > MOST_HELD:
            self._emit()

    def _style(self, name: str) -> Style | None:
        from rich.style import Style

        if not name:
            return None
        if name not in self._styles:
            self._styles[name] = Style.parse(STYLES[name])
        return self._styles[name]


def fold(line: Line, first: int, rest: int) -> list[Line]:
    """A line cut at spaces (in a word that fits nowhere, where it must) into lines of at most `first`, then `rest`."""
    if sum(width(span.text) for span in line) <= first:
        return [line]
    lines: list[Line] = [[]]
    left = first
    for text, style in _words(line, rest):
        if width(text.rstrip(" ")) > left and width(text.rstrip(" ")) <= rest:
            lines.append([])
            left = rest
        while width(text.rstrip(" ")) > left:
            head, text = split(text, left)
            lines[-1].append(Span(head, style))
            lines.append([])
            left = rest
        if text.strip(" ") or lines[-1] or len(lines) == 1:  # a folded line begins with a word
            lines[-1].append(Span(text, style))
            left -= width(text)
    return lines


def folded(line: Iterable[Span], columns: int | None, hang: int) -> Iterator[str]:
    """The text of a line, cut into lines of so many columns as on paper; whole where that is None."""
    whole = [Span(clean(span.text), span.style) for span in line]
    if columns is None:
        yield "".join(span.text for span in whole)
        return
    for at, part in enumerate(fold(whole, columns, columns - hang)):
        yield " " * (hang if at else 0) + "".join(span.text for span in _trimmed(part))


def _words(line: Line, columns: int) -> Iterator[Span]:
    """The line's words, each with the spaces behind it; a wide character is a word of its own.

    Glue gives way where it would make a word that no line of so many columns can hold: a command that was cut inside
    a word can't be copied.
    """
    for span in line:
        for word in _WORD.findall(span.text):
            loose = [word] if width(word.rstrip(" ")) <= columns else _WORD.findall(word.replace(GLUE, " "))
            yield from (Span(each, span.style) for each in loose)


def _trimmed(line: Line) -> Line:
    """The line without spaces at its end, its glue turned into spaces."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" " + GLUE):
        kept.pop()
    if kept:
        kept[-1] = Span(kept[-1].text.rstrip(" " + GLUE), kept[-1].style)
    return [Span(span.text.replace(GLUE, " "), span.style) for span in kept if span.text]
